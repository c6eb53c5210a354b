package io.hearth.collective.group;

/** Why a number that was called may not run with the members of the present group epoch. */
public sealed interface Lack {
    /** One clause for people. */
    String text();

    /** The group is too small. */
    record TooFew(int there, int needed) implements Lack {
        @Override
        public String text() {
            return (there == 1 ? "1 rank is there" : there + " ranks are there") + ", and it needs " + needed;
        }
    }

    /** The group is too large; those that came last are about to leave. */
    record TooMany(int there, int most) implements Lack {
        @Override
        public String text() {
            return there + " ranks are there, and it takes " + most + " at most";
        }
    }

    /** A second group must not start beside the one that is at work. */
    record AtWorkElsewhere() implements Lack {
        @Override
        public String text() {
            return "others of the group are at work without this node, which can enter when they begin a step";
        }
    }

    /** All places are taken. */
    record Spare() implements Lack {
        @Override
        public String text() {
            return "the group is full: this node is a spare, and waits for a place";
        }
    }
}

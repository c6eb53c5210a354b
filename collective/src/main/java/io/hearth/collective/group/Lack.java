package io.hearth.collective.group;

/** Reason why a called number may not run with the members of the present group epoch. */
public sealed interface Lack {
    /** One clause for messages. */
    String text();

    /** The group is too small. */
    record TooFew(int there, int needed) implements Lack {
        @Override
        public String text() {
            return (there == 1 ? "1 rank is there" : there + " ranks are there") + ", and it needs " + needed;
        }
    }

    /** The group is too large; the members that came last are about to leave. */
    record TooMany(int there, int most) implements Lack {
        @Override
        public String text() {
            return there + " ranks are there, and it takes " + most + " at most";
        }
    }

    /** A second group must not start beside the one that is working. */
    record AtWorkElsewhere() implements Lack {
        @Override
        public String text() {
            return "others of the group are at work without this node, which can enter when they begin a step; if they have no"
                    + " steps, start all of them again";
        }
    }

    /** The group has its maximum number of ranks. */
    record Spare() implements Lack {
        @Override
        public String text() {
            return "the group is full: this node is a spare, and waits for a place";
        }
    }
}

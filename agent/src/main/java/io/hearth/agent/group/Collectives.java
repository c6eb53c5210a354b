package io.hearth.agent.group;

import io.hearth.collective.engine.CollectiveEngine;
import io.hearth.core.Bytes;
import io.hearth.core.HearthException;
import io.hearth.election.Lineage;
import io.hearth.election.View;
import io.hearth.topology.LinkReport;
import java.util.Optional;
import java.util.function.Supplier;

/** A node's collectives as the view change uses them; an agent has none. */
public sealed interface Collectives {
    /** Stops all data threads and returns the status of the collectives; empty without any. */
    Optional<Bytes> freeze(Lineage lineage, long epoch);

    /** Installs a committed view; data threads may run. */
    void install(View view);

    /** Ends open work with this error. */
    void removed(HearthException why);

    /** Ends every call from now on with this error. */
    void fail(HearthException why);

    /** Makes the next step wait, or not. */
    void hold(boolean held);

    /** Whether all data threads are stopped. */
    void rest(boolean resting);

    /** Number of the last collective up to which all have ended; -1 without any. */
    long doneUpTo();

    /**
     * The trainer's engine.
     *
     * @param links supplies what this node measured on its links
     */
    record Engine(CollectiveEngine engine, Supplier<LinkReport> links) implements Collectives {
        @Override
        public Optional<Bytes> freeze(Lineage lineage, long epoch) {
            return Optional.of(engine.freeze(text(lineage), epoch, links.get()));
        }

        @Override
        public void install(View view) {
            engine.install(text(view.lineage()), view, links.get());
        }

        @Override
        public void removed(HearthException why) {
            engine.removed(why);
        }

        @Override
        public void fail(HearthException why) {
            engine.fail(why);
        }

        @Override
        public void hold(boolean held) {
            engine.hold(held);
        }

        @Override
        public void rest(boolean resting) {
            engine.rest(resting);
        }

        @Override
        public long doneUpTo() {
            return engine.doneUpTo();
        }

        /** The name of a lineage in the streams' fence; founder, incarnation and counter together are unique. */
        private static String text(Lineage lineage) {
            return lineage.founder().text() + "#" + lineage.incarnation() + "." + lineage.counter();
        }
    }

    /** A node that only coordinates and observes. */
    record None() implements Collectives {
        @Override
        public Optional<Bytes> freeze(Lineage lineage, long epoch) {
            return Optional.of(Bytes.EMPTY);
        }

        @Override
        public void install(View view) {}

        @Override
        public void removed(HearthException why) {}

        @Override
        public void fail(HearthException why) {}

        @Override
        public void hold(boolean held) {}

        @Override
        public void rest(boolean resting) {}

        @Override
        public long doneUpTo() {
            return -1;
        }
    }
}

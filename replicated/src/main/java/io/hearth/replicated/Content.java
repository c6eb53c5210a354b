package io.hearth.replicated;

import io.hearth.core.Bytes;

/** What an entry says. */
public sealed interface Content {
    /** Upper bound of a command, in bytes. */
    int COMMAND_BYTES_MAX = 32 * 1024;

    /** The first entry of each ballot. */
    record Begin() implements Content {}

    /** A command of the application. */
    record Command(CommandKey key, Bytes body) implements Content {
        public Command {
            if (body.size() > COMMAND_BYTES_MAX) {
                throw new IllegalArgumentException(
                        "a command has at most " + COMMAND_BYTES_MAX + " bytes, got " + body.size());
            }
        }
    }

    /** The replicas from here on. */
    record Configure(Replicas replicas) implements Content {}

    /** The store is over: a better one takes its state over, and nothing follows. */
    record End(StoreId into) implements Content {}

    /**
     * A part of the final state of a store that ended into this one; the last part completes it.
     *
     * @param total bytes of that state
     * @param offset of {@code part} in it; a part that does not follow the part before it changes nothing, and offset 0 begins again
     */
    record Absorb(StoreId other, int total, int offset, Bytes part) implements Content {}

    /** Bytes of the payload, for limits. */
    default int size() {
        return switch (this) {
            case Begin _, End _ -> 1;
            case Configure configure -> 64 * configure.replicas().list().size();
            case Command command -> command.body().size();
            case Absorb absorb -> absorb.part().size();
        };
    }
}

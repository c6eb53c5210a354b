package io.hearth.scheduler;

import java.util.Locale;
import java.util.Optional;

/** What a message between nodes is about. */
public enum MessageKind {
    HEARTBEAT,
    JOB_START,
    JOB_COMPLETE,
    EPOCH_COMPLETE,
    SYNCHRONIZATION_BARRIER,
    DATA_REQUEST,
    STRAGGLER_DETECTION,
    NODE_FAILURE;

    /** The name in the envelope. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The kind with this name. */
    public static Optional<MessageKind> of(String text) {
        for (MessageKind kind : values()) {
            if (kind.text().equals(text)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }
}

package io.hearth.transport;

import java.io.IOException;

/**
 * An access to shared memory whose file another process made shorter. Java throws an {@link InternalError} for it, which would end this
 * process, although only the peer's bytes are gone.
 */
public final class MemoryFault extends IOException {
    private static final long serialVersionUID = 1L;

    private MemoryFault(InternalError error) {
        super("its shared memory was cut off", error);
    }

    /**
     * The fault that caused an error.
     *
     * @throws InternalError {@code error} itself, if it is another one
     */
    public static MemoryFault of(InternalError error) {
        String message = error.getMessage();
        if (message == null || !message.contains("unsafe memory access")) {
            throw error;
        }
        return new MemoryFault(error);
    }
}

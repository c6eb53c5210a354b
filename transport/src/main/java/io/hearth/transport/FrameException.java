package io.hearth.transport;

import io.netty.handler.codec.DecoderException;

/** The bytes of a connection are no frames; nothing after them can be read. */
final class FrameException extends DecoderException {
    private static final long serialVersionUID = 1L;

    private final Refusal refusal;

    FrameException(Refusal refusal, String why) {
        super(why);
        this.refusal = refusal;
    }

    Refusal refusal() {
        return refusal;
    }

    String why() {
        return String.valueOf(getMessage());
    }
}

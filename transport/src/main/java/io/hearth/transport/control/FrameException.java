package io.hearth.transport.control;

import io.hearth.transport.LinkRejection;
import io.netty.handler.codec.DecoderException;

/** The bytes of a connection are no frames; the rest of the connection cannot be read. */
public final class FrameException extends DecoderException {
    private static final long serialVersionUID = 1L;

    private final LinkRejection refusal;

    FrameException(LinkRejection refusal, String why) {
        super(why);
        this.refusal = refusal;
    }

    public LinkRejection refusal() {
        return refusal;
    }

    String why() {
        return String.valueOf(getMessage());
    }
}

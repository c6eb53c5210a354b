package io.hearth.accel.metal;

/** A fault of Metal; it never leaves this package, because the CPU engine does the call instead. */
final class MetalException extends Exception {
    private static final long serialVersionUID = 1L;

    private final MetalFault fault;

    MetalException(MetalFault fault, String message) {
        super(message);
        this.fault = fault;
    }

    MetalException(MetalFault fault, String message, Throwable cause) {
        super(message, cause);
        this.fault = fault;
    }

    MetalFault fault() {
        return fault;
    }
}

package io.hearth.accel.metal;

/** The reasons why Metal did not do a call, or cannot do any. */
public enum MetalFault {
    /** Not an Apple computer, or a library or function of Metal is missing. */
    ABSENT("Metal is not there", true),
    /** This JVM may not call native code. */
    FORBIDDEN("native code may not be called", true),
    /** There is no GPU, or this process may not see it. */
    NO_DEVICE("there is no GPU", true),
    /** A class of this macOS declares other types than ours; no message was sent to it. */
    UNKNOWN_TYPES("a method takes other types", true),
    /** The kernels did not compile here. */
    COMPILE("the kernels do not compile", true),
    /** A kernel gave other bits than the portable engine. */
    WRONG_BITS("a kernel gives other bits", true),
    /** The kernels could not be compared with the portable engine: the GPU failed meanwhile. */
    UNPROVEN("the kernels could not be compared", true),
    /** No memory for a buffer, or the GPU ran out of it. */
    OUT_OF_MEMORY("out of memory", false),
    /** The GPU ended commands with an error, or Metal made no object. */
    COMMAND("the GPU gave up", false),
    /** The GPU did not answer before the timeout; it may still run, so its memory is never released. */
    HANG("the GPU does not answer", true),
    /** The GPU was removed. */
    REMOVED("the GPU is gone", true);

    private final String text;
    private final boolean lasting;

    MetalFault(String text, boolean lasting) {
        this.text = text;
        this.lasting = lasting;
    }

    /** A few words for a log line. */
    public String text() {
        return text;
    }

    /** Whether Metal is not asked again in this process. */
    public boolean lasting() {
        return lasting;
    }

    /** Whether it means that this process has no Metal at all, which is no failure. */
    public boolean absence() {
        return this == ABSENT || this == FORBIDDEN || this == NO_DEVICE;
    }
}

package io.hearth.accel.metal;

/**
 * Every message that Hearth sends, and its types; {@link Messages} rejects a class that declares other types before it sends the first
 * one.
 *
 * <p>Source: the headers of Metal and Foundation (macOS 14 SDK), as the arm64 runtime encodes them.
 */
enum Selector {
    NEW("new", Shape.OBJECT),
    RETAIN("retain", Shape.OBJECT),
    RELEASE("release", Shape.NOTHING),
    STRING("stringWithUTF8String:", Shape.OBJECT_OF_TEXT),
    UTF8("UTF8String", Shape.TEXT),
    COUNT("count", Shape.LONG),
    OBJECT_AT("objectAtIndex:", Shape.OBJECT_OF_INDEX),
    DESCRIPTION("localizedDescription", Shape.OBJECT),
    CODE("code", Shape.SIGNED_LONG),

    /** macOS 15 and newer; 0 is safe. */
    SET_MATH_MODE("setMathMode:", Shape.NOTHING_OF_LONG),
    SET_FAST_MATH("setFastMathEnabled:", Shape.NOTHING_OF_FLAG),

    /** macOS 15 and newer; 1 is precise. Safe mathematics alone leaves functions fast. */
    SET_MATH_FUNCTIONS("setMathFloatingPointFunctions:", Shape.NOTHING_OF_LONG),

    /** The major version times 65,536, and the minor one. */
    SET_LANGUAGE("setLanguageVersion:", Shape.NOTHING_OF_UNSIGNED_LONG),

    NAME("name", Shape.OBJECT),
    BUFFER_BYTES_MAX("maxBufferLength", Shape.LONG),
    NEW_QUEUE("newCommandQueue", Shape.OBJECT),
    NEW_LIBRARY("newLibraryWithSource:options:error:", Shape.LIBRARY_OR_ERROR),
    NEW_PIPELINE("newComputePipelineStateWithFunction:error:", Shape.OBJECT_OR_ERROR),
    NEW_BUFFER("newBufferWithLength:options:", Shape.OBJECT_OF_TWO_LONGS),
    NEW_EVENT("newSharedEvent", Shape.OBJECT),

    NEW_FUNCTION("newFunctionWithName:", Shape.OBJECT_OF_OBJECT),
    THREADS_MAX("maxTotalThreadsPerThreadgroup", Shape.LONG),
    CONTENTS("contents", Shape.POINTER),

    COMMAND_BUFFER("commandBuffer", Shape.OBJECT),
    ENCODER("computeCommandEncoder", Shape.OBJECT),
    SIGNAL("encodeSignalEvent:value:", Shape.NOTHING_OF_OBJECT_AND_LONG),
    COMMIT("commit", Shape.NOTHING),
    STATUS("status", Shape.LONG),
    ERROR("error", Shape.OBJECT),

    SET_PIPELINE("setComputePipelineState:", Shape.NOTHING_OF_OBJECT),
    SET_BUFFER("setBuffer:offset:atIndex:", Shape.NOTHING_OF_OBJECT_AND_TWO_LONGS),
    SET_BYTES("setBytes:length:atIndex:", Shape.NOTHING_OF_BYTES),
    DISPATCH("dispatchThreadgroups:threadsPerThreadgroup:", Shape.NOTHING_OF_TWO_SIZES),
    END_ENCODING("endEncoding", Shape.NOTHING),

    /** Waits until the event has a value; false after a timeout in milliseconds. macOS 12 and newer. */
    WAIT("waitUntilSignaledValue:timeoutMS:", Shape.FLAG_OF_TWO_LONGS);

    private final String text;
    private final Shape shape;

    Selector(String text, Shape shape) {
        this.text = text;
        this.shape = shape;
    }

    /** The name in Objective-C. */
    String text() {
        return text;
    }

    Shape shape() {
        return shape;
    }
}

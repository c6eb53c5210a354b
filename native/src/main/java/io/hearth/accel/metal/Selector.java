package io.hearth.accel.metal;

/**
 * Every message that Hearth sends, and its types; {@link Messages} rejects a class that declares other types before it sends the first
 * one.
 *
 * <p>Source: the headers of Metal and Foundation (macOS 14 SDK), as the arm64 runtime encodes them.
 */
enum Selector {
    NEW("new", "@@:"),
    RETAIN("retain", "@@:"),
    RELEASE("release", "v@:"),
    STRING("stringWithUTF8String:", "@@:*"),
    UTF8("UTF8String", "*@:"),
    COUNT("count", "Q@:"),
    OBJECT_AT("objectAtIndex:", "@@:Q"),
    DESCRIPTION("localizedDescription", "@@:"),
    CODE("code", "q@:"),

    /** macOS 15 and newer; 0 is safe. */
    SET_MATH_MODE("setMathMode:", "v@:q"),
    SET_FAST_MATH("setFastMathEnabled:", "v@:B"),

    /** macOS 15 and newer; 1 is precise. Safe mathematics alone leaves functions fast. */
    SET_MATH_FUNCTIONS("setMathFloatingPointFunctions:", "v@:q"),

    /** The major version times 65,536, and the minor one. */
    SET_LANGUAGE("setLanguageVersion:", "v@:Q"),

    NAME("name", "@@:"),
    BUFFER_BYTES_MAX("maxBufferLength", "Q@:"),
    NEW_QUEUE("newCommandQueue", "@@:"),
    NEW_LIBRARY("newLibraryWithSource:options:error:", "@@:@@^@"),
    NEW_PIPELINE("newComputePipelineStateWithFunction:error:", "@@:@^@"),
    NEW_BUFFER("newBufferWithLength:options:", "@@:QQ"),
    NEW_EVENT("newSharedEvent", "@@:"),

    NEW_FUNCTION("newFunctionWithName:", "@@:@"),
    THREADS_MAX("maxTotalThreadsPerThreadgroup", "Q@:"),
    CONTENTS("contents", "^v@:"),

    COMMAND_BUFFER("commandBuffer", "@@:"),
    ENCODER("computeCommandEncoder", "@@:"),
    SIGNAL("encodeSignalEvent:value:", "v@:@Q"),
    COMMIT("commit", "v@:"),
    STATUS("status", "Q@:"),
    ERROR("error", "@@:"),

    SET_PIPELINE("setComputePipelineState:", "v@:@"),
    SET_BUFFER("setBuffer:offset:atIndex:", "v@:@QQ"),
    SET_BYTES("setBytes:length:atIndex:", "v@:^vQQ"),
    DISPATCH("dispatchThreadgroups:threadsPerThreadgroup:", "v@:{?=QQQ}{?=QQQ}"),
    END_ENCODING("endEncoding", "v@:"),

    /** Waits until the event has a value; false after a timeout in milliseconds. macOS 12 and newer. */
    WAIT("waitUntilSignaledValue:timeoutMS:", "B@:QQ");

    private final String text;
    private final String types;

    Selector(String text, String types) {
        this.text = text;
        this.types = types;
    }

    /** The name in Objective-C. */
    String text() {
        return text;
    }

    /** The types of result and arguments. */
    Encoding encoding() {
        return Encoding.parse(types);
    }
}

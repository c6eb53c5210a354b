package io.hearth.accel.metal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/** Strings and errors of Apple's Foundation, within an autorelease pool. */
final class Foundation {
    private static final long TEXT_BYTES_MAX = 1 << 20;
    private static final int SHOWN_MAX = 2000;

    private final Messages messages;
    private final long stringClass;

    Foundation(ObjectiveC runtime, Messages messages) throws MetalException {
        this.messages = messages;
        stringClass = runtime.classNamed("NSString");
    }

    /** An NSString that lives until the pool is popped. */
    long string(String text) throws MetalException {
        try (var arena = Arena.ofConfined()) {
            return messages.ask(
                    stringClass, Selector.STRING, arena.allocateFrom(text).address());
        }
    }

    /** The characters of an NSString; empty for nil. */
    String text(long string) throws MetalException {
        if (string == 0) {
            return "";
        }
        return ObjectiveC.text(MemorySegment.ofAddress(messages.ask(string, Selector.UTF8)), TEXT_BYTES_MAX);
    }

    /** Description and code of an NSError in one line of limited length. */
    String error(long error) throws MetalException {
        if (error == 0) {
            return "no reason given";
        }
        String text = text(messages.ask(error, Selector.DESCRIPTION)).strip().replaceAll("\\s+", " ");
        String shown = text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + " …" : text;
        return shown + " (code " + code(error) + ")";
    }

    /** The code of an NSError; 0 for nil. */
    long code(long error) throws MetalException {
        return error == 0 ? 0 : messages.ask(error, Selector.CODE);
    }

    /** Room for the address of an NSError, nil at first. */
    static MemorySegment errorPointer(SegmentAllocator allocator) {
        return allocator.allocateFrom(ValueLayout.JAVA_LONG, 0);
    }

    static long errorBehind(MemorySegment pointer) {
        return pointer.get(ValueLayout.JAVA_LONG, 0);
    }
}

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
    private final MemorySegment stringClass;

    Foundation(ObjectiveC runtime, Messages messages) throws MetalException {
        this.messages = messages;
        stringClass = runtime.classNamed("NSString");
    }

    /** An NSString that lives until the pool is popped. */
    MemorySegment string(String text) throws MetalException {
        try (var arena = Arena.ofConfined()) {
            return messages.objectOfText(stringClass, Selector.STRING, arena.allocateFrom(text));
        }
    }

    /** The characters of an NSString; empty for nil. */
    String text(MemorySegment string) throws MetalException {
        return string.address() == 0 ? "" : ObjectiveC.text(messages.text(string, Selector.UTF8), TEXT_BYTES_MAX);
    }

    /** Description and code of an NSError, in one line that a log can bear. */
    String error(MemorySegment error) throws MetalException {
        if (error.address() == 0) {
            return "no reason given";
        }
        String text = text(messages.object(error, Selector.DESCRIPTION)).strip().replaceAll("\\s+", " ");
        String shown = text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + " …" : text;
        return shown + " (code " + code(error) + ")";
    }

    /** 0 for nil. */
    long code(MemorySegment error) throws MetalException {
        return error.address() == 0 ? 0 : messages.signedNumber(error, Selector.CODE);
    }

    /** Room for the address of an NSError, nil at first. */
    static MemorySegment errorPointer(SegmentAllocator allocator) {
        return allocator.allocateFrom(ValueLayout.ADDRESS, MemorySegment.NULL);
    }

    static MemorySegment errorBehind(MemorySegment pointer) {
        return pointer.get(ValueLayout.ADDRESS, 0);
    }
}

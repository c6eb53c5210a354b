package io.hearth.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class BuffersTest {
    @Test
    void thePeakIsTheMostThatWasAllocatedAtOnceSinceItWasAsked() {
        try (var buffers = new Buffers()) {
            Buffers.Buffer one = buffers.take(1000);
            Buffers.Buffer two = buffers.take(3000);
            Buffers.Buffer three = buffers.take(7000);
            buffers.give(one);
            buffers.give(two);
            assertEquals(11_000, buffers.takePeakBytes());
            buffers.give(three); // the spare one of 1000 goes
            Buffers.Buffer again = buffers.take(2900); // of the spare 3000
            assertEquals(11_000, buffers.takePeakBytes(), "held when it was asked before");
            assertEquals(10_000, buffers.takePeakBytes());
            buffers.give(again);
        }
    }

    @Test
    void nothingIsHeldOnceItIsClosed() {
        var buffers = new Buffers();
        buffers.give(buffers.take(1000));
        buffers.close();
        buffers.takePeakBytes();
        assertEquals(0, buffers.takePeakBytes());
    }
}

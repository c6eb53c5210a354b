package io.hearth.collective.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What a member learns of links and codecs from the sums that it takes part in. */
final class SumHistoryTest {
    private static final SumModel MODEL = new SumModel(1000);
    private static final CodecCost INT8 = new CodecCost(true, 1, 0.3, 0.1, 0.2);
    private static final CodecCost DEAR = new CodecCost(false, 0.03, 5, 0.1, 0.2);
    private static final long COUNT = 1 << 20;

    private final SumHistory history = new SumHistory(MODEL);

    private void plain(double nanosPerByte) {
        history.plainTook(2, COUNT, Math.round(COUNT * 4 * nanosPerByte));
    }

    private void encoded(CodecCost cost, double nanosPerByte, double ratio) {
        double nanos = MODEL.encodedNanos(cost, 2, COUNT, nanosPerByte) * ratio;
        history.encodedTook("codec", cost, 2, COUNT, Math.round(nanos));
    }

    @Test
    void nothingSeenNothingKnown() {
        assertTrue(Double.isNaN(history.nanosPerByte()));
        assertTrue(Double.isNaN(history.ratio("codec")));
        encoded(INT8, 8, 1);
        assertTrue(Double.isNaN(history.nanosPerByte()), "a codec's sum alone says too little");
        history.plainTook(1, COUNT, 1000);
        assertTrue(Double.isNaN(history.nanosPerByte()), "alone there is no link");
    }

    /** The first sum opens streams, later ones wait for slow members. */
    @Test
    void whatDelaysASumIsNotTheLink() {
        plain(500);
        plain(8);
        plain(90);
        assertEquals(8, history.nanosPerByte(), 0.01);
    }

    @Test
    void aSlowerLinkIsSeenOnceTheFastSumsAreForgotten() {
        plain(8);
        for (int i = 0; i < SlidingMinimum.WINDOW; i++) {
            plain(80);
        }
        assertEquals(80, history.nanosPerByte(), 0.1);
    }

    @Test
    void whatACodecTakesMoreThanPredictedIsPutDownToIt() {
        plain(8);
        encoded(INT8, 8, 3);
        encoded(INT8, 8, 2);
        assertEquals(2, history.ratio("codec"), 0.01);
        assertEquals(8, history.nanosPerByte(), 0.01);
        assertTrue(Double.isNaN(history.ratio("another")));
    }

    /** Int8 is bound by this link: once it is known, what changes is the link. */
    @Test
    void aLinkThatBecomesSlowerIsSeenWithACodecToo() {
        plain(8);
        for (int i = 0; i < SlidingMinimum.WINDOW; i++) {
            encoded(INT8, 8, 2);
        }
        for (int i = 0; i < SlidingMinimum.WINDOW; i++) {
            encoded(INT8, 80, 2);
        }
        assertEquals(80, history.nanosPerByte(), 1);
        assertTrue(Double.isNaN(history.ratio("codec")), "what was seen of it belongs to another link");
    }

    @Test
    void whereTheProcessorLimitsTheCodecIsToBlame() {
        plain(8);
        for (int i = 0; i < 2 * SlidingMinimum.WINDOW; i++) {
            encoded(DEAR, 8, i < SlidingMinimum.WINDOW ? 1 : 4);
        }
        assertEquals(4, history.ratio("codec"), 0.01);
        assertEquals(8, history.nanosPerByte(), 0.01);
    }

    /** So many bytes in that time: the link cannot be as slow as it was. */
    @Test
    void aFasterLinkIsSeenWithACodecToo() {
        plain(100);
        encoded(INT8, 1, 1);
        assertTrue(history.nanosPerByte() < 2, "" + history.nanosPerByte());
    }
}

package io.hearth.collective.choice;

import java.util.HashMap;
import java.util.Map;

/**
 * What one member saw of real sums: how long its group takes for a byte, and how far each codec is from what the model says of it.
 *
 * <p>A sum begins when its last member comes; those who come earlier see a longer one. So of all that were seen lately the shortest
 * counts, and among members again the shortest.
 */
public final class SumHistory {
    /** A codec's own figures hold for links like those that they were seen with. */
    private static final double ALIKE = 1.5;

    private static final double RATIO_MIN = 0.1;
    private static final double RATIO_MAX = 20;
    private static final double NANOS_PER_BYTE_MIN = 1e-3;

    private final SumModel model;
    private SlidingMinimum link = new SlidingMinimum();
    private final Map<String, Seen> codecs = new HashMap<>();

    /** Nothing seen yet. */
    public SumHistory(SumModel model) {
        this.model = model;
    }

    /** Of one codec, with a link of that speed. */
    private static final class Seen {
        private final SlidingMinimum ratio = new SlidingMinimum();
        private final double nanosPerByte;

        Seen(double nanosPerByte) {
            this.nanosPerByte = nanosPerByte;
        }
    }

    /**
     * A sum of values as they are.
     *
     * @param world number of members, 1 or more
     * @param count of values
     * @param nanos that it took here
     */
    public void plainTook(int world, long count, long nanos) {
        double bytes = SumModel.plainBytes(world, count);
        if (bytes > 0) {
            link.add(Math.max(NANOS_PER_BYTE_MIN, nanos / bytes));
        }
    }

    /**
     * A sum of encodings; other arguments as in {@link #plainTook}.
     *
     * <p>While a codec is new, what differs from the prediction is put down to the codec. Later it is put down to the link where that has
     * the larger part.
     *
     * @param codec its name
     */
    public void encodedTook(String codec, CodecCost cost, int world, long count, long nanos) {
        double known = nanosPerByte();
        double bytes = SumModel.encodedBytes(cost, world, count);
        if (Double.isNaN(known) || bytes <= 0) {
            return;
        }
        double atMost = nanos / bytes; // the link is not slower than that
        if (atMost < known) {
            link = new SlidingMinimum();
            link.add(Math.max(NANOS_PER_BYTE_MIN, atMost));
            known = nanosPerByte();
        }
        double linkNanosPerByte = known;
        Seen seen = codecs.compute(
                codec,
                (_, before) -> before == null || !isAlike(before.nanosPerByte, linkNanosPerByte)
                        ? new Seen(linkNanosPerByte)
                        : before);
        double processor = model.processorNanos(cost, world, count);
        double wire = model.wireNanos(cost, world, count, known);
        if (seen.ratio.isFull() && wire > processor) {
            double latency = model.wireNanos(cost, world, count, 0);
            double sample = (nanos / seen.ratio.get() - processor - latency) / bytes;
            link.add(Math.max(NANOS_PER_BYTE_MIN, sample));
        } else {
            seen.ratio.add(Math.clamp(nanos / (processor + wire), RATIO_MIN, RATIO_MAX));
        }
    }

    /** Nanoseconds of a byte through one port; NaN while that is not known. */
    public double nanosPerByte() {
        return link.get();
    }

    /** By how much sums with a codec took longer than predicted; NaN where it was not seen with a link like the present one. */
    public double ratio(String codec) {
        Seen seen = codecs.get(codec);
        return seen == null || !isAlike(seen.nanosPerByte, nanosPerByte()) ? Double.NaN : seen.ratio.get();
    }

    private static boolean isAlike(double one, double other) {
        return one <= other * ALIKE && other <= one * ALIKE;
    }
}

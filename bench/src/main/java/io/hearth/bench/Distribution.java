package io.hearth.bench;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/** The distribution of the values of a gradient. The values depend on a seed only. */
public enum Distribution {
    /** Standard normal. */
    NORMAL("normal") {
        @Override
        double draw(SplittableRandom random) {
            return random.nextGaussian();
        }
    },
    /** Student's t with 3 degrees of freedom: it has rare large values, as real gradients have. */
    STUDENT_T3("student-t3") {
        @Override
        double draw(SplittableRandom random) {
            double a = random.nextGaussian();
            double b = random.nextGaussian();
            double c = random.nextGaussian();
            return random.nextGaussian() / Math.sqrt((a * a + b * b + c * c) / 3);
        }
    };

    static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final String text;

    Distribution(String text) {
        this.text = text;
    }

    /** Its name in results. */
    public String text() {
        return text;
    }

    abstract double draw(SplittableRandom random);

    /** Fills {@code values} with float32; the same seed gives the same values. */
    void fill(MemorySegment values, long seed) {
        var random = new SplittableRandom(seed);
        for (long at = 0; at < values.byteSize(); at += Float.BYTES) {
            values.set(FLOAT, at, (float) draw(random));
        }
    }
}

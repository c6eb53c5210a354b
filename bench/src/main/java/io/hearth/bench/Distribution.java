package io.hearth.bench;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/** How the values of a gradient are spread: all that they are made of is a seed. */
public enum Distribution {
    /** Standard normal. */
    NORMAL("normal") {
        @Override
        double draw(SplittableRandom random) {
            return random.nextGaussian();
        }
    },
    /** Student's t with 3 degrees of freedom: rare values are large ones, as in real gradients. */
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

    /** Fills all of {@code values}, float32, in the same way for the same seed. */
    void fill(MemorySegment values, long seed) {
        var random = new SplittableRandom(seed);
        for (long at = 0; at < values.byteSize(); at += Float.BYTES) {
            values.set(FLOAT, at, (float) draw(random));
        }
    }
}

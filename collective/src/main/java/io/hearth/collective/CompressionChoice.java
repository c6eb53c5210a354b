package io.hearth.collective;

import java.util.Locale;

/**
 * The choice of {@code auto} compression for sums of one size.
 *
 * @param asked text of the compression that chose
 * @param bytes of the tensor
 * @param world number of members
 * @param chosen text of the compression that is used
 * @param nanos expected time of such a sum
 * @param plainNanos the same without compression
 */
public record CompressionChoice(String asked, long bytes, int world, String chosen, double nanos, double plainNanos) {
    /** Expected speed-up of the sum over one without compression, as a factor. */
    public double gain() {
        return plainNanos / nanos;
    }

    /** One phrase for messages. */
    public String text() {
        return String.format(
                Locale.ROOT,
                "sums of about %.1f MiB among %d go as %s: %.1f ms expected, plain %.1f ms",
                bytes / (double) (1 << 20),
                world,
                chosen,
                nanos / 1e6,
                plainNanos / 1e6);
    }
}

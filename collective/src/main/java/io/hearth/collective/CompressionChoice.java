package io.hearth.collective;

import java.util.Locale;

/**
 * What {@code auto} compression came to for sums of one size.
 *
 * @param asked text of the compression that chose
 * @param bytes of the tensor when it was chosen; sums of up to twice and half as much share the choice
 * @param world number of members
 * @param chosen text of the compression that is used
 * @param nanos that such a sum is predicted to take; NaN while nothing is known
 * @param plainNanos the same without compression
 * @param nanosPerByte that the link was seen to take; NaN while not known
 */
public record CompressionChoice(
        String asked, long bytes, int world, String chosen, double nanos, double plainNanos, double nanosPerByte) {
    /** How many times as fast as without compression the sum is predicted to be; 1 while nothing is known. */
    public double gain() {
        return Double.isNaN(nanos) || nanos <= 0 ? 1 : plainNanos / nanos;
    }

    /** For people: one phrase. */
    public String text() {
        String what = String.format(
                Locale.ROOT, "sums of about %.1f MiB among %d go as %s", bytes / (double) (1 << 20), world, chosen);
        return Double.isNaN(nanos)
                ? what + " until links were measured"
                : String.format(
                        Locale.ROOT,
                        "%s: %.1f ms predicted, plain %.1f ms at %.2f Gbit/s",
                        what,
                        nanos / 1e6,
                        plainNanos / 1e6,
                        Byte.SIZE / nanosPerByte);
    }
}

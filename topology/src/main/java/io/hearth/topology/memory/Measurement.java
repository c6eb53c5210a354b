package io.hearth.topology.memory;

import io.hearth.identity.PeerId;
import io.hearth.topology.PathProfile;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The latest measurement of the path to an address of another machine. All nodes of that machine share it, and its ports do not count: they
 * change with each link.
 *
 * @param machine at the other end
 * @param address of the other end without a port, as the Java library writes it
 * @param roundTripNanos smoothed round-trip time, above 0
 * @param outward throughput to the other end in bytes per second, above 0; empty if it was never measured
 * @param inward throughput from the other end in bytes per second, above 0; empty if it was never measured
 * @param lossPermille lost packets per thousand; empty if it was never measured
 * @param measuredNanos monotonic time on the clock of this process, with the meaning of {@link PathProfile#measuredNanos}; before a restart
 *     it may be below the clock's first value
 */
public record Measurement(
        PeerId machine,
        String address,
        long roundTripNanos,
        OptionalLong outward,
        OptionalLong inward,
        OptionalInt lossPermille,
        long measuredNanos) {
    /** Most characters of an address: IPv6 with a zone. */
    public static final int ADDRESS_CHARACTERS_MAX = 64;

    public Measurement {
        if (address.isEmpty()
                || address.length() > ADDRESS_CHARACTERS_MAX
                || !address.chars().allMatch(each -> each > ' ' && each <= '~')) {
            throw new IllegalArgumentException(
                    "an address must have 1 to " + ADDRESS_CHARACTERS_MAX + " printable characters without blanks");
        }
        if (roundTripNanos < 1 || outward.orElse(1) < 1 || inward.orElse(1) < 1) {
            throw new IllegalArgumentException("round trip and throughput must be above 0, got " + roundTripNanos
                    + " ns, " + outward + " and " + inward + " B/s");
        }
        if (lossPermille.orElse(0) < 0 || lossPermille.orElse(0) > PathProfile.LOSS_PERMILLE_MAX) {
            throw new IllegalArgumentException("loss must be 0 to " + PathProfile.LOSS_PERMILLE_MAX
                    + " per thousand, got " + lossPermille.orElse(0));
        }
    }

    /**
     * What to keep of this measurement and a former one of the same path, perhaps of another node on the same machine. Round trips never
     * replace a throughput, and an older throughput never replaces a newer one.
     */
    Measurement after(Measurement former) {
        boolean isLess = isOnlyRoundTrip() && !former.isOnlyRoundTrip();
        boolean isOlder = !isOnlyRoundTrip() && measuredNanos - former.measuredNanos < 0 && !former.isOnlyRoundTrip();
        return isLess || isOlder
                ? new Measurement(
                        machine,
                        address,
                        roundTripNanos,
                        former.outward,
                        former.inward,
                        former.lossPermille,
                        former.measuredNanos)
                : this;
    }

    /** Whether it holds more than the former one, or other values, so that it is worth a write. Round trips alone are not. */
    boolean isNews(Measurement former) {
        return !outward.equals(former.outward)
                || !inward.equals(former.inward)
                || !lossPermille.equals(former.lossPermille)
                || (!isOnlyRoundTrip() && measuredNanos != former.measuredNanos);
    }

    private boolean isOnlyRoundTrip() {
        return outward.isEmpty() && inward.isEmpty() && lossPermille.isEmpty();
    }
}

package io.hearth.transport;

/**
 * What may happen before admission. Unknown addresses get half of {@code openMax}, {@code perSecond} and {@code burst};
 * addresses of members seen before may use all of it.
 *
 * @param perAddressMax connections in their handshake from one address (IPv6: one /64)
 * @param perLoopbackMax the same for addresses of this machine
 * @param openMax connections in their handshake in all
 * @param perSecond handshakes that may start per second in the long run
 * @param burst handshakes that may start at once after a quiet time
 * @param rememberedMax addresses to remember; the one unused for longest makes room
 */
public record GateLimits(
        int perAddressMax, int perLoopbackMax, int openMax, int perSecond, int burst, int rememberedMax) {
    /** What a home needs: some dozen machines that start together, and a flood that costs a tenth of a core. */
    public static final GateLimits DEFAULT = new GateLimits(4, 16, 32, 20, 40, 1024);

    public GateLimits {
        if (perAddressMax < 1 || perLoopbackMax < 1 || openMax < 2 || perSecond < 2 || burst < 2 || rememberedMax < 1) {
            throw new IllegalArgumentException("need at least 1 per address and 2 in all, got " + perAddressMax + ", "
                    + perLoopbackMax + ", " + openMax + ", " + perSecond + ", " + burst + ", " + rememberedMax);
        }
    }
}

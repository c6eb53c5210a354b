package io.hearth.transport;

/**
 * Limits for connections before their admission. Unknown addresses get half of {@code openMax}, {@code perSecond} and {@code burst};
 * addresses of members seen before may use all of it.
 *
 * @param perAddressMax connections in their handshake from one address (IPv6: one /64)
 * @param perLoopbackMax the same limit for addresses of this machine
 * @param openMax connections in their handshake in all
 * @param perSecond handshakes that may start per second in the long run
 * @param burst handshakes that may start at once after a time without any
 * @param rememberedMax addresses to remember; a new one replaces the least recently used one
 */
public record GateLimits(
        int perAddressMax, int perLoopbackMax, int openMax, int perSecond, int burst, int rememberedMax) {
    /** Limits for a home: a few dozen machines may start together, and a flood costs a tenth of a core. */
    public static final GateLimits DEFAULT = new GateLimits(4, 16, 32, 20, 40, 1024);

    public GateLimits {
        if (perAddressMax < 1 || perLoopbackMax < 1 || openMax < 2 || perSecond < 2 || burst < 2 || rememberedMax < 1) {
            throw new IllegalArgumentException("need at least 1 per address and 2 in all, got " + perAddressMax + ", "
                    + perLoopbackMax + ", " + openMax + ", " + perSecond + ", " + burst + ", " + rememberedMax);
        }
    }
}

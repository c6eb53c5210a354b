package io.hearth.discovery.mdns.machine;

import io.hearth.core.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decides by source and time which datagrams are read, so that a flood costs little more than receiving it.
 *
 * <p>A source has a burst of {@value #SOURCE_BURST} and {@value #SOURCE_PER_SECOND} a second: many times what all nodes of a machine send
 * when a cluster starts. So a flood from one address does not affect the others. All sources together have a burst of {@value #ALL_BURST}
 * and {@value #ALL_PER_SECOND} a second, even if a flood forges its source addresses. A node that starts sends some ten packets in two
 * seconds, answers queries as well, and needs one packet to pass.
 *
 * <p>A wake-up for each datagram costs more than reading it. After {@value #WAKES_PER_SECOND} wake-ups a second the reader must pause; then
 * it finds many datagrams at once. Above {@value #RECEIVED_PER_SECOND} datagrams a second even reading costs too much. Then the reader must
 * pause before the buffer is empty, so that the system drops datagrams. So a flood of any rate costs a known share of a core.
 *
 * <p>The table holds {@value #SOURCES_MAX} sources; a new one replaces the one heard longest ago.
 */
public final class MdnsGate {
    static final int SOURCES_MAX = 512;
    static final int SOURCE_BURST = 256;
    static final int SOURCE_PER_SECOND = 100;
    static final int ALL_BURST = 2_000;
    static final int ALL_PER_SECOND = 1_000;
    static final int RECEIVED_PER_SECOND = 5_000;
    static final int WAKES_PER_SECOND = 50;
    private static final int WAKES_BURST = 250;

    private final boolean isShared;
    private final TokenBucket all;
    private final TokenBucket received;
    private final TokenBucket wakes;
    private final Map<Bytes, TokenBucket> sources = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Bytes, TokenBucket> eldest) {
            return size() > SOURCES_MAX;
        }
    };

    /** @param isShared whether all nodes have one address, as on the loopback interface; then only the limit of all sources applies */
    public MdnsGate(boolean isShared, long nowNanos) {
        this.isShared = isShared;
        this.all = new TokenBucket(ALL_BURST, ALL_PER_SECOND, nowNanos);
        this.received = new TokenBucket(RECEIVED_PER_SECOND, RECEIVED_PER_SECOND, nowNanos);
        this.wakes = new TokenBucket(WAKES_BURST, WAKES_PER_SECOND, nowNanos);
    }

    public boolean admits(Bytes source, long nowNanos) {
        return (isShared
                        || sources.computeIfAbsent(
                                        source, _ -> new TokenBucket(SOURCE_BURST, SOURCE_PER_SECOND, nowNanos))
                                .take(nowNanos))
                && all.take(nowNanos);
    }

    /**
     * Counts a datagram. Returns true if the reader must pause before it reads the next one.
     *
     * @param woken whether the reader had waited for this datagram
     */
    public boolean isOverrun(boolean woken, long nowNanos) {
        boolean isFull = !received.take(nowNanos);
        return (woken && !wakes.take(nowNanos)) || isFull;
    }

    int sources() {
        return sources.size();
    }
}

package io.hearth.discovery.mdns.machine;

import io.hearth.core.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decides which datagrams are worth reading, from their source and the time alone, so that a flood costs little more than its receiving.
 *
 * <p>A source has a burst of {@value #SOURCE_BURST} and {@value #SOURCE_PER_SECOND} a second: many times what all nodes of a machine
 * send when a cluster starts. So a flood from one address takes nothing from the others. All sources together have a burst of
 * {@value #ALL_BURST} and {@value #ALL_PER_SECOND} a second, whatever addresses a flood pretends to come from. A node that starts sends
 * some ten packets in two seconds, answers queries beside, and needs one to pass.
 *
 * <p>To be woken for each datagram costs more than to read it. After {@value #WAKES_PER_SECOND} wakes a second the reader is to pause, and
 * then finds many at once. Above {@value #RECEIVED_PER_SECOND} datagrams a second even the reading costs too much: then it is to pause
 * before the buffer is empty, so that the system drops what finds no room. So a flood of whatever rate costs a known share of a core.
 *
 * <p>The table of sources holds {@value #SOURCES_MAX}; the one heard longest ago makes room. Pure: time comes in as an argument.
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

    /** @param isShared all nodes have one address, as on the loopback interface: then only the limit of all holds */
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
     * Counts a datagram; whether the reader is to pause before it reads the next.
     *
     * @param woken the reader had waited for this datagram
     */
    public boolean isOverrun(boolean woken, long nowNanos) {
        boolean isFull = !received.take(nowNanos);
        return (woken && !wakes.take(nowNanos)) || isFull;
    }

    int sources() {
        return sources.size();
    }
}

package io.hearth.discovery;

import io.hearth.core.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decides which datagrams are worth reading, from their source and the time alone, so that a flood costs little more than its receiving.
 *
 * <p>A source has a burst of {@value #SOURCE_BURST} and {@value #SOURCE_PER_SECOND} a second: many times what all nodes of a machine
 * send when a cluster starts. So a flood from one address takes nothing from the others. All sources together have
 * {@value #ALL_PER_SECOND} a second, whatever addresses a flood pretends to come from. A node that starts sends some ten packets in two
 * seconds, answers every query beside, and needs one to pass.
 *
 * <p>The table of sources holds {@value #SOURCES_MAX}; the one heard longest ago makes room. Pure: time comes in as an argument.
 */
final class MdnsGate {
    static final int SOURCES_MAX = 512;
    static final int SOURCE_BURST = 256;
    static final int SOURCE_PER_SECOND = 100;
    static final int ALL_PER_SECOND = 3_000;

    private final boolean isShared;
    private final TokenBucket all;
    private final Map<Bytes, TokenBucket> sources = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Bytes, TokenBucket> eldest) {
            return size() > SOURCES_MAX;
        }
    };

    /** @param isShared all nodes have one address, as on the loopback interface: then only the limit of all holds */
    MdnsGate(boolean isShared, long nowNanos) {
        this.isShared = isShared;
        this.all = new TokenBucket(ALL_PER_SECOND, ALL_PER_SECOND, nowNanos);
    }

    boolean admits(Bytes source, long nowNanos) {
        return (isShared
                        || sources.computeIfAbsent(
                                        source, _ -> new TokenBucket(SOURCE_BURST, SOURCE_PER_SECOND, nowNanos))
                                .take(nowNanos))
                && all.take(nowNanos);
    }

    int sources() {
        return sources.size();
    }
}

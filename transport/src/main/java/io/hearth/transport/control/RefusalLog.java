package io.hearth.transport.control;

import io.hearth.core.Clock;
import io.hearth.identity.PeerId;
import io.hearth.transport.LinkRejection;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs rejected connections, at most one line per cause and minute, for causes that the observer does not report. Event loop only. */
final class RefusalLog {
    private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);
    private static final long QUIET_NANOS = 60_000_000_000L;

    private record Last(long loggedNanos, long since) {}

    private final Map<LinkRejection, Last> lasts = new EnumMap<>(LinkRejection.class);
    private final Clock clock;

    RefusalLog(Clock clock) {
        this.clock = clock;
    }

    void log(InetSocketAddress address, boolean dialed, Optional<PeerId> peer, LinkRejection refusal, String why) {
        boolean isEnding = dialed
                && refusal == LinkRejection.HUNG_UP; // as when the peer's process ends; the dialling side retries
        if (isEnding || refusal == LinkRejection.DUPLICATE || refusal.tellsOfPeer()) {
            LOG.debug("refused cause={} address={} reason={}", refusal, address, why);
        } else {
            seldom(address, peer, refusal, why);
        }
    }

    /** Logs a rejected connection that the observer does not report, for any cause. */
    void seldom(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String why) {
        long nowNanos = clock.nanoTime();
        @Nullable Last last = lasts.get(refusal);
        if (last != null && nowNanos - last.loggedNanos() < QUIET_NANOS) {
            lasts.put(refusal, new Last(last.loggedNanos(), last.since() + 1));
            return;
        }
        lasts.put(refusal, new Last(nowNanos, 0));
        LOG.info(
                "refused cause={} address={} peer={} unloggedSince={} reason={}",
                refusal,
                address,
                peer.map(PeerId::shortText).orElse("unknown"),
                last == null ? 0 : last.since(),
                why);
    }
}

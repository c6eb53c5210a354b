package io.hearth.discovery.mdns;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.Clock;
import io.hearth.discovery.mdns.machine.TagEncoding;
import io.hearth.discovery.mdns.machine.TagKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** Bugs of this code in the mDNS path: one of an interface restarts its instance, one of the source's thread ends the node. */
final class MdnsFaultsTest {
    private static final long SECOND = 1_000_000_000L;

    private final TagEncoding tags = Keys.codec("home");
    private long nowNanos = 5 * SECOND;

    private final Clock hand = new Clock() {
        @Override
        public long nanoTime() {
            return nowNanos;
        }

        @Override
        public long epochMillis() {
            return 0;
        }
    };

    @Test
    void aFaultOnAnInterfaceIsCountedAndItStartsAgain() {
        var slot = new MdnsSlot(Hearings.loopback(), tags, MdnsOptions.ofPort(51_020), new SecureRandom(), hand);
        tags.use(List.of(new TagKey(2, _ -> {
            throw new IllegalStateException("planted");
        })));
        slot.reannounce();
        assertEquals(List.of(), slot.tick(nowNanos, _ -> false, _ -> {}, () -> {}));
        nowNanos += 7 * SECOND;
        assertEquals(1, slot.counters().restarted());
        assertEquals(
                "a bug, please report it: java.lang.IllegalStateException: planted",
                slot.counters().restartReason());
        assertEquals(7 * SECOND, slot.counters().sinceRestartNanos());
    }

    @Test
    void whatEndsTheThreadIsToldToTheNode() throws InterruptedException {
        var told = new LinkedBlockingQueue<Throwable>();
        var broken = new MdnsSource(
                tags,
                MdnsOptions.ofPort(51_021),
                new InterfaceMonitor(() -> {
                    throw new IllegalStateException("planted");
                }),
                hand,
                () -> {},
                told::add);
        broken.start(_ -> {});
        assertEquals("planted", told.take().getMessage());
        broken.awaitGone(Duration.ofSeconds(15));
    }
}

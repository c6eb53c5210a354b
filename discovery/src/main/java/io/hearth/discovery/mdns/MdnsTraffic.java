package io.hearth.discovery.mdns;

import java.util.concurrent.atomic.AtomicLong;

/** Live counters of one interface, written by JmDNS's threads and the source's thread, read by any thread. */
final class MdnsTraffic {
    final AtomicLong sent = new AtomicLong();
    final AtomicLong sendFailures = new AtomicLong();
    final AtomicLong recordsHeard = new AtomicLong();
    final AtomicLong foreign = new AtomicLong();
    final AtomicLong members = new AtomicLong();
    final AtomicLong dropped = new AtomicLong();
    private final AtomicLong restarted = new AtomicLong();
    private volatile Restart lastRestart = new Restart(0, ""); // written by the source's thread, read by snapshot()
    private volatile String lastFailure = ""; // written by JmDNS's timer thread, read by snapshot()

    private record Restart(long nanos, String why) {}

    void failed(String why) {
        lastFailure = why;
        sendFailures.incrementAndGet();
    }

    void restarted(long nowNanos, String why) {
        lastRestart = new Restart(nowNanos, why);
        restarted.incrementAndGet();
    }

    MdnsCounters snapshot(String interfaceName, String address, long nowNanos) {
        long strangers = foreign.get();
        long friends = members.get();
        long restarts = restarted.get(); // read before the latest restart
        Restart latest = lastRestart;
        return new MdnsCounters(
                interfaceName,
                address,
                sent.get(),
                sendFailures.get(),
                lastFailure,
                recordsHeard.get(),
                dropped.get(),
                strangers + friends,
                strangers,
                friends,
                restarts,
                latest.why(),
                restarts == 0 ? 0 : nowNanos - latest.nanos());
    }
}

package io.hearth.discovery;

import java.util.concurrent.atomic.AtomicLong;

/** Live counters of one interface: written by JmDNS's threads and the source's own, read by whoever asks. */
final class MdnsTraffic {
    final AtomicLong sent = new AtomicLong();
    final AtomicLong sendFailures = new AtomicLong();
    final AtomicLong recordsHeard = new AtomicLong();
    final AtomicLong foreign = new AtomicLong();
    final AtomicLong members = new AtomicLong();
    final AtomicLong recycled = new AtomicLong();
    private volatile String lastFailure = ""; // written by JmDNS's timer thread, read by snapshot()

    void failed(String why) {
        lastFailure = why;
        sendFailures.incrementAndGet();
    }

    MdnsCounters snapshot(String interfaceName, String address) {
        long strangers = foreign.get();
        long friends = members.get();
        return new MdnsCounters(
                interfaceName,
                address,
                sent.get(),
                sendFailures.get(),
                lastFailure,
                recordsHeard.get(),
                strangers + friends,
                strangers,
                friends,
                recycled.get());
    }
}

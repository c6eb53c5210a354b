package io.hearth.discovery;

import java.io.IOException;
import java.net.InetAddress;
import javax.jmdns.impl.DNSOutgoing;
import javax.jmdns.impl.DNSRecord;
import javax.jmdns.impl.JmDNSImpl;

/**
 * JmDNS with an owner: it counts, and when its socket breaks it says so instead of trying to mend itself. JmDNS's own
 * recovery leaves instances that look alive and are not; the owner opens a new one.
 */
final class MeteredJmdns extends JmDNSImpl {
    private final MdnsTraffic traffic;
    private final Runnable broken;

    /**
     * @param address of the interface to use; its host name is set, so that JmDNS asks no resolver for it
     * @param hostName label that stands for this machine in its records
     * @param broken called on JmDNS's threads, maybe often, once the instance is of no use; before the constructor ends even
     */
    MeteredJmdns(InetAddress address, String hostName, MdnsTraffic traffic, Runnable broken) throws IOException {
        this.traffic = traffic;
        this.broken = broken;
        super(address, hostName);
    }

    /** Never throws: a failure would make JmDNS recover, with a stack trace for each packet. */
    @Override
    public void send(DNSOutgoing out) {
        try {
            super.send(out);
            traffic.sent.incrementAndGet();
        } catch (IOException refused) {
            traffic.failed(String.valueOf(refused.getMessage()));
            broken.run();
        }
    }

    @Override
    public void updateRecord(long nowMillis, DNSRecord record, Operation operation) {
        traffic.recordsHeard.incrementAndGet();
        super.updateRecord(nowMillis, record, operation);
    }

    @Override
    public void recover() {
        broken.run();
    }
}

package io.hearth.discovery.mdns;

import java.io.IOException;
import java.net.InetAddress;
import java.net.MulticastSocket;
import java.util.List;
import java.util.function.Consumer;
import javax.jmdns.ServiceInfo;
import javax.jmdns.impl.DNSIncoming;
import javax.jmdns.impl.DNSOutgoing;
import javax.jmdns.impl.DNSRecord;
import javax.jmdns.impl.JmDNSImpl;
import javax.jmdns.impl.ServiceInfoImpl;
import javax.jmdns.impl.constants.DNSRecordClass;
import javax.jmdns.impl.constants.DNSRecordType;
import org.jspecify.annotations.Nullable;

/**
 * JmDNS with counters and without recovery. It receives only the packets that a {@link SiftedSocket} lets through. When its socket or its
 * listener fails, it reports that to its owner, which opens a new instance. JmDNS's own recovery leaves instances that look alive and are
 * not.
 *
 * <p>It has one {@link FastProbeStarter} for its life. JmDNS keeps its starters in a map of the whole JVM. When a packet reaches an
 * instance that has just closed, that map makes another starter with two threads that never end.
 */
final class MeteredJmdns extends JmDNSImpl {
    private final MdnsTraffic traffic;
    private final Consumer<String> broken;
    private final SiftedSocket sifted;
    private volatile boolean ended; // written by whoever closes it; JmDNS's own state may stay on its way to closed
    private @Nullable FastProbeStarter starter; // made by the constructor of JmDNS, which starts the prober

    /**
     * @param address of the interface to use; its host name is set, so that JmDNS asks no resolver for it
     * @param hostName label of this machine in its records
     * @param listener gets all datagrams
     * @param broken called with the reason when the instance no longer works; on JmDNS's threads, maybe often, even before the constructor
     *     returns
     */
    MeteredJmdns(
            InetAddress address, String hostName, MdnsTraffic traffic, MdnsListener listener, Consumer<String> broken)
            throws IOException {
        this.traffic = traffic;
        this.broken = broken;
        this.sifted = new SiftedSocket(listener, traffic, broken);
        super(address, hostName);
    }

    /** Never throws: a failure would make JmDNS recover, with a stack trace for each packet. */
    @Override
    public void send(DNSOutgoing out) {
        try {
            complete(out);
            super.send(out);
            traffic.sent.incrementAndGet();
        } catch (IOException refused) {
            traffic.failed(String.valueOf(refused.getMessage()));
            broken.accept("it cannot send: " + refused.getMessage());
        }
    }

    /**
     * Adds the text of a service to a probe for its name, which JmDNS sends without. A probe has all records that the name is wanted for (RFC
     * 6762, section 8.2), so a node that hears it knows this one before its name is announced.
     */
    private void complete(DNSOutgoing out) throws IOException {
        for (DNSRecord claim : List.copyOf(out.getAuthorities())) {
            ServiceInfo service = getServices().get(claim.getKey());
            if (claim.getRecordType() == DNSRecordType.TYPE_SRV && service != null) {
                out.addAuthorativeAnswer(new DNSRecord.Text(
                        claim.getName(), DNSRecordClass.CLASS_IN, false, claim.getTTL(), service.getTextBytes()));
            }
        }
    }

    /** Only JmDNS's listener asks for it. */
    @Override
    public MulticastSocket getSocket() {
        return sifted.of(super.getSocket());
    }

    /** Whether the thread that receives datagrams ended, or never started because the instance was closed at once. */
    boolean isDeaf() {
        return ended || sifted.isDeserted();
    }

    @Override
    public void close() {
        ended = true;
        super.close();
    }

    @Override
    public void recover() {
        broken.accept("its socket failed");
    }

    private synchronized FastProbeStarter starter() {
        if (starter == null) {
            starter = new FastProbeStarter(this);
        }
        return starter;
    }

    @Override
    public void startProber() {
        starter().startProber();
    }

    @Override
    public void startAnnouncer() {
        starter().startAnnouncer();
    }

    @Override
    public void startRenewer() {
        starter().startRenewer();
    }

    @Override
    public void startCanceler() {
        starter().startCanceler();
    }

    @Override
    public void startReaper() {
        starter().startReaper();
    }

    @Override
    public void startServiceInfoResolver(ServiceInfoImpl info) {
        starter().startServiceInfoResolver(info);
    }

    @Override
    public void startTypeResolver() {
        starter().startTypeResolver();
    }

    @Override
    public void startServiceResolver(String type) {
        starter().startServiceResolver(type);
    }

    @Override
    public void startResponder(DNSIncoming in, InetAddress address, int port) {
        starter().startResponder(in, address, port);
    }

    @Override
    public void purgeTimer() {
        starter().purgeTimer();
    }

    @Override
    public void purgeStateTimer() {
        starter().purgeStateTimer();
    }

    @Override
    public void cancelTimer() {
        starter().cancelTimer();
    }

    @Override
    public void cancelStateTimer() {
        starter().cancelStateTimer();
    }
}

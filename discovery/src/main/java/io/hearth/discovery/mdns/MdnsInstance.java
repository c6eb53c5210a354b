package io.hearth.discovery.mdns;

import io.hearth.discovery.mdns.machine.MdnsIdentity;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.function.Consumer;
import javax.jmdns.ServiceInfo;

/** One JmDNS instance on one interface address, from registration to goodbye. */
final class MdnsInstance {
    /** DNS-SD type of Hearth. */
    static final String SERVICE_TYPE = "_hearth._tcp.local.";

    private final MeteredJmdns jmdns;
    private final MdnsListener listener;

    private MdnsInstance(MeteredJmdns jmdns, MdnsListener listener) {
        this.jmdns = jmdns;
        this.listener = listener;
    }

    /**
     * Opens a socket, announces the identity if it is to be announced, and queries for other nodes. Takes about 0.2 s.
     *
     * @param spent called with the reason when the instance no longer works; on threads of JmDNS, maybe often
     * @throws IOException if the address is not one of this machine's, or another program holds UDP port 5353 and does not share it
     */
    static MdnsInstance open(
            MdnsBinding binding,
            MdnsIdentity identity,
            MdnsOptions options,
            MdnsTraffic traffic,
            MdnsListener listener,
            Consumer<String> spent)
            throws IOException {
        var jmdns =
                new MeteredJmdns(local(binding, identity.hostName()), identity.hostName(), traffic, listener, spent);
        var instance = new MdnsInstance(jmdns, listener);
        try {
            instance.query();
            if (options.announces()) {
                jmdns.registerService(ServiceInfo.create(
                        SERVICE_TYPE,
                        identity.serviceName(),
                        options.port(),
                        0,
                        0,
                        identity.advert().txt()));
            }
        } catch (IOException failed) {
            instance.close();
            throw failed;
        }
        return instance;
    }

    /** Sends three queries, for nodes whose answers were lost. */
    void query() {
        jmdns.startServiceResolver(SERVICE_TYPE);
    }

    /** Whether the thread that receives datagrams ended. */
    boolean isDeaf() {
        return jmdns.isDeaf();
    }

    void reportDelayed() {
        listener.reportDelayed();
    }

    void reportAll() {
        listener.reportAll();
    }

    /** Sends a goodbye and closes, on a separate thread: JmDNS takes 2 to 4 s for it, and over 10 s when its interface is gone. */
    Closing close() {
        return new Closing(
                Thread.ofPlatform().daemon().name("hearth-mdns-close").start(jmdns::close));
    }

    /** A goodbye in progress. */
    record Closing(Thread thread) {
        boolean isOver() {
            return !thread.isAlive();
        }

        /** Waits until the sockets are closed, at most for {@code timeout}. */
        void await(Duration timeout) {
            if (thread.getState() == Thread.State.NEW) {
                return; // never started, so there is nothing to wait for
            }
            try {
                thread.join(timeout);
            } catch (InterruptedException impatient) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The address with a host name: without one JmDNS would ask the system's resolver, which can take seconds. */
    private static InetAddress local(MdnsBinding binding, String hostName) throws IOException {
        byte[] raw = InetAddress.ofLiteral(binding.address()).getAddress();
        InetAddress named = InetAddress.getByAddress(hostName, raw);
        if (named instanceof Inet6Address && named.isLinkLocalAddress()) {
            NetworkInterface scope = NetworkInterface.getByName(binding.state().name());
            if (scope == null) {
                throw new SocketException("interface " + binding.state().name() + " is gone");
            }
            return Inet6Address.getByAddress(hostName, raw, scope);
        }
        return named;
    }
}

package io.hearth.transport;

import io.hearth.identity.HearthHome;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Options of a node's links.
 *
 * @param bind address to listen on; the wildcard address for all interfaces
 * @param port to listen on, 0 for any free one
 * @param portsTried number of ports to try from {@code port} on, at least 1; 1 if a person chose the port
 * @param localAddresses the addresses of this machine that links may use, in both directions; empty: all of them
 * @param remoteAddresses the addresses from which this machine may be reached; other connections are closed unread
 * @param policy the owner's decision about nodes that proved the secret
 * @param aesSlow whether AES is slow on this machine, see {@link AesSpeed}
 * @param acceptsStreams whether a port for data streams is opened
 * @param transport transport of data streams, such as shared memory within this machine
 * @param home the folder for the socket of shared-memory streams; empty: a folder of this user among the temporary files
 * @param paths the interfaces over which data streams may go besides that of their link
 * @param limits limits of the links
 */
public record LinkOptions(
        InetAddress bind,
        int port,
        int portsTried,
        Optional<Predicate<InetAddress>> localAddresses,
        Predicate<InetAddress> remoteAddresses,
        AdmissionPolicy policy,
        boolean aesSlow,
        boolean acceptsStreams,
        DataTransport transport,
        Optional<HearthHome> home,
        Paths paths,
        LinkLimits limits) {
    public LinkOptions {
        if (port < 0 || port > 65_535 || portsTried < 1) {
            throw new IllegalArgumentException(
                    "need a port of 0 to 65535 and at least one try, got " + port + " and " + portsTried);
        }
    }

    /** Options for all interfaces. */
    public static LinkOptions anyAddress(int port) {
        return at(new InetSocketAddress(port).getAddress(), port);
    }

    /** Options for this machine only. */
    public static LinkOptions loopback(int port) {
        return at(InetAddress.getLoopbackAddress(), port);
    }

    /** Options for one address of this machine. */
    public static LinkOptions at(InetAddress bind, int port) {
        return new LinkOptions(
                bind,
                port,
                1,
                Optional.empty(),
                _ -> true,
                AdmissionPolicy.BY_SECRET,
                false,
                true,
                DataTransport.AUTO,
                Optional.empty(),
                Paths.NONE,
                LinkLimits.DEFAULT);
    }

    /** These options with another number of ports to try. */
    public LinkOptions portsTried(int count) {
        return with(copy -> copy.portsTried = count);
    }

    /** These options, limited to links from and to these addresses of this machine. */
    public LinkOptions localAddresses(Predicate<InetAddress> usable) {
        return with(copy -> copy.localAddresses = Optional.of(usable));
    }

    /** These options, reachable from those addresses only. */
    public LinkOptions remoteAddresses(Predicate<InetAddress> known) {
        return with(copy -> copy.remoteAddresses = known);
    }

    /** These options with another policy. */
    public LinkOptions policy(AdmissionPolicy admission) {
        return with(copy -> copy.policy = admission);
    }

    /** These options, with slow or fast AES. */
    public LinkOptions aesSlow(boolean slow) {
        return with(copy -> copy.aesSlow = slow);
    }

    /** These options, without a port for data streams: this node opens none. */
    public LinkOptions withoutStreams() {
        return with(copy -> copy.acceptsStreams = false);
    }

    /** These options with another transport of data. */
    public LinkOptions transport(DataTransport way) {
        return with(copy -> copy.transport = way);
    }

    /** These options with the folder of this node's identity. */
    public LinkOptions home(HearthHome folder) {
        return with(copy -> copy.home = Optional.of(folder));
    }

    /** These options, with streams over those interfaces too. */
    public LinkOptions paths(Paths usable) {
        return with(copy -> copy.paths = usable);
    }

    /** These options with other limits. */
    public LinkOptions limits(LinkLimits other) {
        return with(copy -> copy.limits = other);
    }

    private LinkOptions with(Consumer<Values> change) {
        var copy = new Values(this);
        change.accept(copy);
        return new LinkOptions(
                copy.bind,
                copy.port,
                copy.portsTried,
                copy.localAddresses,
                copy.remoteAddresses,
                copy.policy,
                copy.aesSlow,
                copy.acceptsStreams,
                copy.transport,
                copy.home,
                copy.paths,
                copy.limits);
    }

    /** The values of the options; changed only while a copy is made. */
    private static final class Values {
        private InetAddress bind;
        private int port;
        private int portsTried;
        private Optional<Predicate<InetAddress>> localAddresses;
        private Predicate<InetAddress> remoteAddresses;
        private AdmissionPolicy policy;
        private boolean aesSlow;
        private boolean acceptsStreams;
        private DataTransport transport;
        private Optional<HearthHome> home;
        private Paths paths;
        private LinkLimits limits;

        private Values(LinkOptions from) {
            bind = from.bind;
            port = from.port;
            portsTried = from.portsTried;
            localAddresses = from.localAddresses;
            remoteAddresses = from.remoteAddresses;
            policy = from.policy;
            aesSlow = from.aesSlow;
            acceptsStreams = from.acceptsStreams;
            transport = from.transport;
            home = from.home;
            paths = from.paths;
            limits = from.limits;
        }
    }
}

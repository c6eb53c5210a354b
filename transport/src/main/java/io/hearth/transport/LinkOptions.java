package io.hearth.transport;

import io.hearth.identity.HearthHome;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * How a node's links are opened.
 *
 * @param bind where to listen; the wildcard address for all interfaces
 * @param port to listen on, 0 for any free one
 * @param portsTried how many ports from {@code port} on may be tried, at least 1; 1 if the port was asked for by a person
 * @param localAddresses which of this machine's own addresses links may use, in both directions; empty: all of them
 * @param remoteAddresses from where this machine may be reached: connections from others are closed before anything is read
 * @param policy the owner's word on nodes that proved the secret
 * @param aesSlow whether AES is slow on this machine, see {@link AesSpeed}
 * @param acceptsStreams whether a port for data streams is opened
 * @param transport how data travels between processes of this machine
 * @param home whose folder holds the socket of local streams; empty: a folder of this user among the temporary files
 * @param limits what links may cost
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
        LinkLimits limits) {
    public LinkOptions {
        if (port < 0 || port > 65_535 || portsTried < 1) {
            throw new IllegalArgumentException(
                    "need a port of 0 to 65535 and at least one try, got " + port + " and " + portsTried);
        }
    }

    /** All interfaces. */
    public static LinkOptions anyAddress(int port) {
        return at(new InetSocketAddress(port).getAddress(), port);
    }

    /** This machine only. */
    public static LinkOptions loopback(int port) {
        return at(InetAddress.getLoopbackAddress(), port);
    }

    /** One address of this machine. */
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
                LinkLimits.DEFAULT);
    }

    /** These options, trying that many ports. */
    public LinkOptions portsTried(int count) {
        return new LinkOptions(
                bind,
                port,
                count,
                localAddresses,
                remoteAddresses,
                policy,
                aesSlow,
                acceptsStreams,
                transport,
                home,
                limits);
    }

    /** These options, with links from and to those own addresses only. */
    public LinkOptions localAddresses(Predicate<InetAddress> usable) {
        return new LinkOptions(
                bind,
                port,
                portsTried,
                Optional.of(usable),
                remoteAddresses,
                policy,
                aesSlow,
                acceptsStreams,
                transport,
                home,
                limits);
    }

    /** These options, reachable from those addresses only. */
    public LinkOptions remoteAddresses(Predicate<InetAddress> known) {
        return new LinkOptions(
                bind,
                port,
                portsTried,
                localAddresses,
                known,
                policy,
                aesSlow,
                acceptsStreams,
                transport,
                home,
                limits);
    }

    /** These options with another policy. */
    public LinkOptions policy(AdmissionPolicy admission) {
        return new LinkOptions(
                bind,
                port,
                portsTried,
                localAddresses,
                remoteAddresses,
                admission,
                aesSlow,
                acceptsStreams,
                transport,
                home,
                limits);
    }

    /** These options, with what is known of AES. */
    public LinkOptions aesSlow(boolean slow) {
        return new LinkOptions(
                bind,
                port,
                portsTried,
                localAddresses,
                remoteAddresses,
                policy,
                slow,
                acceptsStreams,
                transport,
                home,
                limits);
    }

    /** These options, without a port for data streams: this node opens none. */
    public LinkOptions withoutStreams() {
        return new LinkOptions(
                bind,
                port,
                portsTried,
                localAddresses,
                remoteAddresses,
                policy,
                aesSlow,
                false,
                transport,
                home,
                limits);
    }

    /** These options with another way for data. */
    public LinkOptions transport(DataTransport way) {
        return new LinkOptions(
                bind,
                port,
                portsTried,
                localAddresses,
                remoteAddresses,
                policy,
                aesSlow,
                acceptsStreams,
                way,
                home,
                limits);
    }

    /** These options with the folder of this node's identity. */
    public LinkOptions home(HearthHome folder) {
        return new LinkOptions(
                bind,
                port,
                portsTried,
                localAddresses,
                remoteAddresses,
                policy,
                aesSlow,
                acceptsStreams,
                transport,
                Optional.of(folder),
                limits);
    }

    /** These options with other limits. */
    public LinkOptions limits(LinkLimits other) {
        return new LinkOptions(
                bind,
                port,
                portsTried,
                localAddresses,
                remoteAddresses,
                policy,
                aesSlow,
                acceptsStreams,
                transport,
                home,
                other);
    }
}

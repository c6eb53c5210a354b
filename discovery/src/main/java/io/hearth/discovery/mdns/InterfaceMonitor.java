package io.hearth.discovery.mdns;

import io.hearth.core.Bytes;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices changes of the machine's interfaces, which JmDNS does not. When the address of an instance was replaced, or its interface went
 * away and came back under the same name, the instance neither sends nor receives, and reports no error.
 *
 * <p>Not thread-safe: one thread polls.
 */
public final class InterfaceMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(InterfaceMonitor.class);

    /** Reads the interfaces of a machine. */
    @FunctionalInterface
    public interface Reader {
        /** All interfaces, in any order. */
        List<InterfaceState> read() throws SocketException;
    }

    private final Reader reader;
    private List<InterfaceState> latest = List.of();

    public InterfaceMonitor(Reader reader) {
        this.reader = reader;
    }

    /** A monitor of this machine. */
    public static InterfaceMonitor ofThisMachine() {
        return new InterfaceMonitor(InterfaceMonitor::thisMachine);
    }

    /** All interfaces, if any of them changed since the last call. The first call returns them always. */
    public Optional<List<InterfaceState>> poll() throws SocketException {
        List<InterfaceState> now = List.copyOf(reader.read());
        if (now.equals(latest)) {
            return Optional.empty();
        }
        latest = now;
        return Optional.of(now);
    }

    /** The interfaces of this machine as they are now, in any order. */
    public static List<InterfaceState> thisMachine() throws SocketException {
        var states = new ArrayList<InterfaceState>();
        for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
            try {
                var addresses = new TreeSet<String>();
                each.inetAddresses().map(InterfaceMonitor::literal).forEach(addresses::add);
                states.add(new InterfaceState(
                        each.getName(),
                        each.getIndex(),
                        each.isUp(),
                        each.supportsMulticast(),
                        each.isLoopback(),
                        each.isPointToPoint(),
                        addresses,
                        prefixes(each)));
            } catch (SocketException vanished) {
                LOG.debug("interface {} went away between the list and the question", each.getName(), vanished);
            }
        }
        return states;
    }

    private static SortedSet<LinkPrefix> prefixes(NetworkInterface each) {
        var prefixes = new TreeSet<LinkPrefix>();
        for (InterfaceAddress own : each.getInterfaceAddresses()) {
            Bytes address = Bytes.of(own.getAddress().getAddress());
            int bits = own.getNetworkPrefixLength();
            if (bits > 0 && bits <= 8 * address.size()) { // other lengths mean that the system does not know
                prefixes.add(new LinkPrefix(address, bits));
            }
        }
        return prefixes;
    }

    private static String literal(InetAddress address) {
        String text = address.getHostAddress();
        int scope = text.indexOf('%');
        return scope < 0 ? text : text.substring(0, scope);
    }
}

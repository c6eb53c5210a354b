package io.hearth.serve.grpc;

import io.hearth.core.Bytes;
import io.hearth.transport.control.GatedServerChannel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Bounds the connections of a port: all together, and those of one other machine (its IPv4 address, or its IPv6 /64), so that one stranger
 * leaves room for others. Event loop only.
 */
final class Connections implements GatedServerChannel.Entrance {
    static final int OF_MACHINE_MAX = 64;
    private static final int PREFIX_BYTES = 8;

    private final int max;
    private final Map<Bytes, Integer> ofMachines = new HashMap<>();
    private int all;

    Connections(int max) {
        this.max = max;
    }

    @Override
    public Optional<Runnable> enter(InetSocketAddress remote, InetSocketAddress local) {
        InetAddress from = remote.getAddress();
        if (all >= max) {
            return Optional.empty();
        }
        if (from.isLoopbackAddress()) {
            all++;
            return Optional.of(() -> all--);
        }
        Bytes machine = machine(from);
        if (ofMachines.getOrDefault(machine, 0) >= OF_MACHINE_MAX) {
            return Optional.empty();
        }
        all++;
        ofMachines.merge(machine, 1, Integer::sum);
        return Optional.of(() -> {
            all--;
            ofMachines.computeIfPresent(machine, (_, count) -> count == 1 ? null : count - 1);
        });
    }

    private static Bytes machine(InetAddress address) {
        byte[] bytes = address.getAddress();
        return Bytes.of(address instanceof Inet6Address ? Arrays.copyOf(bytes, PREFIX_BYTES) : bytes);
    }
}

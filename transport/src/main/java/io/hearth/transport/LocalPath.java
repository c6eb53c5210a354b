package io.hearth.transport;

import io.hearth.core.Bytes;
import java.util.List;

/**
 * An interface of this machine over which data may go.
 *
 * @param name as the system calls it, {@code eth0}, {@code en0}
 * @param networks its addresses, with the networks that they reach without a router
 */
public record LocalPath(String name, List<Network> networks) {
    public LocalPath {
        networks = List.copyOf(networks);
    }

    /**
     * An own address and its network.
     *
     * @param address 4 or 16 bytes
     * @param bits that all addresses of the network share with it
     */
    public record Network(Bytes address, int bits) {
        public Network {
            if ((address.size() != 4 && address.size() != 16) || bits < 1 || bits > 8 * address.size()) {
                throw new IllegalArgumentException("bits must be 1 to those of the address, 32 or 128, got " + bits);
            }
        }

        /** Whether {@code other} is reached without a router. */
        public boolean holds(Bytes other) {
            if (other.size() != address.size()) {
                return false;
            }
            byte[] own = address.toArray();
            byte[] its = other.toArray();
            for (int bit = 0; bit < bits; bit += 8) {
                int mask = 0xFF << Math.max(0, 8 - (bits - bit)) & 0xFF;
                if (((own[bit / 8] ^ its[bit / 8]) & mask) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Whether it has that address. */
    public boolean has(Bytes address) {
        return networks.stream().anyMatch(network -> network.address().equals(address));
    }

    /** Whether one of its networks holds {@code other}. */
    public boolean reaches(Bytes other) {
        return networks.stream().anyMatch(network -> network.holds(other));
    }
}

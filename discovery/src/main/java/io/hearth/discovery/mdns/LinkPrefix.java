package io.hearth.discovery.mdns;

import io.hearth.core.Bytes;

/**
 * The addresses that an interface reaches without a router.
 *
 * @param address any of them, 4 or 16 bytes
 * @param bits that all of them share with it
 */
public record LinkPrefix(Bytes address, int bits) implements Comparable<LinkPrefix> {
    public LinkPrefix {
        if ((address.size() != 4 && address.size() != 16) || bits < 0 || bits > 8 * address.size()) {
            throw new IllegalArgumentException("bits must be at most those of the address, 32 or 128, got " + bits);
        }
    }

    /** Whether {@code other} is one of them. */
    public boolean holds(Bytes other) {
        if (other.size() != address.size()) {
            return false;
        }
        byte[] mine = address.toArray();
        byte[] its = other.toArray();
        for (int bit = 0; bit < bits; bit += 8) {
            int mask = bits - bit >= 8 ? 0xFF : (0xFF << (8 - (bits - bit))) & 0xFF;
            if (((mine[bit / 8] ^ its[bit / 8]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    /** By text, only to make iteration the same everywhere. */
    @Override
    public int compareTo(LinkPrefix other) {
        int byAddress = address.hex().compareTo(other.address.hex());
        return byAddress != 0 ? byAddress : Integer.compare(bits, other.bits);
    }
}

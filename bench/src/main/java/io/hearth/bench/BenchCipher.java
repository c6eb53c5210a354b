package io.hearth.bench;

import io.hearth.collective.ring.DistributedConfig;
import io.hearth.collective.ring.RingBackend;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.core.SetupException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.transport.DataTransport;
import io.hearth.transport.cipher.RecordCipher;
import io.hearth.transport.links.Links;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Locale;

/** The cipher of the records in a measurement. Only benchmarks have this choice. */
public enum BenchCipher {
    /** The cipher of the product. */
    AEAD,
    /** No cipher, to measure the cost of encryption. It sends plain text, so it works on loopback and in a lab only. */
    COPY;

    static final RecordCipher.Factory COPYING = (_, _, _) -> new CopyCipher();

    private static final byte[] LAB_NETWORK = {10, 77, 0}; // the network of lab/lan

    /** Its name in options and results. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Checks that plain text stays on loopback or in a lab.
     *
     * @throws IllegalArgumentException a rank is elsewhere, or the ranks would use shared memory, which has no cipher in any case
     */
    public void check(DistributedConfig config) {
        if (this == AEAD) {
            return;
        }
        if (config.transport() != DataTransport.TCP) {
            throw new IllegalArgumentException(
                    "--cipher copy compares with encrypted TCP, not with shared memory: add --transport tcp");
        }
        for (InetSocketAddress node : config.nodes()) {
            if (node.isUnresolved() || !isHere(node.getAddress())) {
                throw new IllegalArgumentException(
                        "--cipher copy sends plain text, so every rank must be on loopback or in"
                                + " a lab (10.77.0.0/24), and " + node.getHostString() + " is not: leave it out");
            }
        }
    }

    /**
     * As {@link RingBackend#open}, with this cipher.
     *
     * @throws IllegalArgumentException as {@link #check}
     */
    public RingBackend open(DistributedConfig config, NamespaceKeys keys)
            throws SetupException, NotEnoughPeersException, InterruptedException {
        check(config);
        return switch (this) {
            case AEAD -> RingBackend.open(config, keys);
            case COPY ->
                RingBackend.openForMeasuring(
                        config,
                        keys,
                        (options, identity, self, borrowed, observer) ->
                                Links.openForMeasuring(options, identity, self, borrowed, observer, COPYING));
        };
    }

    private static boolean isHere(InetAddress address) {
        byte[] bytes = address.getAddress();
        return address.isLoopbackAddress()
                || (bytes.length == 4
                        && Arrays.equals(bytes, 0, LAB_NETWORK.length, LAB_NETWORK, 0, LAB_NETWORK.length));
    }
}

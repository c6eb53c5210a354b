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

/** How the records of a measurement are ciphered. Nothing but the bench knows of a choice. */
public enum BenchCipher {
    /** As always. */
    AEAD,
    /** Not at all, to measure what encryption costs: plain text, so on loopback and in a lab only. */
    COPY;

    static final RecordCipher.Factory COPYING = (_, _, _) -> new CopyCipher();

    private static final byte[] LAB_NETWORK = {10, 77, 0}; // as lab/lan has it

    /** Its name as people write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Sees to it that plain text is sent where nobody listens.
     *
     * @throws IllegalArgumentException a rank is elsewhere, or shared memory would be used, which has no cipher anyway
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

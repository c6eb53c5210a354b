package io.hearth.discovery.mdns.machine;

import io.hearth.core.Bytes;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The identity that this node announces on one interface. A new one replaces it when the interface or the tag keys change, and after a day.
 * No part of it recurs in another one. So an observer of two networks, or of one network before and after a restart, cannot recognize the
 * machine.
 *
 * @param advert with a nonce of its own
 * @param serviceName random label of the service instance
 * @param hostName random label of the host
 */
public record MdnsIdentity(Advert advert, String serviceName, String hostName) {
    private static final int LABEL_BYTES = 8;

    public static MdnsIdentity fresh(TagEncoding tags, int port, Optional<String> nameplate, RandomGenerator random) {
        Advert advert = tags.sign(Bytes.of(bytes(random, Advert.NONCE_BYTES)), port, nameplate);
        var hex = HexFormat.of();
        return new MdnsIdentity(
                advert, hex.formatHex(bytes(random, LABEL_BYTES)), "h" + hex.formatHex(bytes(random, LABEL_BYTES)));
    }

    private static byte[] bytes(RandomGenerator random, int count) {
        var bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}

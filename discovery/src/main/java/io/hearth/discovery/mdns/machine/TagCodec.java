package io.hearth.discovery.mdns.machine;

import io.hearth.core.Bytes;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Makes and checks the tags by which the nodes of a namespace know one another's records among a LAN's.
 *
 * <pre>t = first 16 bytes of HMAC-SHA256(tag key, "hearth/1 mdns" ‖ n ‖ port as 2 bytes big-endian)</pre>
 *
 * <p>The nonce keeps two stays of one machine from being linked by who does not hold the secret; a tag by time instead would
 * need clocks that agree. The port is covered so that a replayed record cannot point at another service of the same machine.
 * The address is not (it comes from the A record, and NAT and dual stacks change it): a replay costs one dial.
 */
public final class TagCodec {
    private static final byte[] LABEL = "hearth/1 mdns".getBytes(StandardCharsets.US_ASCII);
    private static final int KEYS_MAX = 2;

    private volatile List<TagKey> keys; // written by who changes the secret, read by sources and their listeners
    private final Optional<String> sought;

    /**
     * A codec over the keys that a member holds.
     *
     * @param keys the current generation's key, which signs, and at most one former generation's, which only checks
     */
    public TagCodec(List<TagKey> keys) {
        this(keys, Optional.empty());
    }

    private TagCodec(List<TagKey> keys, Optional<String> sought) {
        this.keys = checked(keys);
        this.sought = sought;
    }

    /** Signs and checks by other keys from now on, as in {@link #TagCodec}; adverts are made again by their owner. */
    public void use(List<TagKey> others) {
        keys = checked(others);
    }

    private static List<TagKey> checked(List<TagKey> keys) {
        if (keys.isEmpty() || keys.size() > KEYS_MAX) {
            throw new IllegalArgumentException("a member holds 1 or " + KEYS_MAX + " tag keys, got " + keys.size());
        }
        return List.copyOf(keys);
    }

    /**
     * The codec of a newcomer, which holds no key yet: right are the records that carry the nameplate, whoever made them.
     *
     * @param nameplate two digits
     * @param random a key that nobody else has
     */
    public static TagCodec seeking(String nameplate, TagKey random) {
        return new TagCodec(List.of(random), Optional.of(nameplate));
    }

    /**
     * The record of a node that listens on {@code port}.
     *
     * @param nonce fresh random bytes, {@value Advert#NONCE_BYTES}
     */
    public Advert sign(Bytes nonce, int port, Optional<String> nameplate) {
        return new Advert(nonce, tag(keys.getFirst(), nonce, port), nameplate);
    }

    /** The generation of the key that made this advert for this port; empty for a foreign, altered or transplanted one. */
    public OptionalInt verify(Advert advert, int port) {
        if (sought.isPresent()) {
            return advert.shows(sought.get()) ? OptionalInt.of(keys.getFirst().generation()) : OptionalInt.empty();
        }
        for (TagKey key : keys) {
            Bytes expected = tag(key, advert.nonce(), port);
            if (MessageDigest.isEqual(expected.toArray(), advert.tag().toArray())) {
                return OptionalInt.of(key.generation());
            }
        }
        return OptionalInt.empty();
    }

    private static Bytes tag(TagKey key, Bytes nonce, int port) {
        byte[] mac = key.mac().of(LABEL, nonce.toArray(), new byte[] {(byte) (port >>> 8), (byte) port});
        return Bytes.of(Arrays.copyOf(mac, Advert.TAG_BYTES));
    }
}

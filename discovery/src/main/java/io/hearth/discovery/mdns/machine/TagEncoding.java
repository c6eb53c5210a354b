package io.hearth.discovery.mdns.machine;

import io.hearth.core.Bytes;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Makes and verifies the tags by which the nodes of a namespace recognize one another's records on a LAN.
 *
 * <pre>t = first 16 bytes of HMAC-SHA256(tag key, "hearth/1 mdns" ‖ n ‖ port as 2 bytes big-endian)</pre>
 *
 * <p>Because of the nonce, an observer without the secret cannot link two identities of one machine. A tag by time would need synchronized
 * clocks. The tag covers the port, so that a replayed record cannot point at another service of the same machine. It does not cover the
 * address, which comes from the A record and changes with NAT and dual stacks: a replay costs one dial.
 */
public final class TagEncoding {
    private static final byte[] LABEL = "hearth/1 mdns".getBytes(StandardCharsets.US_ASCII);
    private static final int KEYS_MAX = 2;

    private volatile List<TagKey>
            keys; // written by the thread that changes the secret, read by sources and their listeners
    private final Optional<String> sought;

    /**
     * The encoding with the keys that a member holds.
     *
     * @param keys the current generation's key, which signs, and at most one former generation's, which only checks
     */
    public TagEncoding(List<TagKey> keys) {
        this(keys, Optional.empty());
    }

    private TagEncoding(List<TagKey> keys, Optional<String> sought) {
        this.keys = checked(keys);
        this.sought = sought;
    }

    /** Uses other keys from now on, as in {@link #TagEncoding}. The owner must make its adverts again. */
    public void use(List<TagKey> others) {
        keys = checked(others);
    }

    private static List<TagKey> checked(List<TagKey> keys) {
        if (keys.isEmpty() || keys.size() > KEYS_MAX) {
            throw new IllegalArgumentException("tag keys must be 1 or " + KEYS_MAX + ", got " + keys.size());
        }
        return List.copyOf(keys);
    }

    /**
     * The encoding of a joining node, which holds no key yet. It accepts all records that carry the nameplate.
     *
     * @param nameplate two digits
     * @param random a key that no other node has
     */
    public static TagEncoding seeking(String nameplate, TagKey random) {
        return new TagEncoding(List.of(random), Optional.of(nameplate));
    }

    /**
     * The record of a node that listens on {@code port}.
     *
     * @param nonce fresh random bytes, {@value Advert#NONCE_BYTES}
     */
    public Advert sign(Bytes nonce, int port, Optional<String> nameplate) {
        return new Advert(nonce, tag(keys.getFirst(), nonce, port), nameplate);
    }

    /** The generation of the key that made this advert for this port; empty for a foreign or altered advert, or one of another port. */
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

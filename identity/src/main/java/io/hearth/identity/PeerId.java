package io.hearth.identity;

import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A machine's public Ed25519 key, which is its id everywhere.
 *
 * <p>The text form is the libp2p peer id of the key ({@code 12D3KooW…}): base58btc of the identity multihash of the protobuf-wrapped public
 * key, 52 characters. The short form is its last eight characters.
 *
 * @see <a href="https://github.com/libp2p/specs/blob/master/peer-ids/peer-ids.md">libp2p peer ids</a>
 */
public final class PeerId implements Comparable<PeerId> {
    /** Bytes of a raw Ed25519 public key (RFC 8032). */
    public static final int KEY_BYTES = 32;

    /** identity multihash (00), 36 bytes (24), key type Ed25519 (08 01), 32 bytes of data (12 20). */
    private static final byte[] PREFIX = HexFormat.of().parseHex("002408011220");

    private static final int SHORT_CHARACTERS = 8;

    private final byte[] publicKey;
    private @Nullable String text; // made when first asked for: few of the ids that messages bring are ever shown

    private PeerId(byte[] publicKey) {
        this.publicKey = publicKey;
    }

    /**
     * The id of a key.
     *
     * @param publicKey the raw 32 byte Ed25519 public key; copied
     * @throws IllegalArgumentException if it has another length
     */
    public static PeerId of(byte[] publicKey) {
        if (publicKey.length != KEY_BYTES) {
            throw new IllegalArgumentException("an Ed25519 public key must have 32 bytes, got " + publicKey.length);
        }
        return new PeerId(publicKey.clone());
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException if {@code text} is not the peer id of an Ed25519 key
     */
    public static PeerId parse(String text) {
        byte[] wrapped;
        try {
            wrapped = Base58.decode(text, PREFIX.length + KEY_BYTES);
        } catch (IllegalArgumentException broken) {
            throw new IllegalArgumentException("not a peer id (12D3KooW…): " + broken.getMessage(), broken);
        }
        if (wrapped.length != PREFIX.length + KEY_BYTES
                || !Arrays.equals(wrapped, 0, PREFIX.length, PREFIX, 0, PREFIX.length)) {
            throw new IllegalArgumentException("not the peer id of an Ed25519 key (12D3KooW…)");
        }
        return new PeerId(Arrays.copyOfRange(wrapped, PREFIX.length, wrapped.length));
    }

    /** A copy of the raw public key, 32 bytes. */
    public byte[] publicKey() {
        return publicKey.clone();
    }

    /** The full text form, as {@code 12D3KooW…}. */
    public String text() {
        String known = text; // threads may each make it: equal strings, which need no lock to be seen whole
        if (known == null) {
            byte[] wrapped = Arrays.copyOf(PREFIX, PREFIX.length + KEY_BYTES);
            System.arraycopy(publicKey, 0, wrapped, PREFIX.length, KEY_BYTES);
            known = Base58.encode(wrapped);
            text = known;
        }
        return known;
    }

    /** The last eight characters of the text form: enough for people and logs, never for decisions. */
    public String shortText() {
        String full = text();
        return full.substring(full.length() - SHORT_CHARACTERS);
    }

    /** By key bytes, unsigned: the same order on all machines. */
    @Override
    public int compareTo(PeerId other) {
        return this == other ? 0 : Arrays.compareUnsigned(publicKey, other.publicKey);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof PeerId that && Arrays.equals(publicKey, that.publicKey));
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(publicKey);
    }

    @Override
    public String toString() {
        return text();
    }
}

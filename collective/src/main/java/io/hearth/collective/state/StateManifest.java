package io.hearth.collective.state;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.stream.IntStream;

/** A state's layout and the fingerprint of each of its chunks. Its digest identifies the whole state. Immutable. */
final class StateManifest {
    /** Longest encoding. */
    static final int ENCODED_MAX =
            StateLayout.ENCODED_MAX + (int) (StateLayout.BYTES_MAX / StateLayout.CHUNK_BYTES_MAX) * Long.BYTES;

    private final StateLayout layout;
    private final long[] fingerprints;
    private final Bytes digest;

    /** Creates a manifest; {@code fingerprints} has one entry for each chunk of the layout, and is kept. */
    StateManifest(StateLayout layout, long[] fingerprints) {
        if (fingerprints.length != layout.chunks()) {
            throw new IllegalArgumentException(
                    "need one fingerprint for each of " + layout.chunks() + " chunks, got " + fingerprints.length);
        }
        this.layout = layout;
        this.fingerprints = fingerprints;
        this.digest = Bytes.of(sha256(encode()));
    }

    StateLayout layout() {
        return layout;
    }

    /** See {@link ChunkFingerprint}. */
    long fingerprint(int chunk) {
        return fingerprints[chunk];
    }

    /** SHA-256 of {@link #encode}. */
    Bytes digest() {
        return digest;
    }

    /** Chunks whose fingerprints differ in {@code that} manifest of the same layout, in order. */
    List<Integer> differing(StateManifest that) {
        return IntStream.range(0, fingerprints.length)
                .filter(chunk -> fingerprints[chunk] != that.fingerprints[chunk])
                .boxed()
                .toList();
    }

    /** The layout, then eight bytes for each chunk, little-endian. */
    byte[] encode() {
        byte[] head = layout.encode();
        ByteBuffer out = ByteBuffer.allocate(head.length + fingerprints.length * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(head);
        for (long fingerprint : fingerprints) {
            out.putLong(fingerprint);
        }
        return out.array();
    }

    /**
     * Reads a manifest.
     *
     * @throws MalformedMessageException if the bytes are not a manifest
     */
    static StateManifest decode(byte[] bytes) throws MalformedMessageException {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        StateLayout layout = StateLayout.decode(in);
        if (in.remaining() != (long) layout.chunks() * Long.BYTES) {
            throw new MalformedMessageException("malformed manifest: " + in.remaining() + " bytes of fingerprints for "
                    + layout.chunks() + " chunks");
        }
        long[] fingerprints = new long[layout.chunks()];
        in.asLongBuffer().get(fingerprints);
        return new StateManifest(layout, fingerprints);
    }

    /** SHA-256 of {@code encoded}. */
    static byte[] sha256(byte[] encoded) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(encoded);
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java has SHA-256", impossible);
        }
    }
}

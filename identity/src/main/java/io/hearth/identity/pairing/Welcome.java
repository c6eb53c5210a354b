package io.hearth.identity.pairing;

import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NetworkNamespace;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What a new member is told, as bytes, big-endian:
 *
 * <pre>
 * version 1 | length of the name (1) | name | generation (4) | secret (32) | length of the roster (4) | roster
 * </pre>
 *
 * @param namespace closed
 * @param roster opaque here; never written to after this was made
 */
@SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
public record Welcome(NetworkNamespace namespace, byte[] roster) {
    /** Most bytes of a welcome. */
    public static final int BYTES_MAX = 300 * 1024;

    private static final int VERSION = 1;
    private static final int NAME_BYTES_MAX = 63;
    private static final int FIXED_BYTES = 1 + 1 + Integer.BYTES + NetworkNamespace.SECRET_BYTES + Integer.BYTES;

    public Welcome {
        if (namespace.isOpen() || roster.length > BYTES_MAX - FIXED_BYTES - NAME_BYTES_MAX) {
            throw new IllegalArgumentException("a welcome has a closed namespace and a roster that fits, got "
                    + namespace + " and " + roster.length + " bytes");
        }
    }

    /** Whoever reads it is a member; the caller wipes it. */
    public byte[] encode() {
        byte[] name = namespace.name().getBytes(StandardCharsets.US_ASCII);
        byte[] secret = namespace.secret();
        byte[] all = ByteBuffer.allocate(FIXED_BYTES + name.length + roster.length)
                .put((byte) VERSION)
                .put((byte) name.length)
                .put(name)
                .putInt(namespace.generation())
                .put(secret)
                .putInt(roster.length)
                .put(roster)
                .array();
        Arrays.fill(secret, (byte) 0);
        return all;
    }

    /**
     * Reads one.
     *
     * @param all borrowed
     * @throws MalformedMessageException the bytes are none; repeats nothing of them
     */
    public static Welcome decode(byte[] all) throws MalformedMessageException {
        if (all.length < FIXED_BYTES || all.length > BYTES_MAX) {
            throw new MalformedMessageException(
                    "a welcome has " + FIXED_BYTES + " to " + BYTES_MAX + " bytes, got " + all.length);
        }
        ByteBuffer in = ByteBuffer.wrap(all);
        int version = in.get();
        if (version != VERSION) {
            throw new MalformedMessageException(
                    "a welcome of version " + version + " came: the other machine runs another version of Hearth");
        }
        int nameBytes = in.get() & 0xFF;
        if (nameBytes > NAME_BYTES_MAX || in.remaining() < nameBytes + FIXED_BYTES - 2) {
            throw new MalformedMessageException("the namespace's name is too long");
        }
        byte[] name = new byte[nameBytes];
        in.get(name);
        int generation = in.getInt();
        byte[] secret = new byte[NetworkNamespace.SECRET_BYTES];
        in.get(secret);
        int rosterBytes = in.getInt();
        if (rosterBytes != in.remaining()) {
            throw new MalformedMessageException("the roster's length is wrong");
        }
        byte[] roster = new byte[rosterBytes];
        in.get(roster);
        try {
            return new Welcome(
                    NetworkNamespace.closed(new String(name, StandardCharsets.US_ASCII), generation, secret), roster);
        } catch (IllegalArgumentException outOfRange) {
            throw new MalformedMessageException("the namespace's name or generation is out of range", outOfRange);
        } finally {
            Arrays.fill(secret, (byte) 0);
        }
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "Welcome[" + namespace + ", roster of " + roster.length + " bytes]";
    }
}

package io.hearth.transport.cipher;

import io.hearth.identity.NamespaceKeys;
import io.hearth.transport.StreamId;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The two keys of one data stream (HKDF-SHA256, RFC 5869):
 *
 * <pre>
 * key = Expand(link key, "hearth/1 stream", group, fence, index, dialler's salt, acceptor's salt, direction)
 *       each part behind its length as 4 bytes, big-endian; index as 4 bytes
 *       direction 1: dialler to acceptor, 2: acceptor to dialler
 * next key after a ratchet = Expand(key, "hearth/1 ratchet")
 * </pre>
 *
 * <p>Both salts are new for each connection, so no key serves twice and counters may start at 0; with only one salt, a peer that replays it
 * could make this node repeat a key and a nonce, which breaks AES-GCM.
 */
public final class StreamKeys {
    public static final int KEY_BYTES = 32;
    public static final int SALT_BYTES = 16;

    private static final byte[] LABEL = ascii("hearth/1 stream");
    private static final byte[] RATCHET = ascii("hearth/1 ratchet");

    private StreamKeys() {}

    /** The key of one direction, 32 bytes: from the dialling to the accepting side, or back. */
    public static byte[] derive(byte[] linkKey, StreamId id, byte[] dialSalt, byte[] acceptSalt, boolean fromDialer) {
        var info = new ByteArrayOutputStream();
        append(info, LABEL);
        append(info, id.group().getBytes(StandardCharsets.UTF_8));
        append(info, id.fence().getBytes(StandardCharsets.UTF_8));
        append(info, int4(id.index()));
        append(info, dialSalt);
        append(info, acceptSalt);
        append(info, new byte[] {(byte) (fromDialer ? 1 : 2)});
        return NamespaceKeys.expand(linkKey, info.toByteArray(), KEY_BYTES);
    }

    /** The key that follows {@code key}; {@code key} cannot be derived from it. */
    static byte[] next(byte[] key) {
        return NamespaceKeys.expand(key, RATCHET, KEY_BYTES);
    }

    private static void append(ByteArrayOutputStream out, byte[] part) {
        out.writeBytes(int4(part.length));
        out.writeBytes(part);
    }

    private static byte[] int4(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    private static byte[] ascii(String label) {
        return label.getBytes(StandardCharsets.US_ASCII);
    }
}

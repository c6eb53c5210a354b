package io.hearth.identity.pairing.machine;

import io.hearth.core.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The data that both ends of a run must agree on before they trust each other: the names, and all four messages of the key exchange, byte
 * for byte as they were on the wire.
 */
record Transcript(Channel channel, Bytes joinerRound1, Bytes sponsorRound1, Bytes joinerRound2, Bytes sponsorRound2) {
    private static final String LABEL = "hearth/1 pair confirm";

    /** The digest of the transcript: 32 bytes. */
    Bytes context() {
        return digest(
                ascii(LABEL),
                ascii(channel.joinerName()),
                ascii(channel.sponsorName()),
                joinerRound1.toArray(),
                sponsorRound1.toArray(),
                joinerRound2.toArray(),
                sponsorRound2.toArray());
    }

    /** SHA-256 of the parts, each preceded by its length as 4 bytes. */
    static Bytes digest(byte[]... parts) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(
                        ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
                digest.update(part);
            }
            return Bytes.of(digest.digest());
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK 25 has SHA-256", missing);
        }
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

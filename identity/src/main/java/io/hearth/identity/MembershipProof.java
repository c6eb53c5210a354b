package io.hearth.identity;

import io.hearth.core.Bytes;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The proofs by which the two ends of a TLS connection show each other that they hold the namespace's secret, without sending it.
 *
 * <pre>
 * T = "hearth/1 link", exporter, client key, server key, SHA-256(client's hello), SHA-256(server's hello);
 *     each part preceded by its length as 4 bytes, big-endian
 * server's proof = HMAC-SHA256(proof key, 2 T)      sent first
 * client's proof = HMAC-SHA256(proof key, 1 T)      sent after the client verified the server's proof
 * </pre>
 *
 * <p>The exporter (RFC 8446 section 7.5, label {@code EXPORTER-hearth-1}) binds a proof to one connection, so it can neither be replayed
 * nor relayed. It does not cover the client's certificate, so T includes both keys. T includes both hellos, so no attacker can remove a
 * version or a feature from them. The leading byte prevents an attacker from sending one side's proof back as the other's.
 */
public final class MembershipProof {
    /** Bytes of either proof. */
    public static final int PROOF_BYTES = 32;

    /** Bytes of the TLS exporter. */
    public static final int EXPORTER_BYTES = 32;

    private static final byte[] LABEL = "hearth/1 link".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CLIENT = {1};
    private static final byte[] SERVER = {2};

    private MembershipProof() {}

    /**
     * The transcript T: equal at both ends if and only if they see the same connection, identities and hellos.
     *
     * @param exporter 32 bytes from this connection's TLS exporter; borrowed
     * @param client the identity that TLS proved of the dialling side
     * @param server the identity that TLS proved of the accepting side
     * @param helloClient the client's hello as it was on the wire; borrowed
     * @param helloServer the server's hello as it was on the wire, without its proof; borrowed
     */
    public static Bytes transcript(
            byte[] exporter, PeerId client, PeerId server, byte[] helloClient, byte[] helloServer) {
        if (exporter.length != EXPORTER_BYTES) {
            throw new IllegalArgumentException(
                    "the exporter must have " + EXPORTER_BYTES + " bytes, got " + exporter.length);
        }
        var parts = new ByteArrayOutputStream();
        append(parts, LABEL);
        append(parts, exporter);
        append(parts, client.publicKey());
        append(parts, server.publicKey());
        append(parts, sha256(helloClient));
        append(parts, sha256(helloServer));
        return Bytes.of(parts.toByteArray());
    }

    /** The proof of the accepting side: 32 bytes. */
    public static byte[] ofServer(NamespaceKeys keys, Bytes transcript) {
        return keys.proofMac(SERVER, transcript.toArray());
    }

    /** The proof of the dialling side: 32 bytes. */
    public static byte[] ofClient(NamespaceKeys keys, Bytes transcript) {
        return keys.proofMac(CLIENT, transcript.toArray());
    }

    /** Whether a peer's proof is the expected one; compares in constant time. */
    public static boolean matches(byte[] expected, byte[] given) {
        return MessageDigest.isEqual(expected, given);
    }

    private static void append(ByteArrayOutputStream out, byte[] part) {
        out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
        out.writeBytes(part);
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK 25 has SHA-256", missing);
        }
    }
}

package io.hearth.transport.control;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Predicate;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of links: 1.3 only, x25519, and from each side exactly one Ed25519 certificate, whose key is the identity. The signer, the names
 * and the dates of the certificate are ignored.
 *
 * <p>Each connection gets an {@link SSLContext} of its own. A context remembers sessions, and a resumed session skips the certificates; a
 * context that serves one connection has nothing to resume.
 */
public final class Tls {
    private static final String PROTOCOL = "TLSv1.3";
    private static final String[] CIPHERS = {"TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"};
    private static final String LINK_EXPORTER = "EXPORTER-hearth-1";
    private static final String DATA_EXPORTER = "EXPORTER-hearth-1 data";
    private static final String PAIR_EXPORTER = "EXPORTER-hearth-1 pair";
    private static final int EXPORTER_BYTES = 32;
    private static final int STEPS_MAX = 100; // about 20 are needed
    private static final int REHEARSAL_BYTES = 64 * 1024; // more than one side sends

    /** SubjectPublicKeyInfo of an Ed25519 key up to the raw key (RFC 8410 section 4). */
    private static final byte[] SPKI_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

    private final KeyManager[] keys;

    public Tls(NodeIdentity identity) {
        keys = new KeyManager[] {new OneIdentity(identity)};
    }

    /** What presents this identity, for other connections than links. */
    public static KeyManager keyManager(NodeIdentity identity) {
        return new OneIdentity(identity);
    }

    /** What accepts exactly one Ed25519 certificate of an expected peer, for other connections than links. */
    public static TrustManager trustManager(Predicate<PeerId> isExpected) {
        return new OneEd25519Certificate(isExpected);
    }

    /** One side of one connection. Made without host and port, so a client has no name to check and no session to look up. */
    public SSLEngine engine(boolean client) {
        SSLEngine engine;
        try {
            var context = SSLContext.getInstance(PROTOCOL, "SunJSSE");
            context.init(keys, new TrustManager[] {trustManager(_ -> true)}, null);
            engine = context.createSSLEngine();
        } catch (GeneralSecurityException missing) {
            throw new AssertionError("every JDK 25 has TLS 1.3", missing);
        }
        engine.setUseClientMode(client);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {PROTOCOL});
        parameters.setCipherSuites(CIPHERS);
        parameters.setNamedGroups(new String[] {"x25519"});
        parameters.setSignatureSchemes(new String[] {"ed25519"});
        parameters.setNeedClientAuth(true);
        engine.setSSLParameters(parameters);
        return engine;
    }

    /**
     * Runs a handshake with itself, in memory. A JVM's first handshake takes some tenths of a second, mostly for loading classes. So it
     * happens before a peer waits for it.
     *
     * @return the proved peer, which is this identity
     */
    public PeerId rehearse() throws SSLException {
        SSLEngine client = engine(true);
        SSLEngine server = engine(false);
        var toServer = ByteBuffer.allocate(REHEARSAL_BYTES);
        var toClient = ByteBuffer.allocate(REHEARSAL_BYTES);
        client.beginHandshake();
        server.beginHandshake();
        for (int step = 0; isShaking(client) || isShaking(server); step++) {
            if (step == STEPS_MAX) {
                throw new SSLException("no handshake with itself within " + STEPS_MAX + " steps");
            }
            step(client, toClient, toServer);
            step(server, toServer, toClient);
        }
        var _ = linkExporter(client);
        return peer(server);
    }

    private static boolean isShaking(SSLEngine engine) {
        return engine.getHandshakeStatus() != SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING;
    }

    private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
        switch (engine.getHandshakeStatus()) {
            case NEED_TASK -> engine.getDelegatedTask().run();
            case NEED_WRAP -> engine.wrap(ByteBuffer.allocate(0), out);
            case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                in.flip();
                engine.unwrap(in, ByteBuffer.allocate(REHEARSAL_BYTES));
                in.compact();
            }
            case FINISHED, NOT_HANDSHAKING -> {}
        }
    }

    /** The peer that the other side's certificate names, after the handshake. */
    static PeerId peer(SSLEngine engine) throws SSLException {
        try {
            return peer((X509Certificate[]) engine.getSession().getPeerCertificates());
        } catch (CertificateException refused) {
            throw new SSLException(refused.getMessage(), refused);
        }
    }

    /** 32 bytes that only the two ends of this connection know, for the proof of membership. */
    static Bytes linkExporter(SSLEngine engine) throws SSLException {
        return Bytes.of(export(engine, LINK_EXPORTER));
    }

    /** 32 other such bytes, for the keys of data streams; the caller must wipe them. */
    static byte[] dataExporter(SSLEngine engine) throws SSLException {
        return export(engine, DATA_EXPORTER);
    }

    /** 32 more such bytes, for the names of the two ends while they pair. */
    static Bytes pairExporter(SSLEngine engine) throws SSLException {
        return Bytes.of(export(engine, PAIR_EXPORTER));
    }

    private static byte[] export(SSLEngine engine, String label) throws SSLException {
        return ((ExtendedSSLSession) engine.getSession()).exportKeyingMaterialData(label, new byte[0], EXPORTER_BYTES);
    }

    /**
     * The peer that a chain of one certificate names.
     *
     * @throws CertificateException if it names none
     */
    public static PeerId peer(X509Certificate[] chain) throws CertificateException {
        if (chain.length != 1) {
            throw new CertificateException("a peer shows exactly one certificate, not " + chain.length);
        }
        byte[] spki = chain[0].getPublicKey().getEncoded();
        if (spki.length != SPKI_PREFIX.length + PeerId.KEY_BYTES
                || !Arrays.equals(spki, 0, SPKI_PREFIX.length, SPKI_PREFIX, 0, SPKI_PREFIX.length)) {
            throw new CertificateException(
                    "a peer's key is Ed25519, not " + chain[0].getPublicKey().getAlgorithm());
        }
        return PeerId.of(Arrays.copyOfRange(spki, SPKI_PREFIX.length, spki.length));
    }

    /**
     * Presents this identity to every peer. The JDK's own key managers keep keys in encrypted stores, which they open with ten thousand
     * rounds of hashing for each connection.
     */
    private static final class OneIdentity extends X509ExtendedKeyManager {
        private static final String ALIAS = "hearth";
        private static final String KEY_TYPE = "EdDSA";

        private final NodeIdentity identity;

        OneIdentity(NodeIdentity identity) {
            this.identity = identity;
        }

        @Override
        public @Nullable String chooseEngineClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, SSLEngine engine) {
            return Arrays.asList(keyTypes).contains(KEY_TYPE) ? ALIAS : null;
        }

        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
            return keyType.equals(KEY_TYPE) ? ALIAS : null;
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return identity.privateKey();
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return new X509Certificate[] {identity.certificate()};
        }

        @Override
        public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null; // links have engines and no sockets
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }
    }

    /** TLS itself checks that the peer holds the certificate's key. */
    private static final class OneEd25519Certificate extends X509ExtendedTrustManager {
        private final Predicate<PeerId> isExpected;

        OneEd25519Certificate(Predicate<PeerId> isExpected) {
            this.isExpected = isExpected;
        }

        private void check(X509Certificate[] chain) throws CertificateException {
            PeerId peer = peer(chain);
            if (!isExpected.test(peer)) {
                throw new CertificateException("machine " + peer.shortText() + " is not expected here");
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            check(chain);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

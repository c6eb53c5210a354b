package io.hearth.transport;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.MembershipProof;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.machine.HandshakeMachine;
import io.hearth.transport.machine.Hello;
import io.hearth.transport.machine.LinkEncoding;
import io.hearth.transport.machine.LinkMessage;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** The other side as an attacker may build it: any certificate, any frames, in any order. Blocking, for tests only. */
final class RawPeer implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 20_000;

    final SSLSocket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    private RawPeer(SSLSocket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    /** A context that trusts every certificate and presents {@code chain}, whether or not {@code key} belongs to it. */
    static SSLContext context(PrivateKey key, X509Certificate... chain) {
        return context(new AtomicInteger(), key, chain);
    }

    /** As above; {@code shown} counts the certificates that servers presented. In a resumed session they present none. */
    static SSLContext context(AtomicInteger shown, PrivateKey key, X509Certificate... chain) {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new Shown(key, chain)}, new TrustManager[] {new TrustsAll(shown)}, null);
            return context;
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    static SSLContext context(NodeIdentity identity) {
        return context(identity.privateKey(), identity.certificate());
    }

    static RawPeer dial(SSLContext context, InetSocketAddress address, String... protocols) throws IOException {
        var socket = (SSLSocket) context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
        if (protocols.length > 0) {
            socket.setEnabledProtocols(protocols);
        }
        return new RawPeer(socket);
    }

    static SSLServerSocket listen(SSLContext context) throws IOException {
        var server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 10, InetAddress.getLoopbackAddress());
        server.setNeedClientAuth(true);
        server.setSoTimeout(PATIENCE_MILLIS);
        return server;
    }

    static RawPeer accept(SSLServerSocket server) throws IOException {
        return new RawPeer((SSLSocket) server.accept());
    }

    void say(LinkMessage message) throws IOException {
        say(LinkEncoding.encode(message));
    }

    void say(Frame frame) throws IOException {
        out.writeInt(frame.bytes().length);
        out.writeShort(frame.kind());
        out.write(frame.bytes());
        out.flush();
    }

    /** Sends the beginning of a frame. The other side may close on it, and then the rest could not be written. */
    void sayHeader(int kind, int length) throws IOException {
        out.writeInt(length);
        out.writeShort(kind);
        out.flush();
    }

    Frame hearFrame() throws IOException {
        int length = in.readInt();
        int kind = in.readUnsignedShort();
        return new Frame(kind, in.readNBytes(length));
    }

    LinkMessage hear() throws IOException {
        try {
            return LinkEncoding.decode(hearFrame());
        } catch (MalformedMessageException bug) {
            throw new AssertionError(bug);
        }
    }

    Bytes exporter(String label) throws IOException {
        return Bytes.of(((ExtendedSSLSession) socket.getSession()).exportKeyingMaterialData(label, new byte[0], 32));
    }

    PeerId peer() throws IOException {
        byte[] spki =
                socket.getSession().getPeerCertificates()[0].getPublicKey().getEncoded();
        return PeerId.of(Arrays.copyOfRange(spki, spki.length - PeerId.KEY_BYTES, spki.length));
    }

    static Hello hello(NamespaceKeys keys) {
        return new Hello(
                HandshakeMachine.VERSIONS,
                List.of(),
                Purpose.MEMBER,
                "agent",
                1,
                TestNode.bootId(),
                Optional.empty(),
                Bytes.of(keys.id()),
                1,
                1,
                1,
                0,
                Optional.empty());
    }

    /** Runs the whole handshake as a member. Returns the frames that it received. */
    List<Frame> becomeMember(NodeIdentity identity, NamespaceKeys keys) throws IOException {
        Hello own = hello(keys);
        Bytes hello = LinkEncoding.encode(own);
        Frame first = LinkEncoding.encode(new LinkMessage.ClientHello(own, hello));
        say(first);
        var answer = (LinkMessage.ServerHello) hear();
        Bytes transcript = MembershipProof.transcript(
                exporter("EXPORTER-hearth-1").toArray(),
                identity.peer(),
                peer(),
                hello.toArray(),
                answer.encoded().toArray());
        Frame second = LinkEncoding.encode(new LinkMessage.Proof(Bytes.of(MembershipProof.ofClient(keys, transcript))));
        say(second);
        LinkMessage last = hear();
        if (!(last instanceof LinkMessage.Admitted)) {
            throw new IOException("not admitted: " + last);
        }
        return List.of(first, second);
    }

    /** The same for an accepted connection; the hello contains {@code dataPort}. */
    void admitMember(NodeIdentity identity, NamespaceKeys keys, int dataPort) throws IOException {
        var theirs = (LinkMessage.ClientHello) hear();
        Hello plain = hello(keys);
        var own = new Hello(
                plain.versions(),
                plain.features(),
                plain.purpose(),
                plain.slot(),
                plain.incarnation(),
                plain.bootId(),
                plain.systemBoot(),
                plain.keyId(),
                plain.linkPort(),
                dataPort,
                0,
                HandshakeMachine.VERSIONS.getFirst(),
                Optional.empty());
        Bytes hello = LinkEncoding.encode(own);
        Bytes transcript = MembershipProof.transcript(
                exporter("EXPORTER-hearth-1").toArray(),
                peer(),
                identity.peer(),
                theirs.encoded().toArray(),
                hello.toArray());
        say(new LinkMessage.ServerHello(own, hello, Bytes.of(MembershipProof.ofServer(keys, transcript))));
        hear(); // the proof, which is not verified here
        say(new LinkMessage.Admitted());
    }

    /** True once the other side ended the connection, after any messages. */
    boolean isEnded() {
        try {
            while (socket.getInputStream().read() >= 0) {
                // its messages are ignored
            }
            return true;
        } catch (java.net.SocketTimeoutException stillOpen) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private static final class Shown extends X509ExtendedKeyManager {
        private final PrivateKey key;
        private final X509Certificate[] chain;

        Shown(PrivateKey key, X509Certificate... chain) {
            this.key = key;
            this.chain = chain.clone();
        }

        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return new String[] {"shown"};
        }

        @Override
        public String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) {
            return "shown";
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return new String[] {"shown"};
        }

        @Override
        public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            return "shown";
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return chain.clone();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key;
        }
    }

    private static final class TrustsAll extends X509ExtendedTrustManager {
        private final AtomicInteger shown;

        TrustsAll(AtomicInteger shown) {
            this.shown = shown;
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {
            shown.incrementAndGet();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

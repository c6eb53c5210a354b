package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.hearth.agent.api.StatusJson;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.wire.HelloMessage;
import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node of a later version, which speaks none of the protocol versions that this one speaks. */
final class OtherVersionIT {
    private static final int CLIENT_HELLO = 1; // a frame's kind
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void itIsRefusedAndStatusAndWaitSayWhyAndWhatToDo() throws Exception {
        try (var nodes = new TestNodes(folder)) {
            AutoDiscoveryBackend node = nodes.trainer(TestNodes.loopback());
            NodeIdentity later = NodeIdentity.generate();
            try (SSLSocket socket = dial(later, node.node().port())) {
                byte[] hello = hello();
                var out = new DataOutputStream(socket.getOutputStream());
                out.writeInt(hello.length);
                out.writeShort(CLIENT_HELLO);
                out.write(hello);
                out.flush();
                ClusterStatus status = node.node()
                        .latestStatus()
                        .await(now -> !now.refused().isEmpty(), PATIENCE)
                        .orElseThrow();
                String why = "no protocol version in common: this node speaks [2], the peer [8, 9];"
                        + " update the older of the two";
                assertEquals(why, status.refused().getFirst().why());
                assertEquals(
                        later.peer().shortText(), status.refused().getFirst().who());
                assertTrue(StatusJson.of(status).toString().contains(why));
            }
            String missing = String.valueOf(
                    assertThrows(NotEnoughPeersException.class, () -> node.waitForPeers(1, Duration.ofMillis(1)))
                            .getMessage());
            assertTrue(
                    missing.contains("refused: " + later.peer().shortText() + " at 127.0.0.1, no protocol"), missing);
        }
    }

    private static byte[] hello() {
        return HelloMessage.newBuilder()
                .addVersions(8)
                .addVersions(9)
                .setPurpose(1)
                .setSlot("agent")
                .setIncarnation(1)
                .setBootId(ByteString.copyFrom(new byte[16]))
                .setKeyId(ByteString.copyFrom(new byte[8]))
                .setLinkPort(1)
                .setDataPort(1)
                .setDial(1)
                .build()
                .toByteArray();
    }

    private static SSLSocket dial(NodeIdentity identity, int port) throws Exception {
        var context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {new Shows(identity)}, new TrustManager[] {new TrustsAll()}, null);
        return (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
    }

    /** The client's certificate. */
    private static final class Shows extends X509ExtendedKeyManager {
        private final NodeIdentity identity;

        private Shows(NodeIdentity identity) {
            this.identity = identity;
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[] {"own"};
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return "own";
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            throw new UnsupportedOperationException("this side dials");
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return new X509Certificate[] {identity.certificate()};
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return identity.privateKey();
        }
    }

    private static final class TrustsAll extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

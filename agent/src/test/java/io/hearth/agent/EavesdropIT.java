package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.SecretText;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attack 12: the mDNS packets of a node contain neither its identity nor any name that a person gave it. */
final class EavesdropIT {
    private static final String LABEL = "anna-s-kitchen-mac";
    private static final int SHORT = 4; // a host may be called "pi", and two letters are anywhere
    private static final int MDNS_PORT = 5353;
    private static final int PATIENCE_MILLIS = 30_000;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("familie-mustermann");

    @Test
    void anAdvertNamesNeitherTheNodeNorItsMachineNorItsNamespace() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("home"));
        NamespaceFile.in(home).add(namespace);
        NodeIdentity identity = IdentityFile.in(home).loadOrCreate();
        HearthConfig config = TestNodes.loopback();
        try (var ear = ear(config.interfaces().getFirst());
                var node = HearthNode.start(
                        config.namespace(namespace.name())
                                .agent("agent")
                                .label(LABEL)
                                .home(home.folder()),
                        Map.of())) {
            String heard = heardUntilAnnounced(ear, node.port());
            String secret = SecretText.of(namespace);
            for (String word : List.of(
                    LABEL,
                    namespace.name(),
                    namespace.keyId(),
                    secret.substring(16, 32),
                    secret.substring(40, 56),
                    identity.peer().text(),
                    identity.peer().shortText(),
                    new String(identity.peer().publicKey(), 0, 8, StandardCharsets.ISO_8859_1),
                    InetAddress.getLocalHost().getHostName())) {
                boolean isHeard = word.length() >= SHORT && heard.contains(word.toLowerCase(Locale.ROOT));
                assertFalse(isHeard, () -> "'" + word + "' was heard");
            }
        }
    }

    private static MulticastSocket ear(String interfaceName) throws IOException {
        var on = NetworkInterface.getByName(interfaceName);
        var ear = new MulticastSocket(MDNS_PORT);
        try {
            ear.setNetworkInterface(on);
            ear.joinGroup(new InetSocketAddress(InetAddress.ofLiteral("224.0.0.251"), MDNS_PORT), on);
            ear.setSoTimeout(PATIENCE_MILLIS);
            return ear;
        } catch (IOException refused) {
            ear.close();
            String why = "SKIPPED: " + interfaceName + " of this machine does not carry multicast";
            System.out.println(why);
            Assumptions.abort(why);
            throw refused;
        }
    }

    /** All packets until one of them announces a service at that port, and that one; in lower case, one character for each byte. */
    private static String heardUntilAnnounced(MulticastSocket ear, int port) throws IOException {
        String asSent = ("" + (char) (port >> 8) + (char) (port & 0xFF)).toLowerCase(Locale.ROOT);
        var heard = new StringBuilder();
        while (true) {
            var packet = new DatagramPacket(new byte[9_000], 9_000);
            try {
                ear.receive(packet);
            } catch (SocketTimeoutException silent) {
                throw new AssertionError("the node announced nothing", silent);
            }
            String text = new String(packet.getData(), 0, packet.getLength(), StandardCharsets.ISO_8859_1)
                    .toLowerCase(Locale.ROOT);
            heard.append(text).append('\n');
            boolean isAnswer = packet.getLength() > 2 && packet.getData()[2] < 0;
            if (isAnswer && text.contains("_hearth") && text.contains(asSent)) {
                assertTrue(text.contains("t="), "the tag, too");
                return heard.toString();
            }
        }
    }
}

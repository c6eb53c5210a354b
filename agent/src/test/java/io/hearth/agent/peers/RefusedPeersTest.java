package io.hearth.agent.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.agent.loop.NodeEvent;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.agent.status.HandClock;
import io.hearth.identity.PeerId;
import io.hearth.transport.LinkRejection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RefusedPeersTest {
    private final HandClock clock = new HandClock();
    private final RefusedPeers refused = new RefusedPeers(clock);

    private void refuse(String host, LinkRejection why) {
        refuse(host, Optional.empty(), why);
    }

    private void refuse(String host, Optional<PeerId> machine, LinkRejection why) {
        var address = new InetSocketAddress(InetAddress.ofLiteral(host), 7);
        var _ = refused.note(new NodeEvent.Refused(address, machine, why, why + " because"));
    }

    private static PeerId machine(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) number;
        return PeerId.of(key);
    }

    private List<String> hosts() {
        return refused.list().stream()
                .map(each -> each.address() + " " + each.count())
                .toList();
    }

    /** A laptop whose links died in the handshake while it slept: its alarms go when the others are linked again. */
    @Test
    void anAlarmIsForgottenWhenItsHostIsLinked() {
        refuse("10.0.0.2", LinkRejection.TLS);
        refuse("10.0.0.2", LinkRejection.TLS);
        refuse("10.0.0.3", LinkRejection.NAMESPACE);
        assertEquals(List.of("10.0.0.2 2", "10.0.0.3 1"), hosts());
        refused.admitted(machine(2), InetAddress.ofLiteral("10.0.0.2"));
        assertEquals(List.of("10.0.0.3 1"), hosts());
    }

    /** Two machines behind one router. */
    @Test
    void anAlarmOfAKnownMachineIsForgottenWhenThatMachineIsLinked() {
        refuse("10.0.0.2", Optional.of(machine(2)), LinkRejection.BLOCKED);
        refused.admitted(machine(3), InetAddress.ofLiteral("10.0.0.2"));
        assertEquals(List.of("10.0.0.2 1"), hosts());
        refused.admitted(machine(2), InetAddress.ofLiteral("10.0.0.9"));
        assertEquals(List.of(), hosts());
    }

    @Test
    void anAlarmThatDoesNotHappenAgainIsForgotten() {
        refuse("10.0.0.2", LinkRejection.NAMESPACE);
        clock.pass(599);
        refuse("10.0.0.2", LinkRejection.NAMESPACE);
        clock.pass(599);
        assertEquals(List.of("10.0.0.2 2"), hosts());
        clock.pass(2);
        assertEquals(List.<ClusterStatus.Refused>of(), refused.list());
    }
}

package io.hearth.agent.roster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.Clock;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Ed25519;
import io.hearth.identity.roster.GrantKind;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterEntry;
import io.hearth.identity.roster.machine.RosterMessage;
import io.hearth.identity.roster.machine.RosterMessageEncoding;
import io.hearth.transport.RekeyChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RosterTalkTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NodeIdentity self = NodeIdentity.generate();
    private final NodeIdentity friend = NodeIdentity.generate();
    private final NodeId friends = new NodeId(friend.peer(), NodeId.AGENT);
    private final NodeId guests = new NodeId(NodeIdentity.generate().peer(), NodeId.AGENT); // here by the secret alone
    private final RosterBook first = RosterBook.bySecret(NetworkNamespace.create("home"))
            .founded(Ed25519.hand(self), "own", 1, Ed25519.INSTANCE)
            .granted(Ed25519.hand(self), friend.peer(), "friend", GrantKind.PAIRED, 1, Ed25519.INSTANCE)
            .orElseThrow();
    private final RosterBook second =
            first.rotated(Ed25519.hand(self), first.current().successor(), 2, Ed25519.INSTANCE);
    private final List<NodeId> closed = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // set before each test
    private RosterTalk talk;

    @BeforeEach
    void link() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("home"));
        NamespaceFile.in(home).add(first.current());
        talk = new RosterTalk(
                self.peer(),
                first,
                new RosterKeeper(home, first.current(), self, _ -> {}), // not started: nothing is stored here
                new RosterAdmission(self.peer(), first, false),
                Clock.system(),
                new RosterTalk.Outcome() {
                    @Override
                    public void send(NodeId node, int kind, byte[] message) {}

                    @Override
                    public void close(NodeId node, String why) {
                        closed.add(node);
                    }

                    @Override
                    public void rekeyed(RosterBook newest) {}
                });
        talk.admitted(friends, first.keyId());
        talk.admitted(guests, first.keyId());
    }

    private void heard(NodeId from, RosterMessage message) {
        talk.heard(
                from,
                (node, why) -> faults.add(why),
                RosterMessageEncoding.kind(message),
                RosterMessageEncoding.encode(message));
    }

    /** A forged entry of this machine, which it never signed. */
    private RosterMessage forged() {
        RosterEntry own = first.roster().grant(friend.peer()).orElseThrow();
        return new RosterMessage.Page(
                Optional.empty(),
                List.of(new RosterEntry.Grant(
                        guests.peer(), self.peer(), "guest", GrantKind.PAIRED, 2, own.signature())));
    }

    private Set<PeerId> out() {
        return talk.outOf(List.of(self.peer(), friend.peer(), guests.peer()));
    }

    /** It may link again, so the view must not exclude it for that. */
    @Test
    void aPeerThatIsClosedForAFaultIsNotShutOut() {
        heard(guests, forged());
        assertEquals(List.of(guests), closed);
        assertEquals(Set.of(), out());
        talk.lost(guests);
        assertEquals(Set.of(), out());
        talk.stored(second);
        assertEquals(List.of(guests), closed);
        assertEquals(Set.of(), out(), "it was not linked when the secret was replaced");
    }

    @Test
    void whoIsLinkedAndNotOnTheRosterWhenTheSecretIsReplacedIsShutOutUntilItIsLinkedAgain() {
        talk.stored(second);
        assertEquals(List.of(guests), closed);
        assertEquals(Set.of(guests.peer()), out());
        talk.lost(guests);
        assertEquals(Set.of(guests.peer()), out());
        talk.admitted(guests, second.keyId());
        assertEquals(Set.of(), out());
    }

    /** A handshake that began before the new secret may end after it. */
    @Test
    void whoProvedTheFormerSecretAfterItWasReplacedIsClosedAndOut() {
        talk.lost(guests);
        talk.stored(second);
        assertEquals(List.of(), closed);
        talk.admitted(guests, first.keyId());
        assertEquals(List.of(guests), closed);
        assertEquals(Set.of(guests.peer()), out());
    }

    @Test
    void whoIsRemovedIsOutLinkedOrNot() {
        talk.lost(friends);
        talk.stored(first.without(
                        Ed25519.hand(self),
                        List.of(friend.peer()),
                        first.current().successor(),
                        2,
                        Ed25519.INSTANCE)
                .orElseThrow());
        assertEquals(Set.of(friend.peer(), guests.peer()), out());
    }

    /** A connection that carries a secret to a machine that was away. */
    private static final class Channel implements RekeyChannel {
        private final PeerId peer;
        private final List<String> ends = new ArrayList<>();

        Channel(PeerId peer) {
            this.peer = peer;
        }

        @Override
        public PeerId peer() {
            return peer;
        }

        @Override
        public InetSocketAddress address() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        }

        @Override
        public long number() {
            return 1;
        }

        @Override
        public void send(int kind, byte[] message) {}

        @Override
        public void close(String why) {
            ends.add("closed: " + why);
        }

        @Override
        public void refuse(String why) {
            ends.add("refused: " + why);
        }
    }

    @Test
    void reKeyingEndsInOrderWhenBothHoldTheSecretAndIsRefusedForWhatNobodyCanRead() {
        var done = new Channel(friend.peer());
        talk.opened(done);
        var same = new RosterMessage.Summary(first.roster().digest(), 1, first.keyId());
        talk.heard(done, RosterMessageEncoding.kind(same), RosterMessageEncoding.encode(same));
        assertEquals(List.of("closed: both sides hold the new secret"), done.ends);
        talk.closed(done);
        var broken = new Channel(friend.peer());
        talk.opened(broken);
        talk.heard(broken, RosterMessageEncoding.kind(same), new byte[1]);
        assertEquals(
                List.of("refused: malformed message: a message of a roster is cut off or out of range"), broken.ends);
        assertEquals(List.of(), closed);
        assertEquals(List.of(), faults);
    }
}

package io.hearth.identity.roster;

import static io.hearth.identity.roster.Hands.hand;
import static io.hearth.identity.roster.Hands.peer;
import static io.hearth.identity.roster.Hands.secret;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.machine.RosterMachine;
import io.hearth.identity.roster.machine.RosterMachine.Effect;
import io.hearth.identity.roster.machine.RosterMachine.Event;
import io.hearth.identity.roster.machine.RosterMachine.LinkId;
import io.hearth.identity.roster.machine.RosterMachine.State;
import io.hearth.identity.roster.machine.RosterMessage;
import io.hearth.identity.roster.machine.RosterMessageEncoding;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Attack 20: a stolen machine issues a secret of a far higher generation. A machine that was away meets it and the others in any order.
 * Both sides of each link run the real state machine, and their messages go through the real codec.
 */
final class RogueGenerationTest {
    private static final int ROGUE = 11;

    private final Deque<Runnable> wires = new ArrayDeque<>();
    private long links;
    private long nowNanos;

    /** All four were linked; then the fourth was removed while the third was away. */
    private final RosterBook before = Hands.book(4);

    private final RosterBook after = before.without(hand(2), List.of(peer(4)), secret(2, 7), 9, Hands.INSTANCE)
            .orElseThrow();

    /** A computer whose disk writes complete at once, with its links. */
    private final class Node {
        final int number;
        final PeerId self;
        final RosterMachine machine;
        final List<String> said = new ArrayList<>();
        final Map<LinkId, Node> linked = new HashMap<>();
        State state;
        RosterBook disk;

        Node(int number, RosterBook book) {
            this.number = number;
            self = peer(number);
            machine = new RosterMachine(self, Hands.INSTANCE, RosterMachine.Limits.DEFAULT);
            disk = book;
            state = State.of(book);
        }

        void happens(Event event) {
            Step<State, Effect> step = machine.step(state, event, nowNanos);
            state = step.state();
            step.effects().forEach(this::carryOut);
        }

        private void carryOut(Effect effect) {
            switch (effect) {
                case Effect.Send(LinkId link, RosterMessage message) -> send(link, message);
                case Effect.Close(LinkId link, String _) -> linked.remove(link);
                case Effect.Store(var entries, var present, var offer) -> {
                    disk = disk.taking(entries, present, offer, self, Hands.INSTANCE);
                    wires.add(() -> happens(new Event.Stored(disk)));
                }
                case Effect.Rotate(int generation) -> {
                    if (disk.current().generation() == generation && disk.isRotationDue()) {
                        disk = disk.rotated(hand(number), disk.current().successor(), 10, Ed25519.INSTANCE);
                    }
                    wires.add(() -> happens(new Event.Stored(disk)));
                }
                case Effect.Use(RosterBook book) -> assertTrue(isWhole(book), book::toString);
                case Effect.Say(String line) -> said.add(line);
            }
        }

        private void send(LinkId link, RosterMessage message) {
            Node other = linked.get(link);
            if (other != null) {
                byte[] bytes = RosterMessageEncoding.encode(message);
                wires.add(
                        () -> other.hears(new LinkId(self, link.number()), RosterMessageEncoding.kind(message), bytes));
            }
        }

        private void hears(LinkId link, int kind, byte[] bytes) {
            if (linked.containsKey(link)) {
                try {
                    happens(new Event.Received(link, RosterMessageEncoding.decode(Hands.HOME, kind, bytes)));
                } catch (MalformedMessageException odd) {
                    throw new AssertionError(odd);
                }
            }
        }

        RosterBook book() {
            return state.book();
        }
    }

    /** Whether secret and charter belong together. */
    private static boolean isWhole(RosterBook book) {
        return book.roster()
                .charter()
                .map(charter -> charter.keyId().equals(book.keyId()))
                .orElse(book.current().generation() == 1);
    }

    /** Links two nodes until they have no more messages, and again if a secret changed meanwhile. */
    private void meet(Node one, Node other) {
        for (int handshake = 0; handshake < 2; handshake++) {
            Common common = Common.of(
                    one.book().keyId(),
                    one.book().formerKeyId(),
                    other.book().keyId(),
                    other.book().formerKeyId());
            boolean isAdmitted = common != Common.NONE
                    && !one.book().roster().isRemoved(other.self)
                    && !other.book().roster().isRemoved(one.self);
            if (isAdmitted) {
                links++;
                link(one, other, common != Common.CURRENT);
            }
        }
        nowNanos += 30_000_000_000L; // longer than any machine waits before it replaces a secret
        for (Node node : List.of(one, other)) {
            node.happens(new Event.Tick());
            node.happens(new Event.Tick());
        }
        talk();
    }

    private void link(Node one, Node other, boolean rekey) {
        var there = new LinkId(other.self, links);
        var back = new LinkId(one.self, links);
        one.linked.put(there, other);
        other.linked.put(back, one);
        one.happens(new Event.Opened(there, rekey, one.state.book().keyId()));
        other.happens(new Event.Opened(back, rekey, other.state.book().keyId()));
        talk();
        one.linked.remove(there);
        other.linked.remove(back);
        one.happens(new Event.Closed(there));
        other.happens(new Event.Closed(back));
    }

    private void talk() {
        for (int i = 0; !wires.isEmpty(); i++) {
            assertTrue(i < 1_000, "they talk without end");
            wires.remove().run();
        }
    }

    /**
     * The book that the thief made: its own secret for the machines that it keeps, and the former secret, which machines that were away
     * know.
     */
    private RosterBook rogue(int... marked) {
        var members = new TreeSet<>(before.roster().members());
        var marks = new ArrayList<Bytes>();
        for (int number : marked) {
            members.remove(peer(number));
            marks.add(Charter.mark(peer(number)));
        }
        Charter unsigned = Charter.of(ROGUE, RosterBook.keyId(secret(ROGUE, 66)), peer(4), 1, members, marks);
        Charter charter = unsigned.signed(hand(4).sign(RosterEncoding.words(Hands.HOME, unsigned)));
        return new RosterBook(before.roster().under(charter), secret(ROGUE, 66), Optional.of(before.current()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"412", "421", "142", "124", "214", "241", "4142", "41424", "2414"})
    void whomeverAMachineThatWasAwayMeetsFirstItEndsWithTheSecretOfTheOthers(String order) {
        var away = new Node(3, before);
        var first = new Node(1, after);
        var second = new Node(2, after);
        var thief = new Node(4, rogue());
        for (int i = 0; i < order.length(); i++) {
            Node next = switch (order.charAt(i)) {
                case '1' -> first;
                case '2' -> second;
                default -> thief;
            };
            meet(away, next);
        }
        assertEquals(after.current(), away.disk.current());
        assertEquals(Optional.of(before.current()), away.disk.former(), "never the one of the thief");
        assertTrue(away.book().roster().isRemoved(thief.self));
        for (Node other : List.of(first, second)) {
            assertEquals(after.current(), other.disk.current());
        }
        assertEquals(ROGUE, thief.disk.current().generation(), "it was given nothing");
    }

    @Test
    void whoMeetsTheThiefFirstTakesItsSecretUntilItHearsOfTheRemoval() {
        var away = new Node(3, before);
        meet(away, new Node(4, rogue()));
        assertEquals(ROGUE, away.disk.current().generation(), "the test would show nothing");
        assertFalse(away.book().roster().isRemoved(peer(4)));
    }

    /** The thief's charter marks the founder as removed, without a signed removal. */
    @Test
    void aCharterThatMarksAMachineWithoutARemovalIsNotBelieved() {
        var away = new Node(3, before);
        meet(away, new Node(4, rogue(1)));
        assertFalse(away.book().roster().isRemoved(peer(1)));
        assertEquals(before.current(), away.disk.current());
        var second = new Node(2, after);
        meet(away, second);
        assertEquals(after.current(), away.disk.current());
        assertEquals(after.roster().members(), away.book().roster().members());
    }
}

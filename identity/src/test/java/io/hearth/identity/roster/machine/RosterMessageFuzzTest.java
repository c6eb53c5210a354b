package io.hearth.identity.roster.machine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Ed25519;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.Signatures;
import io.hearth.identity.roster.machine.RosterMachine.Effect;
import io.hearth.identity.roster.machine.RosterMachine.Event;
import io.hearth.identity.roster.machine.RosterMachine.LinkId;
import io.hearth.identity.roster.machine.RosterMachine.State;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Frames of a hostile member, decoded and fed to the machine. */
final class RosterMessageFuzzTest {
    private static final int FRAMES = Boolean.getBoolean("hearth.full") ? 80_000 : 20_000;
    private static final NodeIdentity OWN = NodeIdentity.generate();
    private static final LinkId LINK = new LinkId(NodeIdentity.generate().peer(), 1);

    /** Ed25519 that remembers sound signatures: most frames have them again, and each check takes half a millisecond. */
    private static final class SoundOnes implements Signatures {
        private record Signed(PeerId signer, Bytes words, Bytes signature) {}

        private final Set<Signed> sound = new HashSet<>();

        @Override
        public boolean verify(PeerId signer, byte[] words, Bytes signature) {
            var signed = new Signed(signer, Bytes.of(words), signature);
            if (sound.contains(signed)) {
                return true;
            }
            boolean isSound = Ed25519.INSTANCE.verify(signer, words, signature);
            if (isSound) {
                sound.add(signed);
            }
            return isSound;
        }
    }

    private static RosterBook book() {
        NetworkNamespace first = NetworkNamespace.create("home");
        return RosterBook.bySecret(first)
                .founded(Ed25519.hand(OWN), "own", 1, Ed25519.INSTANCE)
                .rotated(Ed25519.hand(OWN), first.successor(), 2, Ed25519.INSTANCE);
    }

    @Test
    void noFrameMakesTheMachineThrowOrGrow() throws MalformedMessageException {
        RosterBook book = book();
        List<RosterMessage> sound = List.of(
                new RosterMessage.Summary(Bytes.of(new byte[32]), 3, Bytes.of(new byte[8])),
                new RosterMessage.Page(book.roster().charter(), book.roster().entries()),
                new RosterMessage.Secret(book.offer().orElseThrow()));
        for (RosterMessage message : sound) {
            byte[] bytes = RosterMessageEncoding.encode(message);
            RosterMessage read = RosterMessageEncoding.decode("home", RosterMessageEncoding.kind(message), bytes);
            assertArrayEquals(bytes, RosterMessageEncoding.encode(read));
        }
        var machine = new RosterMachine(OWN.peer(), new SoundOnes(), RosterMachine.Limits.DEFAULT);
        var state = machine.step(State.of(book), new Event.Opened(LINK, false, book.keyId()), 0)
                .state();
        var random = new SplittableRandom(5);
        int handed = 0;
        for (int i = 0; i < FRAMES; i++) {
            RosterMessage message = sound.get(random.nextInt(sound.size()));
            byte[] bytes = RosterMessageEncoding.encode(message);
            for (int flips = random.nextInt(4); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            if (random.nextInt(4) == 0) {
                bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 8));
            }
            try {
                RosterMessage read = RosterMessageEncoding.decode("home", RosterMessageEncoding.kind(message), bytes);
                var step = machine.step(state, new Event.Received(LINK, read), i * 1_000_000_000L);
                handed++;
                state = step.effects().stream().anyMatch(Effect.Close.class::isInstance)
                        ? machine.step(step.state(), new Event.Opened(LINK, false, book.keyId()), i * 1_000_000_000L)
                                .state()
                        : step.state();
            } catch (MalformedMessageException rejected) {
                assertTrue(rejected.getMessage() != null);
            }
        }
        assertTrue(handed > FRAMES / 10, "handed " + handed);
        assertEquals(book.roster(), state.book().roster());
        assertEquals(1, state.linkCount());
    }
}

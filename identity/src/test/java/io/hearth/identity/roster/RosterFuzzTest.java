package io.hearth.identity.roster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NetworkNamespace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Bytes of other machines: the decoders accept exactly the bytes that a member writes, and throw only MalformedMessageException. */
final class RosterFuzzTest {
    private static final int FRAMES = Boolean.getBoolean("hearth.full") ? 200_000 : 100_000;

    private static final RosterBook BOOK = Hands.book(6)
            .without(Hands.hand(2), List.of(Hands.peer(6)), Hands.secret(2, 7), 9, Hands.INSTANCE)
            .orElseThrow();

    private static List<byte[]> sound() {
        var sound = new ArrayList<byte[]>();
        BOOK.roster().entries().forEach(entry -> sound.add(RosterEncoding.encode(entry)));
        sound.add(RosterEncoding.encode(BOOK.roster().charter().orElseThrow()));
        sound.add(RosterEncoding.encode(BOOK.roster().entries()));
        sound.add(RosterEncoding.encode(BOOK.roster()));
        return sound;
    }

    @Test
    void whatWasWrittenIsReadAgain() throws MalformedMessageException {
        for (RosterEntry entry : BOOK.roster().entries()) {
            assertEquals(entry, RosterEncoding.entry(RosterEncoding.encode(entry)));
        }
        Charter charter = BOOK.roster().charter().orElseThrow();
        assertEquals(charter, RosterEncoding.charter(RosterEncoding.encode(charter)));
        assertEquals(BOOK.roster(), RosterEncoding.roster(Hands.HOME, RosterEncoding.encode(BOOK.roster())));
        assertEquals(
                Roster.empty(Hands.HOME),
                RosterEncoding.roster(Hands.HOME, RosterEncoding.encode(Roster.empty(Hands.HOME))));
    }

    @Test
    void fuzzedFramesAreReadBackOrRejectedAndNothingElse() {
        var random = new SplittableRandom(20);
        List<byte[]> sound = sound();
        int read = 0;
        for (int i = 0; i < FRAMES; i++) {
            byte[] bytes = mutated(sound.get(random.nextInt(sound.size())), random);
            read += decodes(bytes) ? 1 : 0;
        }
        assertTrue(read > FRAMES / 1_000, "most flips of a signature are still an entry: " + read);
    }

    @Test
    void lengthsThatLieAreRejectedBeforeAnythingIsTaken() {
        byte[] huge = RosterEncoding.encode(BOOK.roster());
        huge[33] = 0x7f; // length of the charter
        assertThrows(MalformedMessageException.class, () -> RosterEncoding.roster(Hands.HOME, huge));
        byte[] many = RosterEncoding.encode(BOOK.roster().entries());
        many[0] = (byte) 0xff; // number of entries
        assertThrows(MalformedMessageException.class, () -> RosterEncoding.entries(many));
        assertThrows(
                MalformedMessageException.class,
                () -> RosterEncoding.roster(Hands.HOME, new byte[RosterEncoding.ROSTER_BYTES_MAX + 1]));
        assertThrows(MalformedMessageException.class, () -> RosterEncoding.entry(new byte[0]));
    }

    /** Whether a decoder accepts the bytes; an accepted value must encode to the same bytes. */
    private static boolean decodes(byte[] bytes) {
        boolean read = false;
        try {
            assertArrayEquals(bytes, RosterEncoding.encode(RosterEncoding.entry(bytes)));
            read = true;
        } catch (MalformedMessageException rejected) {
            assertTrue(rejected.getMessage() != null);
        }
        try {
            assertArrayEquals(bytes, RosterEncoding.encode(RosterEncoding.charter(bytes)));
            read = true;
        } catch (MalformedMessageException rejected) {
            assertTrue(rejected.getMessage() != null);
        }
        try {
            assertArrayEquals(bytes, RosterEncoding.encode(RosterEncoding.entries(bytes)));
            read = true;
        } catch (MalformedMessageException rejected) {
            assertTrue(rejected.getMessage() != null);
        }
        try {
            Roster roster = RosterEncoding.roster(Hands.HOME, bytes);
            assertTrue(roster.members().size() <= Roster.ENTRIES_MAX + NetworkNamespace.SECRET_BYTES);
            read = true;
        } catch (MalformedMessageException rejected) {
            assertTrue(rejected.getMessage() != null);
        }
        return read;
    }

    private static byte[] mutated(byte[] sound, SplittableRandom random) {
        byte[] bytes = sound.clone();
        switch (random.nextInt(5)) {
            case 0 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 40));
            case 1 -> {
                for (int flips = random.nextInt(8); flips >= 0; flips--) {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                }
            }
            case 2 -> {
                int at = random.nextInt(bytes.length);
                for (int i = at; i < Math.min(bytes.length, at + 4); i++) {
                    bytes[i] = (byte) (random.nextBoolean() ? 0xff : random.nextInt());
                }
            }
            case 3 -> bytes[random.nextInt(Math.min(80, bytes.length))] = (byte) random.nextInt();
            default -> {
                int from = random.nextInt(bytes.length);
                int to = random.nextInt(bytes.length);
                int count = Math.min(32, bytes.length - Math.max(from, to));
                System.arraycopy(sound, from, bytes, to, count);
            }
        }
        return bytes;
    }
}

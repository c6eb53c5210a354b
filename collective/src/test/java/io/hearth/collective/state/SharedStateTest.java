package io.hearth.collective.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.StateBlob;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Shared buffers and their manifests. */
final class SharedStateTest {
    private static final int CHUNK = 64;

    private static byte[] bytes(long seed, int size) {
        byte[] bytes = new byte[size];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    private static SharedState state(byte[]... buffers) {
        var state = new SharedState(CHUNK);
        state.share(
                "weights", Arrays.stream(buffers).map(MemorySegment::ofArray).toList());
        return state;
    }

    private static Bytes digest(byte[]... buffers) {
        return state(buffers).manifest().digest();
    }

    @Test
    void equalBytesHaveEqualDigestsWhereverTheyLie() {
        float[] floats = new float[501];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = i / 7f;
        }
        byte[] copy = MemorySegment.ofArray(floats).toArray(ValueLayout.JAVA_BYTE);
        try (var arena = Arena.ofShared()) {
            MemorySegment around = arena.allocate(copy.length + 1);
            MemorySegment odd = around.asSlice(1); // at an odd address
            MemorySegment.copy(MemorySegment.ofArray(copy), 0, odd, 0, copy.length);
            var onHeap = new SharedState(CHUNK);
            onHeap.share("weights", List.of(MemorySegment.ofArray(floats)));
            var outside = new SharedState(CHUNK);
            outside.share("weights", List.of(odd));
            assertEquals(digest(copy), onHeap.manifest().digest());
            assertEquals(digest(copy), outside.manifest().digest());
        }
    }

    @Test
    void anotherOrderSizeNameOrBitIsAnotherState() {
        byte[] one = bytes(1, 100);
        byte[] two = bytes(2, 100);
        Bytes digest = digest(one, two);
        assertEquals(digest, digest(one.clone(), two.clone()));
        assertNotEquals(digest, digest(two, one), "order");
        byte[] joined = Arrays.copyOf(one, 200);
        System.arraycopy(two, 0, joined, 100, 100);
        assertNotEquals(digest, digest(joined), "the same bytes in one buffer");
        assertNotEquals(
                digest, digest(Arrays.copyOf(joined, 99), Arrays.copyOfRange(joined, 99, 200)), "cut elsewhere");
        assertNotEquals(digest, digest(one, two, new byte[0]), "an empty buffer more");
        var renamed = new SharedState(CHUNK);
        renamed.share("bias", List.of(MemorySegment.ofArray(one), MemorySegment.ofArray(two)));
        assertNotEquals(digest, renamed.manifest().digest(), "name");
        for (int index : new int[] {0, 63, 64, 99}) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] flipped = one.clone();
                flipped[index] ^= (byte) (1 << bit);
                assertNotEquals(digest, digest(flipped, two), "bit " + bit + " of byte " + index);
            }
        }
    }

    @Test
    void aNanIsItsBitsAndZeroHasASign() {
        var payloads = IntStream.of(0x7FC00000, 0x7FC00001, 0xFFC00000, 0x7F800001, 0x00000000, 0x80000000)
                .mapToObj(bits -> {
                    float[] values = {1, Float.intBitsToFloat(bits), 2};
                    MemorySegment.ofArray(values).set(ValueLayout.JAVA_INT, 4, bits);
                    var state = new SharedState(CHUNK);
                    state.share("weights", List.of(MemorySegment.ofArray(values)));
                    return state.manifest().digest();
                })
                .toList();
        assertEquals(payloads.size(), payloads.stream().distinct().count());
    }

    @Test
    void oneChangedByteChangesTheFingerprintOfItsChunkAlone() {
        for (int size : new int[] {1, 63, 64, 65, 127, 128, 129, 1009}) {
            byte[] all = bytes(3, size);
            for (int index : new int[] {0, size / 2, size - 1}) {
                byte[] changed = all.clone();
                changed[index]++;
                var before = state(all).manifest();
                assertEquals(Math.ceilDiv(size, CHUNK), before.layout().chunks());
                assertEquals(
                        List.of(index / CHUNK), before.differing(state(changed).manifest()), size + " at " + index);
            }
        }
    }

    @Test
    void aFingerprintIsThatOfTheBytesHoweverTheyAreCut() {
        byte[] all = bytes(4, 70_001);
        long expected = new ChunkFingerprint().of(MemorySegment.ofArray(all));
        var cut = new ChunkFingerprint();
        try (var arena = Arena.ofShared()) {
            for (int from = 0, length = 1; from < all.length; from += length, length = length * 3 % 20_011) {
                length = Math.min(length, all.length - from);
                MemorySegment part = MemorySegment.ofArray(all).asSlice(from, length);
                cut.add(from % 2 == 0 ? part : arena.allocate(length).copyFrom(part));
            }
        }
        assertEquals(expected, cut.take());
        assertEquals(expected, cut.of(MemorySegment.ofArray(all)), "nothing is left of the one before");
    }

    @Test
    void bytesAreReadAndWrittenAcrossBuffers() {
        byte[] whole = bytes(5, 1000);
        int[] sizes = {0, 1, 0, 0, 63, 500, 0, 436, 0};
        byte[][] buffers = new byte[sizes.length][];
        for (int i = 0; i < sizes.length; i++) {
            buffers[i] = new byte[sizes[i]];
        }
        SharedState state = state(buffers);
        for (int from = 0; from < whole.length; from += 77) {
            int length = Math.min(77, whole.length - from);
            state.write(from, MemorySegment.ofArray(whole).asSlice(from, length));
        }
        for (int from = 0; from < whole.length; from += 13) {
            byte[] read = new byte[Math.min(131, whole.length - from)];
            state.read(from, MemorySegment.ofArray(read));
            assertArrayEquals(Arrays.copyOfRange(whole, from, from + read.length), read, "from " + from);
        }
        assertEquals(state(buffers).manifest().digest(), state.manifest().digest());
    }

    @Test
    void aLargeStateIsLookedOverByAllProcessorsWithTheSameResult() {
        byte[] all = bytes(6, (9 << 20) + 1);
        var large = new SharedState();
        large.share("weights", List.of(MemorySegment.ofArray(all)));
        var manifest = large.manifest();
        for (int chunk = 0; chunk < 10; chunk++) {
            MemorySegment part = MemorySegment.ofArray(all)
                    .asSlice((long) chunk << 20, manifest.layout().chunkLength(chunk));
            assertEquals(new ChunkFingerprint().of(part), manifest.fingerprint(chunk), "chunk " + chunk);
        }
    }

    @Test
    void nothingSharedIsAStateToo() {
        assertEquals(
                new SharedState(CHUNK).manifest().digest(),
                new SharedState(CHUNK).manifest().digest());
        assertEquals(0, new SharedState(CHUNK).manifest().layout().chunks());
        assertNotEquals(digest(new byte[0]), new SharedState(CHUNK).manifest().digest());
    }

    @Test
    void whatCannotBeSharedIsRefusedInOneLine() {
        var state = state(new byte[3]);
        MemorySegment good = MemorySegment.ofArray(new byte[4]);
        assertRefused("unique", () -> state.share("weights", List.of(good)));
        assertRefused("1 to 63", () -> state.share("", List.of(good)));
        assertRefused("1 to 63", () -> state.share("x".repeat(64), List.of(good)));
        assertRefused("printable", () -> state.share("a\nb", List.of(good)));
        assertRefused("at least one", () -> state.share("none", List.of()));
        assertRefused("read-only", () -> state.share("fixed", List.of(good.asReadOnly())));
        assertRefused(
                "16384",
                () -> state.share(
                        "many", IntStream.range(0, 16_384).mapToObj(_ -> good).toList()));
        try (var confined = Arena.ofConfined()) {
            MemorySegment mine = confined.allocate(8);
            assertRefused("one thread", () -> state.share("confined", List.of(mine)));
        }
        assertEquals(1, state.layout().shares().size(), "nothing refused is registered");
        state.share("bias", List.of(good));
        assertRefused("1 to 2^30", () -> state.share("sampler", 0, blob(new byte[1], new byte[1])));
        state.share("sampler", 4, blob(new byte[5], new byte[1]));
        assertRefused("has 5 bytes, and was shared with room for 4", state::ask);
    }

    @Test
    void buffersMayChangeAtEachBoundary() {
        SharedState state = state(bytes(9, 100));
        var optimizer = new ArrayList<MemorySegment>(List.of(MemorySegment.ofArray(new byte[10])));
        state.share("optimizer", () -> List.copyOf(optimizer));
        state.ask();
        assertEquals(110, state.layout().bytes());
        optimizer.add(MemorySegment.ofArray(bytes(10, 70)));
        state.ask();
        assertEquals(180, state.layout().bytes());
        byte[] last = new byte[70];
        state.read(110, MemorySegment.ofArray(last));
        assertArrayEquals(bytes(10, 70), last);
        state.unshare("weights");
        state.ask();
        assertEquals(80, state.layout().bytes());
    }

    @Test
    void aNameThatIsFreeAgainMayBeSharedBeforeTheNextBoundary() {
        SharedState state = state(bytes(9, 100));
        state.ask();
        state.unshare("weights");
        state.share("weights", List.of(MemorySegment.ofArray(bytes(10, 70))));
        assertEquals(70, state.layout().bytes());
        state.ask();
        assertEquals(70, state.layout().bytes());
        state.share("late", List::of);
        assertRefused("shared already", () -> state.share("late", List.of(MemorySegment.ofArray(new byte[1]))));
    }

    @Test
    void aBlobThatIsSharedWithinABoundaryIsNotLoadedByIt() {
        var state = new SharedState(CHUNK);
        state.ask();
        state.share("late", 8, blob(new byte[1], new byte[0])); // to load its one byte would throw
        state.loadBlobs();
        state.ask();
        assertThrows(IndexOutOfBoundsException.class, state::loadBlobs);
    }

    @Test
    void aBlobOfAnyLengthTravelsInABufferOfOneLength() {
        for (int length : new int[] {0, 1, 299, 300}) {
            byte[] mine = bytes(11, length);
            byte[] got = new byte[300];
            Arrays.fill(got, (byte) 7);
            SharedState source = new SharedState(CHUNK);
            source.share("sampler", 300, blob(mine, new byte[0]));
            source.ask();
            SharedState joiner = new SharedState(CHUNK);
            joiner.share("sampler", 300, blob(bytes(12, 200), got));
            joiner.ask();
            assertEquals(source.layout(), joiner.layout());
            byte[] whole = new byte[(int) source.layout().bytes()];
            source.read(0, MemorySegment.ofArray(whole));
            joiner.write(0, MemorySegment.ofArray(whole));
            joiner.loadBlobs();
            assertArrayEquals(mine, Arrays.copyOf(got, length));
            assertEquals(source.manifest().digest(), joiner.manifest().digest());
        }
    }

    private static StateBlob blob(byte[] saved, byte[] into) {
        return new StateBlob() {
            @Override
            public byte[] save() {
                return saved;
            }

            @Override
            public void load(byte[] arrived) {
                System.arraycopy(arrived, 0, into, 0, arrived.length);
            }
        };
    }

    private static void assertRefused(String part, Runnable action) {
        String line = String.valueOf(
                assertThrows(IllegalArgumentException.class, action::run).getMessage());
        assertTrue(line.contains(part), line);
    }

    @Test
    void memoryThatIsGoneIsSaidSo() {
        var state = new SharedState(CHUNK);
        try (var arena = Arena.ofShared()) {
            state.share("weights", List.of(arena.allocate(100)));
        }
        String line = String.valueOf(
                assertThrows(IllegalStateException.class, state::manifest).getMessage());
        assertTrue(line.contains("keep them alive"), line);
    }

    @Test
    void aManifestSurvivesTheWireAndNonsenseIsMalformed() throws Exception {
        var state = state(bytes(7, 1000), new byte[0]);
        state.share("schritt \u00e4", List.of(MemorySegment.ofArray(new long[2])));
        StateManifest manifest = state.manifest();
        byte[] encoded = manifest.encode();
        StateManifest decoded = StateManifest.decode(encoded);
        assertEquals(manifest.layout(), decoded.layout());
        assertEquals(manifest.digest(), decoded.digest());
        assertEquals(List.of(), manifest.differing(decoded));
        for (int length = 0; length < encoded.length; length++) {
            byte[] cut = Arrays.copyOf(encoded, length);
            assertThrows(MalformedMessageException.class, () -> StateManifest.decode(cut), "cut at " + length);
        }
        var random = new SplittableRandom(8);
        for (int i = 0; i < 20_000; i++) {
            byte[] broken = encoded.clone();
            for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt();
            }
            try {
                StateManifest.decode(broken);
            } catch (MalformedMessageException expected) {
                assertTrue(String.valueOf(expected.getMessage()).length() > 10);
            }
        }
    }

    @Test
    void differencesInARowAreCountedWithinALineage() {
        SharedState state = state(new byte[4]);
        assertEquals(0, state.passed("a", 1, true), "it entered");
        assertEquals(1, state.passed("a", 2, true));
        assertEquals(2, state.passed("a", 3, true));
        assertEquals(0, state.passed("a", 4, false));
        assertEquals(1, state.passed("a", 5, true));
        assertEquals(0, state.passed("b", 6, true), "it entered another group");
        assertEquals(1, state.passed("b", 7, true));
        state.left();
        assertEquals(0, state.passed("b", 8, true), "it came back");
    }

    @Test
    void layoutsSayHowTheyDiffer() {
        SharedState own = state(new byte[400]);
        assertEquals("", difference(own, state(new byte[400])));
        assertEquals("shares 'weights' of 400 bytes, the group's is 404 bytes", difference(own, state(new byte[404])));
        assertEquals(
                "shares 'weights' in 1 buffers, the group in 2", difference(own, state(new byte[400], new byte[1])));
        assertEquals(
                "shares 'weights' (buffer 2 of 2) of 1 bytes, the group's is 2 bytes",
                difference(state(new byte[4], new byte[1]), state(new byte[4], new byte[2])));
        SharedState more = state(new byte[400]);
        more.share("bias", List.of(MemorySegment.ofArray(new byte[1])));
        assertEquals("does not share 'bias' as the group does", difference(own, more));
        assertEquals("shares 'bias', which the group does not share", difference(more, own));
        var other = new SharedState(CHUNK);
        other.share("bias", List.of(MemorySegment.ofArray(new byte[1])));
        assertEquals("shares 'bias' where the group shares 'weights'", difference(other, own));
    }

    private static String difference(SharedState own, SharedState group) {
        return own.layout().differenceFrom(group.layout()).orElse("");
    }
}

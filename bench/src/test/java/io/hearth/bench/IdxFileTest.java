package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class IdxFileTest {
    private static final byte[] VALUES = {1, 2, 3, 4, 5, -6};
    private static final byte[] SOUND = IdxImages.file(VALUES, 0x803, 2, 1, 3);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private byte[] read(byte[] bytes) throws Exception {
        return IdxFile.read(Files.write(folder.resolve("file"), bytes), "images", 5, 1, 3);
    }

    @Test
    void plainAndPackedFilesGiveTheirValues() throws Exception {
        assertArrayEquals(VALUES, read(SOUND));
        assertArrayEquals(VALUES, read(IdxImages.gzip(SOUND)));
    }

    static Stream<Arguments> unsound() throws Exception {
        byte[] packed = IdxImages.gzip(SOUND);
        byte[] damaged = packed.clone();
        damaged[packed.length - 6] ^= 1; // a byte of the checksum
        return Stream.of(
                Arguments.of("nothing", new byte[0], "ends early"),
                Arguments.of("half a magic", Arrays.copyOf(SOUND, 3), "ends early"),
                Arguments.of("a header alone", Arrays.copyOf(SOUND, 16), "ends early"),
                Arguments.of("a value too few", Arrays.copyOf(SOUND, SOUND.length - 1), "ends early"),
                Arguments.of("a value too many", Arrays.copyOf(SOUND, SOUND.length + 1), "more data"),
                Arguments.of("labels", IdxImages.file(VALUES, 0x801, 6), "00000803"),
                Arguments.of("floats", IdxImages.file(VALUES, 0xd03, 2, 1, 3), "00000d03"),
                Arguments.of("no elements", IdxImages.file(new byte[0], 0x803, 0, 1, 3), "claims 0 images"),
                Arguments.of("too many", IdxImages.file(new byte[18], 0x803, 6, 1, 3), "not 1 to 5"),
                Arguments.of("billions", IdxImages.file(VALUES, 0x803, -1, 1, 3), "4294967295"),
                Arguments.of("another side", IdxImages.file(VALUES, 0x803, 2, 3, 1), "a side of its images is 3"),
                Arguments.of("a huge side", IdxImages.file(VALUES, 0x803, 2, 1, -1), "4294967295"),
                Arguments.of("half a gzip", Arrays.copyOf(packed, packed.length / 2), "ends early"),
                Arguments.of("a damaged gzip", damaged, "gzip is damaged"),
                Arguments.of("only the gzip magic", Arrays.copyOf(packed, 2), "ends early"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unsound")
    void whatIsNoSuchFileIsOneLineThatSaysWhy(String name, byte[] bytes, String why) {
        String said = said(assertThrows(SetupException.class, () -> read(bytes)));
        assertTrue(said.contains(why) && said.contains("images") && said.contains("; "), said);
    }

    @Test
    void aMissingFileAndAFolderAreNamed() {
        Path nowhere = folder.resolve("nowhere");
        assertTrue(said(assertThrows(SetupException.class, () -> IdxFile.read(nowhere, "labels", 5)))
                .contains("no file " + nowhere));
        assertTrue(said(assertThrows(SetupException.class, () -> IdxFile.read(folder, "labels", 5)))
                .contains(folder.toString()));
    }

    @Test
    void noBytesDoMoreThanBeingRefused() throws Exception {
        var random = new SplittableRandom(7);
        byte[] packed = IdxImages.gzip(SOUND);
        for (int i = 0; i < 2_000; i++) {
            byte[] bytes = (random.nextBoolean() ? SOUND : packed).clone();
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                assertEquals(VALUES.length, read(bytes).length);
            } catch (SetupException refused) {
                said(refused);
            }
        }
    }

    private static String said(SetupException refused) {
        String said = String.valueOf(refused.getMessage());
        assertEquals(1, said.lines().count(), said);
        return said;
    }
}

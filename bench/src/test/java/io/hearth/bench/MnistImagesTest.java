package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import io.hearth.examples.Batch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MnistImagesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    /** Image {@code i} has the number {@code i} in its first two pixels and zeros elsewhere. Its label is {@code i % 10}. */
    private MnistImages numbered(int count) throws Exception {
        byte[] pixels = new byte[count * MnistImages.PIXELS];
        for (int i = 0; i < count; i++) {
            pixels[i * MnistImages.PIXELS] = (byte) i;
            pixels[i * MnistImages.PIXELS + 1] = (byte) (i >> 8);
        }
        byte[] file = IdxImages.file(pixels, IdxImages.IMAGES_MAGIC, count, 28, 28);
        Path images = Files.write(folder.resolve("images.gz"), IdxImages.gzip(file));
        Path labels = Files.write(folder.resolve("labels"), IdxImages.labels(count));
        return MnistImages.read(images, labels);
    }

    private static int[] numbers(Batch batch) {
        return IntStream.range(0, batch.size())
                .map(i -> {
                    int number = Math.round(255 * (batch.feature(i, 0) + 256 * batch.feature(i, 1)));
                    assertEquals(number % 10, batch.label(i));
                    return number;
                })
                .toArray();
    }

    @Test
    void everyImageIsInExactlyOneHalfWithItsOwnLabel() throws Exception {
        MnistImages.Split split = numbered(403).split(5);
        assertEquals(80, split.test().size());
        int[] all = IntStream.concat(Arrays.stream(numbers(split.train())), Arrays.stream(numbers(split.test())))
                .sorted()
                .toArray();
        assertArrayEquals(IntStream.range(0, 403).toArray(), all);
    }

    @Test
    void theSeedAloneChoosesTheSplit() throws Exception {
        MnistImages images = numbered(300);
        assertArrayEquals(
                numbers(images.split(1).test()), numbers(images.split(1).test()));
        assertFalse(Arrays.equals(
                numbers(images.split(1).test()), numbers(images.split(2).test())));
    }

    private String refusal(byte[] images, byte[] labels) throws Exception {
        Path imageFile = Files.write(folder.resolve("i"), images);
        Path labelFile = Files.write(folder.resolve("l"), labels);
        String said = String.valueOf(assertThrows(SetupException.class, () -> MnistImages.read(imageFile, labelFile))
                .getMessage());
        assertEquals(1, said.lines().count(), said);
        return said;
    }

    @Test
    void filesThatDoNotFitAreRefusedWithTheReason() throws Exception {
        byte[] images = IdxImages.images(200, 1);
        assertTrue(refusal(images, IdxImages.labels(199)).contains("200 images"));
        assertTrue(refusal(images, images).contains("an IDX file of labels"));
        byte[] letters = IdxImages.labels(200);
        letters[8 + 17] = 10;
        assertTrue(refusal(images, letters).contains("label 17 is 10"));
        assertTrue(refusal(IdxImages.images(158, 1), IdxImages.labels(158)).contains("too few"));
        assertEquals(159, IdxImages.read(folder, 159).count());
    }
}

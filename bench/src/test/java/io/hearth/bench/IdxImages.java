package io.hearth.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;

/** IDX files of images that a network can distinguish: each digit has a bright stripe at its own place, in noise. */
final class IdxImages {
    static final int IMAGES_MAGIC = 0x803;
    static final int LABELS_MAGIC = 0x801;

    private IdxImages() {}

    /** Writes both files to {@code folder} and reads them. */
    static MnistImages read(Path folder, int count) throws Exception {
        Path images = Files.write(folder.resolve("images"), images(count, 1));
        Path labels = Files.write(folder.resolve("labels"), labels(count));
        return MnistImages.read(images, labels);
    }

    /** Image {@code i} shows the digit {@code i % 10}. */
    static byte[] images(int count, long seed) {
        var random = new SplittableRandom(seed);
        byte[] pixels = new byte[count * MnistImages.PIXELS];
        for (int at = 0; at < pixels.length; at++) {
            int digit = at / MnistImages.PIXELS % MnistImages.CLASSES;
            boolean stripe = at % MnistImages.PIXELS / 56 == digit + 2;
            pixels[at] = (byte) (random.nextInt(60) + (stripe ? random.nextInt(100) : 0));
        }
        return file(pixels, IMAGES_MAGIC, count, 28, 28);
    }

    static byte[] labels(int count) {
        byte[] labels = new byte[count];
        for (int i = 0; i < count; i++) {
            labels[i] = (byte) (i % MnistImages.CLASSES);
        }
        return file(labels, LABELS_MAGIC, count);
    }

    static byte[] file(byte[] values, int... header) {
        ByteBuffer file = ByteBuffer.allocate(header.length * Integer.BYTES + values.length);
        for (int word : header) {
            file.putInt(word);
        }
        return file.put(values).array();
    }

    static byte[] gzip(byte[] plain) throws IOException {
        var packed = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(packed)) {
            out.write(plain);
        }
        return packed.toByteArray();
    }
}

package io.hearth.accel.metal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The text of all kernels, which Metal compiles when the GPU is opened. */
final class KernelSource {
    private KernelSource() {}

    /** All texts, the arithmetic before the kernels that use it. */
    static String text() {
        return part("floats.metal") + part("reduce.metal") + part("codecs.metal");
    }

    private static String part(String name) {
        try (InputStream stream = KernelSource.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new AssertionError("the resource " + name + " is missing from this build");
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException("cannot read the resource " + name, unreadable);
        }
    }
}

package io.hearth.scheduler.rule;

import java.nio.charset.StandardCharsets;

/** The 32-bit hash FNV-1a, as Go's {@code fnv.New32a} computes it. */
public final class Fnv1a {
    private static final int BASIS = 0x811c9dc5;
    private static final int PRIME = 0x01000193;

    private Fnv1a() {}

    /** The hash of the UTF-8 bytes; an unsigned number. */
    public static int hash(String text) {
        int hash = BASIS;
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xff)) * PRIME;
        }
        return hash;
    }
}

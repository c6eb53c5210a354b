package io.hearth.bridge;

import io.hearth.bridge.log.BridgeLogProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The entry point for programs in other languages. A program starts a JVM in its process with {@code JNI_CreateJavaVM}, calls {@link #table}
 * once by JNI, and from then on only the C functions that it got. {@code hearth.h}, in this package's resources, describes them.
 */
public final class Bridge {
    private static final MemorySegment TABLE;

    static {
        // Here instead of as a service, so that a Java program with this jar keeps the provider of its choice.
        System.setProperty("slf4j.provider", BridgeLogProvider.class.getName());
        System.setProperty("slf4j.internal.verbosity", "WARN"); // else it reports the choice in a line of its own
        TABLE = AbiTable.write(Arena.global());
    }

    private Bridge() {}

    /** Address of a {@code struct hearth_api}, valid as long as the process. */
    public static long table() {
        return TABLE.address();
    }
}

package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A JVM that may not call native code; it is a child process. */
final class NativeAccessTest {
    /** The program of that JVM. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            var limits = new MetalLimits(1, 4, Duration.ofSeconds(1), Duration.ofSeconds(1));
            try (MetalEngine engine = MetalEngine.open(MetalLibraries.APPLE, limits)) {
                System.out.println(
                        engine.status().faults() + " " + engine.status().why());
            }
        }
    }

    @Test
    void aJvmWithoutPermissionGoesWithoutMetalAndSaysWhichFlagIsMissing() throws IOException, InterruptedException {
        ChildJvm child = ChildJvm.run(Program.class, "--illegal-native-access=deny");
        assertEquals(0, child.exitCode(), child::said);
        assertTrue(child.said().contains("FORBIDDEN=1"), child::said);
        assertTrue(child.said().contains("--enable-native-access=ALL-UNNAMED"), child::said);
    }
}

package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In a separate process, because Java decides at its start. */
final class AesSpeedTest {
    /** Prints the answer. */
    static final class Ask {
        private Ask() {}

        public static void main(String[] arguments) {
            System.out.print(AesSpeed.isSlow());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseAES", "-XX:-UseAES"})
    void javaKnowsWhetherItUsesTheInstructions(String flag) throws Exception {
        Process java = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        flag,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Ask.class.getName())
                .start();
        String said = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String complaint = new String(java.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        boolean hasThem = flag.equals("-XX:+UseAES") && !complaint.contains("not available"); // the processor's
        assertEquals(0, java.waitFor(), complaint);
        assertEquals(
                !hasThem,
                Boolean.parseBoolean(
                        said.substring(Math.max(0, said.length() - 5)).strip()),
                said);
    }
}

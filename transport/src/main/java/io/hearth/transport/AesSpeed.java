package io.hearth.transport;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * Whether AES is slow on this machine.
 *
 * <p>The JVM's flags say whether it uses the processor's AES instructions. Timing both ciphers for a few milliseconds would give the
 * opposite answer: Java compiles the code that uses these instructions late. So in a young process AES-256-GCM runs at 65 MB/s on a
 * processor with them and on one without, and ChaCha20-Poly1305 is many times as fast on both.
 */
public final class AesSpeed {
    private AesSpeed() {}

    /** Whether AES is slow. Determined once for each process; false if Java does not say. */
    public static boolean isSlow() {
        return Answer.SLOW;
    }

    private static final class Answer {
        static final boolean SLOW = ask();

        private Answer() {}

        private static boolean ask() {
            try {
                HotSpotDiagnosticMXBean java = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
                return java != null && java.getVMOption("UseAES").getValue().equals("false");
            } catch (IllegalArgumentException notSaid) {
                return false;
            }
        }
    }
}

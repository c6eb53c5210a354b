package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;

/**
 * Asks the JDK's own code how it would send our messages on macOS: in the same registers as on Linux, and a size of three longs by the
 * address of a copy. Apple's convention differs from the standard one of 64-bit Arm for arguments on the stack and for variadic
 * functions; our messages have neither.
 */
final class MacCallingConventionTest {
    private static final int INTERNALS_MOVED = 3;
    private static final String ABI = "java.base/jdk.internal.foreign.abi";

    /** The program of a JVM that opens its internals. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws ReflectiveOperationException {
            try {
                for (Selector selector : Selector.values()) {
                    FunctionDescriptor descriptor = selector.encoding().descriptor();
                    String mac = recipe("MACOS", descriptor);
                    System.out.println((mac.equals(recipe("LINUX", descriptor)) ? "same " : "other ") + selector);
                    if (selector == Selector.DISPATCH) {
                        System.out.println(mac);
                    }
                }
            } catch (ClassNotFoundException | NoSuchFieldException | NoSuchMethodException moved) {
                System.out.println(moved);
                System.exit(INTERNALS_MOVED);
            }
        }

        private static String recipe(String system, FunctionDescriptor descriptor) throws ReflectiveOperationException {
            Class<?> arranger = Class.forName("jdk.internal.foreign.abi.aarch64.CallArranger");
            Class<?> options = Class.forName("jdk.internal.foreign.abi.LinkerOptions");
            Method bindings = arranger.getMethod(
                    "getBindings", MethodType.class, FunctionDescriptor.class, boolean.class, options);
            Object found = bindings.invoke(
                    arranger.getField(system).get(null),
                    descriptor.toMethodType(),
                    descriptor,
                    false,
                    options.getMethod("empty").invoke(null));
            Method sequence = found.getClass().getDeclaredMethod("callingSequence");
            sequence.setAccessible(true);
            Object called = sequence.invoke(found);
            return String.valueOf(called.getClass().getMethod("asString").invoke(called));
        }
    }

    @Test
    void everyMessageIsSentAsOnLinuxAndSizesGoByTheirAddress() throws IOException, InterruptedException {
        ChildJvm child = ChildJvm.run(
                Program.class,
                "--enable-native-access=ALL-UNNAMED",
                "--add-exports=" + ABI + "=ALL-UNNAMED",
                "--add-exports=" + ABI + ".aarch64=ALL-UNNAMED",
                "--add-opens=" + ABI + "=ALL-UNNAMED",
                "--add-opens=" + ABI + ".aarch64=ALL-UNNAMED");
        assumeTrue(child.exitCode() != INTERNALS_MOVED, "this JDK arranges calls elsewhere");
        assertEquals(0, child.exitCode(), child::said);
        for (Selector selector : Selector.values()) {
            assertTrue(child.said().lines().anyMatch(("same " + selector)::equals), child::said);
        }
        assertEquals(
                2,
                child.said()
                        .lines()
                        .filter(line -> line.contains("Copy[size=24"))
                        .count(),
                child::said);
    }
}

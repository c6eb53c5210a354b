package io.hearth.bench;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import io.hearth.accel.KernelKind;
import io.hearth.accel.select.KernelRun;
import io.hearth.core.HearthException;
import io.hearth.standin.NativeCompiler;
import io.hearth.standin.WorkFolder;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The kernels in C ({@code loops.c}), which the engines are measured against. The C compiler of this machine compiles them with
 * {@code -O3}, for this processor where it can. Where {@code -XX:MaxVectorSize} limits this JVM's vectors to 128 or 256 bits on x86,
 * C gets the same limit.
 */
public final class CLoops implements AutoCloseable {
    /** Without the second flag a compiler may fuse a product and a sum, which the engines never do. */
    private static final List<String> FLAGS = List.of("-O3", "-ffp-contract=off", "-std=gnu11");

    private static final FunctionDescriptor LOOP = FunctionDescriptor.of(
            ValueLayout.JAVA_LONG,
            ValueLayout.ADDRESS,
            ValueLayout.ADDRESS,
            ValueLayout.ADDRESS,
            ValueLayout.JAVA_LONG);

    private final Arena arena;
    private final Map<KernelKind, MethodHandle> loops;

    private CLoops(Arena arena, Map<KernelKind, MethodHandle> loops) {
        this.arena = arena;
        this.loops = loops;
    }

    /**
     * Compiles the loops; empty if this machine has no C compiler.
     *
     * @param searchPath in the form of the variable {@code PATH}
     * @throws HearthException the compiler fails, as the one of a macOS without developer tools does; the message has its output
     */
    @SuppressWarnings("restricted")
    public static Optional<CLoops> compile(String searchPath) throws HearthException, InterruptedException {
        Optional<NativeCompiler> compiler = NativeCompiler.find(searchPath, "cc", "gcc", "clang");
        if (compiler.isEmpty()) {
            return Optional.empty();
        }
        try (var folder = WorkFolder.create("hearth-loops")) {
            Path source = folder.path().resolve("loops.c");
            Files.write(source, text());
            Path library = folder.path().resolve("loops.so");
            compile(compiler.get(), source, library);
            Arena arena = Arena.ofShared();
            SymbolLookup symbols = SymbolLookup.libraryLookup(library, arena);
            var loops = new EnumMap<KernelKind, MethodHandle>(KernelKind.class);
            for (KernelKind kind : KernelKind.values()) {
                symbols.find(kind.name().toLowerCase(Locale.ROOT))
                        .ifPresent(loop -> loops.put(kind, Linker.nativeLinker().downcallHandle(loop, LOOP)));
            }
            return Optional.of(new CLoops(arena, loops));
        } catch (IOException failed) {
            throw new HearthException("cannot write loops.c: " + failed.getMessage(), failed);
        }
    }

    /** For this processor; Apple's clang names that flag in another way, and older compilers on aarch64 have none. */
    private static void compile(NativeCompiler compiler, Path source, Path library)
            throws HearthException, InterruptedException {
        var tuned = new ArrayList<>(FLAGS);
        tuned.add(tuning(System.getProperty("os.arch"), vectorBytes()));
        try {
            compiler.library(tuned, List.of(source), List.of("-lm"), library);
        } catch (HearthException unknownProcessor) {
            compiler.library(FLAGS, List.of(source), List.of("-lm"), library);
        }
    }

    /** The flag that names the processor to the compiler, with vectors of at most {@code vectorBytes} if that is present. */
    static String tuning(String architecture, Optional<String> vectorBytes) {
        if (architecture.equals("aarch64")) {
            return "-mcpu=native";
        }
        return switch (vectorBytes.orElse("")) {
            case "16" -> "-march=x86-64-v2";
            case "32" -> "-march=x86-64-v3";
            default -> "-march=native";
        };
    }

    private static Optional<String> vectorBytes() {
        VMOption limit = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("MaxVectorSize");
        return limit.getOrigin() == VMOption.Origin.DEFAULT ? Optional.empty() : Optional.of(limit.getValue());
    }

    private static byte[] text() throws IOException {
        try (InputStream stream = CLoops.class.getResourceAsStream("loops.c")) {
            if (stream == null) {
                throw new AssertionError("the resource loops.c is missing from this build");
            }
            return stream.readAllBytes();
        }
    }

    /** Whether the kernel exists in C; a compiler without a float16 type has no float16 kernels. */
    public boolean has(KernelKind kind) {
        return loops.containsKey(kind);
    }

    /** Makes one call, as {@link KernelRun#call} but in C, and returns the loop's result. */
    public long call(KernelRun run) {
        MethodHandle loop = loops.get(run.kind());
        if (loop == null) {
            throw new IllegalArgumentException("no loop in C for " + run.kind().text());
        }
        try {
            return (long) loop.invokeExact(run.target(), run.right(), run.body(), (long) run.count());
        } catch (Throwable impossible) {
            throw new AssertionError("a loop in C throws nothing", impossible);
        }
    }

    /** Unloads the loops. */
    @Override
    public void close() {
        arena.close();
    }
}

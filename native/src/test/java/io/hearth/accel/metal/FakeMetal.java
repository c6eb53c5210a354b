package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The stand-in for the Objective-C runtime and Metal, compiled from {@code metal-fake} when it is first wanted. One per JVM, with
 * controls that {@link #reset} puts back; without a C++ compiler or on another processor its tests are skipped.
 */
@SuppressWarnings("restricted")
public final class FakeMetal {
    private static final Optional<FakeMetal> BUILT = build();

    private final Path library;
    private final MethodHandle set;
    private final MethodHandle get;
    private final MethodHandle text;
    private final MethodHandle violations;
    private final MethodHandle reset;

    private FakeMetal(Path library) {
        this.library = library;
        SymbolLookup symbols = SymbolLookup.libraryLookup(library, Arena.global());
        var address = ValueLayout.ADDRESS;
        var number = ValueLayout.JAVA_LONG;
        set = handle(symbols, "fake_set", FunctionDescriptor.ofVoid(address, number));
        get = handle(symbols, "fake_get", FunctionDescriptor.of(number, address));
        text = handle(symbols, "fake_text", FunctionDescriptor.ofVoid(address, address));
        violations = handle(symbols, "fake_violations", FunctionDescriptor.of(address));
        reset = handle(symbols, "fake_reset", FunctionDescriptor.ofVoid());
    }

    private static MethodHandle handle(SymbolLookup symbols, String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(symbols.find(name).orElseThrow(), descriptor);
    }

    /** The stand-in with all controls as at first; the test is skipped where it cannot be built. */
    public static FakeMetal get() {
        assumeTrue(BUILT.isPresent(), "needs g++ or clang++ on Linux x86-64");
        FakeMetal fake = BUILT.orElseThrow();
        fake.reset();
        return fake;
    }

    private static Optional<FakeMetal> build() {
        boolean known = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        return known
                ? Stream.of("g++", "clang++")
                        .flatMap(name -> find(name).stream())
                        .findFirst()
                        .map(FakeMetal::build)
                : Optional.empty();
    }

    private static Optional<Path> find(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static FakeMetal build(Path compiler) {
        try {
            Path sources = Path.of(FakeMetal.class.getResource("/metal-fake").toURI());
            Path folder = Files.createTempDirectory("hearth-metal-fake");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
            Path library = folder.resolve("libfake.so");
            var command = new ArrayList<>(List.of(
                    compiler.toString(),
                    "-std=c++17",
                    "-O1",
                    "-Wall",
                    "-Wno-clobbered",
                    "-fPIC",
                    "-shared",
                    "-pthread"));
            command.addAll(List.of("-o", library.toString()));
            try (Stream<Path> files = Files.list(sources)) {
                files.map(Path::toString)
                        .filter(name -> name.endsWith(".cpp"))
                        .sorted()
                        .forEach(command::add);
            }
            command.add("-ldl");
            Path said = folder.resolve("build.txt");
            Process build = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            if (!build.waitFor(110, TimeUnit.SECONDS) || build.exitValue() != 0) {
                build.destroyForcibly();
                fail("the stand-in does not compile: " + Files.readString(said));
            }
            var fake = new FakeMetal(library);
            fake.text("compiler", compiler.toString());
            fake.text("folder", folder.toString());
            fake.text("headers", sources.toString());
            fake.text("library", library.toString());
            return fake;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (URISyntaxException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            files.forEach(file -> file.toFile().delete());
        } catch (IOException left) {
            throw new UncheckedIOException(left);
        }
        folder.toFile().delete();
    }

    /** What the engine loads instead of Apple's libraries. */
    public MetalLibraries libraries() {
        return new MetalLibraries(library.toString(), library.toString(), List.of());
    }

    /** An engine on other kernels: one change of the text, which has to be there. */
    public MetalEngine open(MetalLimits limits, String from, String to) {
        String text = KernelSource.text();
        assertTrue(text.contains(from), () -> "the kernels have no: " + from);
        return MetalEngine.open(libraries(), limits, text.replace(from, to));
    }

    /** A mode, or a fault that happens at the {@code value}th chance from now (-1: at each). */
    public void set(String control, long value) {
        try (var arena = Arena.ofConfined()) {
            set.invokeExact(arena.allocateFrom(control), value);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** A count, such as {@code live} objects or {@code commits}. */
    public long get(String control) {
        try (var arena = Arena.ofConfined()) {
            return (long) get.invokeExact(arena.allocateFrom(control));
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    void text(String control, String value) {
        try (var arena = Arena.ofConfined()) {
            text.invokeExact(arena.allocateFrom(control), arena.allocateFrom(value));
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Broken rules, one per line. */
    public String violations() {
        try {
            return ((MemorySegment) violations.invokeExact()).reinterpret(8192).getString(0);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** No rule of the real Metal was broken since {@link #reset}. */
    public void assertObeyed() {
        assertEquals("", violations());
    }

    private void reset() {
        try {
            reset.invokeExact();
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }
}

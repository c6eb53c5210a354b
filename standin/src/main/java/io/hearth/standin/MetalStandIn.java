package io.hearth.standin;

import io.hearth.core.HearthException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * A stand-in for the Objective-C runtime and Metal, for machines without an Apple GPU: a library in C++ with the same symbols. It compiles
 * the text of the kernels as C++ and runs them on the CPU. Linux only.
 *
 * <p>Its controls and counts exist once per process.
 */
@SuppressWarnings("restricted")
public final class MetalStandIn {
    private static final List<String> SOURCES = List.of(
            "commands.cpp",
            "compiler.cpp",
            "controls.cpp",
            "device.cpp",
            "fibers.cpp",
            "foundation.cpp",
            "gpu.cpp",
            "memory.cpp",
            "runtime.cpp");
    private static final List<String> HEADERS = List.of("commands.h", "fake.h", "metal_stdlib");
    private static final List<String> FLAGS = List.of("-std=c++17", "-O1", "-Wall", "-Wno-clobbered", "-pthread");
    private static final int VIOLATIONS_BYTES_MAX = 8192;

    private final Path library;
    private final MethodHandle set;
    private final MethodHandle get;
    private final MethodHandle text;
    private final MethodHandle violations;
    private final MethodHandle reset;

    /** The ways in which GPUs differ; no result may depend on them. */
    public enum Manner {
        /** The GPU keeps subnormals, and threads run in order. */
        PLAIN,
        /** The GPU takes float32 subnormals for zero and never produces one, as Apple's GPUs do. */
        FLUSH,
        /** Threads run in the reverse order. */
        BACKWARD,
        /** The compiler may fuse a product and a sum where the language allows it. */
        CONTRACT
    }

    private MetalStandIn(Path library) {
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

    /** Whether the stand-in knows the calling convention of this machine. */
    public static boolean isPossible() {
        return System.getProperty("os.name").equals("Linux")
                && List.of("amd64", "aarch64").contains(System.getProperty("os.arch"));
    }

    /** The first C++ compiler on {@code searchPath}, which has the form of the variable {@code PATH}. */
    public static Optional<NativeCompiler> compiler(String searchPath) {
        return NativeCompiler.find(searchPath, "g++", "clang++");
    }

    /**
     * Returns the stand-in for tests of this source tree; empty where it is not possible or this machine has no C++ compiler. It is kept
     * in {@code standin/target/metal}, so only the first test JVM after a change of its sources or of the compiler compiles it.
     * The property {@code hearth.root} names the root of the source tree.
     */
    public static Optional<MetalStandIn> forTests() throws HearthException, InterruptedException {
        Optional<NativeCompiler> compiler =
                isPossible() ? compiler(System.getenv().getOrDefault("PATH", "")) : Optional.empty();
        if (compiler.isEmpty()) {
            return Optional.empty();
        }
        Path kept = Path.of(System.getProperty("hearth.root"), "standin", "target", "metal")
                .toAbsolutePath();
        return Optional.of(build(compiler.get(), kept.resolve(key(compiler.get()))));
    }

    /**
     * Compiles the stand-in in a temporary folder, which is deleted when the process ends.
     *
     * @param compiler of C++
     * @throws HearthException the compiler fails
     */
    public static MetalStandIn build(NativeCompiler compiler) throws HearthException, InterruptedException {
        var folder = WorkFolder.create("hearth-metal-fake");
        Runtime.getRuntime().addShutdownHook(new Thread(folder::close));
        return build(compiler, folder.path());
    }

    /**
     * Loads the stand-in, with all controls at their defaults, and compiles it before where {@code folder} has none. Processes may do so
     * at the same time: one of them compiles, and the others wait for it.
     *
     * @param folder for the library, its sources and the kernels that it will compile, from one compiler and one version of the sources
     */
    static MetalStandIn build(NativeCompiler compiler, Path folder) throws HearthException, InterruptedException {
        Path library = folder.resolve("metal.so");
        try {
            Files.createDirectories(folder);
            try (FileChannel channel = FileChannel.open(
                            folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock _ = channel.lock()) {
                if (!Files.exists(library)) {
                    for (String name : names()) {
                        Files.write(folder.resolve(name), resource(name));
                    }
                    Path unfinished = folder.resolve("unfinished.so");
                    List<Path> sources = SOURCES.stream().map(folder::resolve).toList();
                    compiler.library(FLAGS, sources, List.of("-ldl"), unfinished);
                    Files.move(unfinished, library, StandardCopyOption.ATOMIC_MOVE);
                }
            }
        } catch (IOException failed) {
            throw new HearthException("cannot write the stand-in to " + folder + ": " + failed.getMessage(), failed);
        }
        var standIn = new MetalStandIn(library);
        standIn.text("compiler", compiler.program().toString());
        standIn.text("folder", folder.toString());
        standIn.text("library", library.toString());
        return standIn;
    }

    /** A name for the sources, the flags and this compiler; another version of any of them has another name. */
    private static String key(NativeCompiler compiler) throws HearthException {
        var crc = new CRC32();
        try {
            Path program = compiler.program().toRealPath();
            String made = program + " " + Files.getLastModifiedTime(program) + " " + FLAGS;
            crc.update(made.getBytes(StandardCharsets.UTF_8));
            for (String name : names()) {
                crc.update(resource(name));
            }
        } catch (IOException unreadable) {
            throw new HearthException("cannot read " + compiler.program() + ": " + unreadable.getMessage(), unreadable);
        }
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private static List<String> names() {
        return Stream.concat(SOURCES.stream(), HEADERS.stream()).toList();
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream stream = MetalStandIn.class.getResourceAsStream("metal/" + name)) {
            if (stream == null) {
                throw new AssertionError("the resource metal/" + name + " is missing from this build");
            }
            return stream.readAllBytes();
        }
    }

    /** The library that an engine loads in place of the Objective-C runtime and of Metal. */
    public Path library() {
        return library;
    }

    /** Sets a manner of the GPU in addition to those that are set. */
    public void set(Manner manner) {
        set(manner.name().toLowerCase(Locale.ROOT), 1);
    }

    /** Sets a mode, or a fault that happens at the {@code value}th chance from now (-1: at each). */
    public void set(String control, long value) {
        try (var arena = Arena.ofConfined()) {
            set.invokeExact(arena.allocateFrom(control), value);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Reads a count, such as {@code messages}, {@code live} objects or {@code commits}. */
    public long get(String control) {
        try (var arena = Arena.ofConfined()) {
            return (long) get.invokeExact(arena.allocateFrom(control));
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Sets a control that is text, such as {@code encoding}. */
    public void text(String control, String value) {
        try (var arena = Arena.ofConfined()) {
            text.invokeExact(arena.allocateFrom(control), arena.allocateFrom(value));
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** The rules of Metal that were broken since {@link #reset}, one per line. */
    public String violations() {
        try {
            return ((MemorySegment) violations.invokeExact())
                    .reinterpret(VIOLATIONS_BYTES_MAX)
                    .getString(0);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Clears modes, faults, counts and broken rules. */
    public void reset() {
        try {
            reset.invokeExact();
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }
}

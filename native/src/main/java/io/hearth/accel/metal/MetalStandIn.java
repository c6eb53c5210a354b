package io.hearth.accel.metal;

import io.hearth.accel.cc.NativeCompiler;
import io.hearth.accel.cc.WorkFolder;
import io.hearth.core.HearthException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A stand-in for the Objective-C runtime and Metal, for machines without a GPU of Apple's: compiled from {@code metal-fake} of the
 * source tree, it compiles the kernels' very text as C++ and runs them on the CPU. For tests only, on Linux.
 *
 * <p>Its state is one per process.
 */
@SuppressWarnings("restricted")
public final class MetalStandIn {
    private static final int VIOLATIONS_BYTES_MAX = 8192;

    private final Path library;
    private final MethodHandle set;
    private final MethodHandle get;
    private final MethodHandle text;
    private final MethodHandle violations;
    private final MethodHandle reset;

    /** What may differ from GPU to GPU and must not be seen in the results. */
    public enum Manner {
        /** Subnormals are kept, threads run in order. */
        PLAIN,
        /** Float32 subnormals are taken for zero and never produced, as Apple's GPUs do. */
        FLUSH,
        /** Threads run in the reverse order. */
        BACKWARD,
        /** The compiler may fuse a product and a sum where the language lets it. */
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

    /** Whether it knows the calling convention of this machine. */
    public static boolean isPossible() {
        return System.getProperty("os.name").equals("Linux")
                && List.of("amd64", "aarch64").contains(System.getProperty("os.arch"));
    }

    /**
     * Compiles and loads it, with all controls as at first. What it makes is deleted when the process ends.
     *
     * @param compiler of C++
     * @param sources the folder {@code metal-fake}
     * @throws HearthException it does not compile
     */
    public static MetalStandIn build(NativeCompiler compiler, Path sources)
            throws HearthException, InterruptedException {
        var folder = WorkFolder.create("hearth-metal-fake");
        Runtime.getRuntime().addShutdownHook(new Thread(folder::close));
        List<Path> files;
        try (Stream<Path> all = Files.list(sources)) {
            files = all.filter(file -> file.toString().endsWith(".cpp"))
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            throw new HearthException("cannot read " + sources + ": " + unreadable.getMessage(), unreadable);
        }
        List<String> flags = List.of("-std=c++17", "-O1", "-Wall", "-Wno-clobbered", "-pthread");
        var standIn = new MetalStandIn(compiler.library(flags, files, List.of("-ldl"), folder.path()));
        standIn.text("compiler", compiler.program().toString());
        standIn.text("folder", folder.path().toString());
        standIn.text("headers", sources.toString());
        standIn.text("library", standIn.library.toString());
        return standIn;
    }

    /** What the engine loads instead of Apple's libraries. */
    public MetalLibraries libraries() {
        return new MetalLibraries(library.toString(), library.toString(), List.of());
    }

    /** How its GPU works from now on, besides what was set before. */
    public void set(Manner manner) {
        set(manner.name().toLowerCase(Locale.ROOT), 1);
    }

    /** A mode, or a fault that happens at the {@code value}th chance from now (-1: at each). */
    public void set(String control, long value) {
        try (var arena = Arena.ofConfined()) {
            set.invokeExact(arena.allocateFrom(control), value);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** A count, such as {@code messages}, {@code live} objects or {@code commits}. */
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
            return ((MemorySegment) violations.invokeExact())
                    .reinterpret(VIOLATIONS_BYTES_MAX)
                    .getString(0);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Puts modes, faults, counts and broken rules back. */
    public void reset() {
        try {
            reset.invokeExact();
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }
}

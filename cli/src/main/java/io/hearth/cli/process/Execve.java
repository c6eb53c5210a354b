package io.hearth.cli.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.Charset;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Calls execve(2) of the C library, which replaces this process by a program (POSIX.1-2024). */
final class Execve {
    private static final int E2BIG = 7;
    private static final int ENOEXEC = 8;
    private static final int F_SETFD = 2;
    private static final int FD_CLOEXEC = 1;
    private static final Path SHELL = Path.of("/bin/sh");
    private static final Path OPEN_FILES = Path.of("/dev/fd");

    /** Names of files and arguments have this encoding outside of Java. */
    private static final Charset NATIVE = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    /** Why the call returned. */
    enum Failure {
        /** This system has no such call, or Java may not call it. */
        UNAVAILABLE,
        /** Arguments and environment are larger than the system takes. */
        TOO_LONG,
        /** The file is not a program. */
        FAILED
    }

    private Execve() {}

    /** Becomes the program; returns only if that fails. A file without a first line that names its interpreter is a script of sh(1). */
    static Failure call(Path file, List<String> command, Map<String, String> environment) {
        try (Arena arena = Arena.ofConfined()) {
            closeOnExec();
            int error = execve(arena, file, command, environment);
            if (error == ENOEXEC) {
                var script = new ArrayList<>(List.of(SHELL.toString(), file.toString()));
                script.addAll(command.subList(1, command.size()));
                error = execve(arena, SHELL, script, environment);
            }
            return error == E2BIG ? Failure.TOO_LONG : Failure.FAILED;
        } catch (UnsupportedOperationException | IllegalCallerException | IOException notHere) {
            return Failure.UNAVAILABLE;
        }
    }

    /** Returns the error number. */
    private static int execve(Arena arena, Path file, List<String> command, Map<String, String> environment)
            throws IOException {
        var variables = new ArrayList<String>();
        environment.forEach((name, value) -> variables.add(name + "=" + value));
        MemoryLayout stateLayout = Linker.Option.captureStateLayout();
        VarHandle errno = stateLayout.varHandle(MemoryLayout.PathElement.groupElement("errno"));
        MemorySegment state = arena.allocate(stateLayout);
        MethodHandle call = function(
                "execve",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
                Linker.Option.captureCallState("errno"));
        try {
            int result = (int) call.invokeExact(
                    state, text(arena, file.toString()), texts(arena, command), texts(arena, variables));
            assert result == -1;
        } catch (Throwable bug) {
            throw new AssertionError("execve throws nothing", bug);
        }
        return (int) errno.get(state, 0L);
    }

    /** Lets the system close all files but the standard streams: as for a child of Java, the program gets no other. */
    private static void closeOnExec() throws IOException {
        MethodHandle fcntl = function(
                "fcntl",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                Linker.Option.firstVariadicArg(2));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(OPEN_FILES)) {
            for (Path file : files) {
                int number = Integer.parseInt(String.valueOf(file.getFileName()));
                if (number > 2) {
                    int result = (int) fcntl.invokeExact(number, F_SETFD, FD_CLOEXEC);
                    assert result <= 0; // -1: the folder's own number is closed meanwhile
                }
            }
        } catch (IOException unreadable) {
            throw unreadable;
        } catch (Throwable bug) {
            throw new AssertionError("fcntl throws nothing", bug);
        }
    }

    @SuppressWarnings("restricted") // calls the C library
    private static MethodHandle function(String name, FunctionDescriptor types, Linker.Option... options)
            throws IOException {
        Linker linker = Linker.nativeLinker();
        SymbolLookup library = linker.defaultLookup();
        MemorySegment address = library.find(name).orElseThrow(() -> new IOException("the C library has no " + name));
        return linker.downcallHandle(address, types, options);
    }

    /** An array of texts that ends with a null pointer. */
    private static MemorySegment texts(Arena arena, List<String> texts) {
        MemorySegment array = arena.allocate(ValueLayout.ADDRESS, texts.size() + 1L);
        for (int i = 0; i < texts.size(); i++) {
            array.setAtIndex(ValueLayout.ADDRESS, i, text(arena, texts.get(i)));
        }
        return array;
    }

    private static MemorySegment text(Arena arena, String text) {
        byte[] bytes = text.getBytes(NATIVE);
        MemorySegment segment = arena.allocate(bytes.length + 1L); // zeroed
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return segment;
    }
}

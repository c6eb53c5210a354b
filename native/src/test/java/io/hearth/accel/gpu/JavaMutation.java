package io.hearth.accel.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** A mistake in one place of {@code accel.metal}, of a kind that only a real Mac would show, by a crash. */
enum JavaMutation {
    WRONG_ENCODING_OF_A_DISPATCH("Selector", "v@:{?=QQQ}{?=QQQ}", "v@:^v^v"),
    WRONG_ENCODING_OF_A_BUFFER("Selector", "\"v@:@QQ\"", "\"v@:@qq\""),
    WRONG_ENCODING_OF_A_WAIT("Selector", "B@:QQ", "B@:qq"),
    THREADS_FOR_GROUPS("Selector", "dispatchThreadgroups:", "dispatchThreads:"),
    END_OF_ENCODING_FORGOTTEN("Submission", "messages.tell(encoder, Selector.END_ENCODING);", ""),
    POOL_FORGOTTEN("MetalThread", "result = pooled(runtime);", "result = task.run();"),
    LAST_GROUP_FORGOTTEN(
            "Submission", "(dispatch.units() + threads - 1) / threads", "Math.max(1, dispatch.units() / threads)"),
    HALF_A_GROUP("Submission", "lanes > 0 ? lanes :", "lanes > 0 ? lanes / 2 :"),
    ONE_GROUP_FOR_ALL("Submission", "lanes > 0 ? dispatch.units() :", "lanes > 0 ? 1 :"),
    SIGNAL_WITH_AN_OLD_VALUE("Submission", "++signalled", "signalled"),
    PARAMETERS_AT_ANOTHER_PLACE("Submission", "Kernel.JOB_INDEX)", "Kernel.JOB_INDEX - 1)"),
    LAST_PARAMETER_FORGOTTEN("Submission", "(long) parameters * Integer.BYTES", "parameters * 4L - 4"),
    BUFFERS_ONE_PLACE_OFF("Submission", "place.offset(), i)", "place.offset(), i + 1)"),
    ONE_KERNEL_FOR_ALL("Submission", "pipelines.get(dispatch.kernel())", "pipelines.get(Kernel.COMBINE_INT32)"),
    LIBRARY_NOT_RELEASED("KernelCompiler", "messages.tell(library, Selector.RELEASE);", ""),
    EVERY_PIECE_IS_THE_FIRST("Combination", "long at = first * elementBytes;", "long at = 0;"),
    RESULT_IS_AN_OPERAND("Combination", "staging.operand(1, ", "staging.operand(0, "),
    OPERAND_NOT_COPIED("Staging", "MemorySegment.copy(source, sourceOffset, copy.contents(), 0, bytes);", "");

    private static final String PACKAGE = "io.hearth.accel.";

    private final String type;
    private final String from;
    private final String to;

    JavaMutation(String type, String from, String to) {
        this.type = type;
        this.from = from;
        this.to = to;
    }

    /** A {@link MetalTrial} whose engine has the mistake. */
    Function<String, String> trial() throws Exception {
        Path source = Path.of("src", "main", "java", "io", "hearth", "accel", "metal", type + ".java");
        String text = Files.readString(source);
        assertTrue(text.contains(from), () -> source + " has no: " + from);
        return trial(compiled(text.replace(from, to)));
    }

    /** The trial without a mistake, loaded in the same way. */
    static Function<String, String> unchanged() throws Exception {
        return trial(Map.of());
    }

    private Map<String, byte[]> compiled(String text) throws IOException {
        Path folder = Files.createTempDirectory("hearth-mutation");
        try {
            Path source = Files.writeString(folder.resolve(type + ".java"), text);
            int code = ToolProvider.getSystemJavaCompiler()
                    .run(
                            null,
                            null,
                            null,
                            "-nowarn",
                            "-proc:none",
                            "-classpath",
                            System.getProperty("java.class.path"),
                            "-d",
                            folder.toString(),
                            source.toString());
            assertEquals(0, code, "does not compile");
            var classes = new HashMap<String, byte[]>();
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".class")).toList()) {
                    String name = folder.relativize(file).toString().replace(java.io.File.separatorChar, '.');
                    classes.put(name.substring(0, name.length() - ".class".length()), Files.readAllBytes(file));
                }
            }
            return classes;
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file :
                        files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static Function<String, String> trial(Map<String, byte[]> changed) throws ReflectiveOperationException {
        var loader = new Loader(changed);
        return (Function<String, String>)
                loader.loadClass(MetalTrial.class.getName()).getConstructor().newInstance();
    }

    /** Loads all classes of the module again, some of them changed; all other classes are shared. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> changed;

        Loader(Map<String, byte[]> changed) {
            super(JavaMutation.class.getClassLoader());
            this.changed = changed;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(PACKAGE)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            byte[] bytes = changed.get(name);
            try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (file == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] content = bytes == null ? file.readAllBytes() : bytes;
                return defineClass(name, content, 0, content.length);
            } catch (IOException unreadable) {
                throw new ClassNotFoundException(name, unreadable);
            }
        }
    }
}

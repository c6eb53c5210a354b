package io.hearth.accel.select;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

/**
 * The module of the Vector API. A JVM has it from its start with {@code --add-modules jdk.incubator.vector}, and then warns on standard error
 * that it is an incubator module; nor can an archive of its classes have linked ones. The launcher of the program and the Python package
 * therefore ask this class to load it later, by {@code -Dhearth.vector=load}: as the JVM does for an agent of {@code java.lang.instrument}.
 * Then they must also start the JVM with {@code --add-exports java.base/jdk.internal.module=ALL-UNNAMED} and
 * {@code -XX:+EnableVectorSupport}, which the module's presence at the start would imply.
 *
 * <p>A process whose classes go into an archive must not load the module. With {@code -Dhearth.vector=rehearse} it loads an empty one in its
 * place, so that the archive has Java's own code for this.
 */
final class VectorModule {
    static final String NAME = "jdk.incubator.vector";
    private static final String EMPTY = "java.se"; // no classes; no JVM has it from its start, but each JDK has it
    private static final boolean PRESENT = ModuleLayer.boot().findModule(NAME).isPresent() || load();

    private VectorModule() {}

    static boolean isPresent() {
        return PRESENT;
    }

    private static boolean load() {
        String wanted = System.getProperty("hearth.vector", "");
        if (wanted.equals("rehearse")) {
            loaded(EMPTY);
        }
        return wanted.equals("load") && loaded(NAME);
    }

    @CanIgnoreReturnValue
    private static boolean loaded(String name) {
        try {
            Class.forName("jdk.internal.module.Modules")
                    .getMethod("loadModule", String.class)
                    .invoke(null, name);
            return true;
        } catch (ReflectiveOperationException | RuntimeException another) {
            return false; // a Java whose inside is different; the survey of engines tells that the API is absent
        }
    }
}

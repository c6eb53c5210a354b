package io.hearth.accel.select;

/**
 * The module of the Vector API. A JVM has it from its start with {@code --add-modules jdk.incubator.vector}, and then warns on standard error
 * that it is an incubator module; nor can an archive of its classes have linked ones. The launcher of the program and the Python package
 * therefore ask this class to load it later, by {@code -Dhearth.vector=load}: as the JVM does for an agent of {@code java.lang.instrument}.
 * Then they must also start the JVM with {@code --add-exports java.base/jdk.internal.module=ALL-UNNAMED} and
 * {@code -XX:+EnableVectorSupport}, which the module's presence at the start would imply.
 */
final class VectorModule {
    static final String NAME = "jdk.incubator.vector";
    private static final boolean PRESENT = ModuleLayer.boot().findModule(NAME).isPresent() || load();

    private VectorModule() {}

    static boolean isPresent() {
        return PRESENT;
    }

    private static boolean load() {
        if (!System.getProperty("hearth.vector", "").equals("load")) {
            return false;
        }
        try {
            Class.forName("jdk.internal.module.Modules")
                    .getMethod("loadModule", String.class)
                    .invoke(null, NAME);
            return true;
        } catch (ReflectiveOperationException | RuntimeException another) {
            return false; // a Java whose inside is different; the survey of engines tells that the API is absent
        }
    }
}

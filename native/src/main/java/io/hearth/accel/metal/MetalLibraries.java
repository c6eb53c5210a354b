package io.hearth.accel.metal;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The libraries of the two interfaces that this package calls.
 *
 * @param runtime the Objective-C runtime, for the dynamic loader
 * @param metal the Metal framework
 * @param others loaded too, because Metal expects them in a process without windows
 */
public record MetalLibraries(String runtime, String metal, List<String> others) {
    /** The libraries of macOS. */
    public static final MetalLibraries APPLE = new MetalLibraries(
            "/usr/lib/libobjc.A.dylib",
            "/System/Library/Frameworks/Metal.framework/Metal",
            List.of(
                    "/System/Library/Frameworks/Foundation.framework/Foundation",
                    "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"));

    /** Copies the list. */
    public MetalLibraries {
        others = List.copyOf(others);
    }

    /** One library with both interfaces, as a stand-in has them. */
    public static MetalLibraries single(Path library) {
        return new MetalLibraries(library.toString(), library.toString(), List.of());
    }

    /** The libraries of this machine; empty if it has none. */
    public static Optional<MetalLibraries> here() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    /** The reason why this machine has none, one clause; empty if it has them. */
    public static Optional<String> absence() {
        return here().isPresent()
                ? Optional.empty()
                : Optional.of("this machine has " + System.getProperty("os.name") + " on "
                        + System.getProperty("os.arch") + ", Metal needs macOS on Apple silicon");
    }

    /**
     * The libraries of a machine; empty if it has none.
     *
     * @param system as the property {@code os.name}
     * @param architecture as the property {@code os.arch}
     */
    public static Optional<MetalLibraries> of(String system, String architecture) {
        boolean appleSilicon = system.equals("Mac OS X") && architecture.equals("aarch64");
        return appleSilicon ? Optional.of(APPLE) : Optional.empty();
    }
}

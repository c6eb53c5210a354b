package io.hearth.cli.terminal;

import java.util.Optional;

/** The installed versions, for bug reports. */
public final class Version {
    private Version() {}

    /** Hearth's version, from the manifest that Maven writes. */
    public static String hearth() {
        return Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
                .orElse("unpackaged");
    }

    /** Name, version and processor of the operating system. */
    public static String system() {
        return System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch");
    }

    /** All versions in one line. */
    public static String line() {
        return "hearth " + hearth() + " (Java " + Runtime.version() + ", " + system() + ")";
    }
}

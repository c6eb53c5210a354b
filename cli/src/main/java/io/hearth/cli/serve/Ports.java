package io.hearth.cli.serve;

/** Ports on a command line. */
final class Ports {
    private static final int PORT_MAX = 65_535;

    private Ports() {}

    /**
     * A port; 0 stands for any free one.
     *
     * @throws IllegalArgumentException if it is none
     */
    static int parse(String what, String text) {
        try {
            return checked(what, Integer.parseInt(text));
        } catch (NumberFormatException noNumber) {
            throw new IllegalArgumentException(what + " must be 0 to " + PORT_MAX + ", got '" + text + "'", noNumber);
        }
    }

    static int checked(String what, int port) {
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException(what + " must be 0 to " + PORT_MAX + ", got " + port);
        }
        return port;
    }
}

package io.hearth.transport;

import java.util.Locale;

/** The transport of data streams between two nodes. */
public enum DataTransport {
    /** Through shared memory between processes of one user on one machine, by encrypted TCP between all others. */
    AUTO,
    /** Through shared memory only; a peer that cannot use it is an error. */
    SHM,
    /** By encrypted TCP only. */
    TCP;

    /**
     * The transport with that name.
     *
     * @param name {@code auto}, {@code shm} or {@code tcp}
     * @throws IllegalArgumentException if there is none
     */
    public static DataTransport parse(String name) {
        for (DataTransport transport : values()) {
            if (transport.text().equals(name)) {
                return transport;
            }
        }
        throw new IllegalArgumentException("transport must be auto, shm or tcp, got '" + name + "'");
    }

    /** Its name in settings and on the command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}

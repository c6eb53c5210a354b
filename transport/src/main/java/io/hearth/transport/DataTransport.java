package io.hearth.transport;

import java.util.Locale;

/** How the bytes of data streams travel between two nodes. */
public enum DataTransport {
    /** Through shared memory between processes of one user on one machine, by encrypted TCP between all others. */
    AUTO,
    /** Through shared memory only; a peer with which that is not possible is an error. */
    SHM,
    /** By encrypted TCP only. */
    TCP;

    /**
     * The one of that name.
     *
     * @param name {@code auto}, {@code shm} or {@code tcp}
     * @throws IllegalArgumentException there is none
     */
    public static DataTransport parse(String name) {
        for (DataTransport transport : values()) {
            if (transport.text().equals(name)) {
                return transport;
            }
        }
        throw new IllegalArgumentException("there is no transport '" + name + "', only auto, shm and tcp");
    }

    /** Its name as people write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}

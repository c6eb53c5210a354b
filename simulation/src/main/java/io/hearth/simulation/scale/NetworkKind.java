package io.hearth.simulation.scale;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The kinds of generated networks. */
public enum NetworkKind {
    /** Racks of up to 16 nodes with ports of 10 Gbit/s; each rack has one uplink of 40 Gbit/s, so it is oversubscribed four times. */
    RACKS,
    /** Wi-Fi cells of up to 8 nodes, joined by cables of 1 Gbit/s. The nodes of a cell share one medium in both directions. */
    WIFI,
    /** Two to eight sites of nodes with ports of 1 Gbit/s; each site has one line of 100 Mbit/s, 20 ms away from the others. */
    SITES;

    /** Its name on the command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The kind with that name; empty if there is none. */
    public static Optional<NetworkKind> named(String text) {
        return Arrays.stream(values()).filter(kind -> kind.text().equals(text)).findFirst();
    }
}

package io.hearth.election.health;

import java.util.Arrays;
import java.util.Optional;

/** The spans of silence for the usual kinds of networks. A peer that is silent for longer is suspected. */
public enum Preset {
    /** Cable: 1.5 s, six heartbeats. */
    LAN("lan", 1_500),
    /** Wi-Fi, which sleeps and retries: 3 s. */
    WIFI("wifi", 3_000),
    /** Beyond one house, where routers reconnect: 8 s. */
    WAN("wan", 8_000);

    private final String text;
    private final long silenceNanos;

    Preset(String text, long silenceMillis) {
        this.text = text;
        this.silenceNanos = silenceMillis * 1_000_000L;
    }

    /** Its name in files and in the status. */
    public String text() {
        return text;
    }

    public long silenceNanos() {
        return silenceNanos;
    }

    /** The preset with that name; empty if there is none. */
    public static Optional<Preset> named(String text) {
        return Arrays.stream(values())
                .filter(preset -> preset.text.equals(text))
                .findFirst();
    }

    /** The preset with exactly that span; empty for a span of a user's own. */
    public static Optional<Preset> of(long silenceNanos) {
        return Arrays.stream(values())
                .filter(preset -> preset.silenceNanos == silenceNanos)
                .findFirst();
    }
}

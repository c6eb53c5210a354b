package io.hearth.election.health;

import java.util.Optional;

/**
 * The time spans of the failure detector, all in nanoseconds. Every preset has the same interval of heartbeats, so that nodes with
 * different presets understand one another.
 *
 * @param heartbeatNanos between heartbeats to each peer
 * @param silenceNanos a peer without a frame for this time is suspected; wishes of other nodes and measured jitter widen it and never
 *     narrow it
 * @param redialNanos a closed link that is not back after this long makes its peer suspected
 * @param gapNanos a local pause longer than this restarts all timers before any peer is judged
 * @param forgetNanos a suspected peer is forgotten after this long
 * @param peersMax most peers watched
 * @param measured how measured round trips lengthen the silence; empty if they do not
 * @param idle spans among members while no trainer is in the view; empty for the same spans always
 */
public record HealthConfig(
        long heartbeatNanos,
        long silenceNanos,
        long redialNanos,
        long gapNanos,
        long forgetNanos,
        int peersMax,
        Optional<Measured> measured,
        Optional<Idle> idle) {
    private static final long MILLI = 1_000_000L;
    private static final long HEARTBEAT_NANOS = 250 * MILLI;

    /**
     * How measured round trips choose a {@link Preset}.
     *
     * @param samplesMin fewest round trips of a peer that count
     * @param holdNanos time without a reason after which a longer preset is given up; also the span in which the shortest round trip is
     *     sought
     */
    public record Measured(int samplesMin, long holdNanos) {
        /**
         * 240 round trips, which take a minute; five minutes. The first round trips of a process are those of cold code: where other
         * programs keep all processors busy, none of the first 40 may be under 10 ms, though one of 3 ms follows within the minute.
         */
        public static final Measured DEFAULT = new Measured(240, 300_000 * MILLI);

        public Measured {
            if (samplesMin < 1 || holdNanos <= 0) {
                throw new IllegalArgumentException(
                        "need at least 1 sample and a span above 0 ns, got " + samplesMin + " and " + holdNanos);
            }
        }
    }

    /**
     * Spans of a view in which nobody trains, so that machines which wait for work cost little: a heartbeat wakes radio and processor of
     * both ends. A loss of power is then noticed after seconds. The end of a process is noticed at once, as always, because its link closes.
     *
     * @param heartbeatNanos between heartbeats to each member
     * @param silenceNanos wish of this node; at most that of {@link Preset#WAN}, because others wait no longer
     * @param gapNanos as {@link HealthConfig#gapNanos}
     */
    public record Idle(long heartbeatNanos, long silenceNanos, long gapNanos) {
        /** Three heartbeats in the longest span that others grant. */
        public static final Idle DEFAULT = new Idle(2_600 * MILLI, Preset.WAN.silenceNanos(), 3_000 * MILLI);

        public Idle {
            if (heartbeatNanos <= 0 || gapNanos <= 0 || silenceNanos < 2 * heartbeatNanos + gapNanos / 2) {
                throw new IllegalArgumentException("need 2 * heartbeat + gap / 2 <= silence, got " + heartbeatNanos
                        + ", " + gapNanos + " and " + silenceNanos + " ns");
            }
        }
    }

    public HealthConfig {
        if (heartbeatNanos <= 0 || redialNanos <= 0 || gapNanos <= 0 || peersMax < 1) {
            throw new IllegalArgumentException("every span and bound must be above 0, got heartbeat " + heartbeatNanos
                    + " ns, re-dial " + redialNanos + " ns, gap " + gapNanos + " ns, peers " + peersMax);
        }
        if (silenceNanos < 2 * heartbeatNanos || forgetNanos < silenceNanos) {
            throw new IllegalArgumentException("need 2 * heartbeat <= silence <= forget, got " + heartbeatNanos + ", "
                    + silenceNanos + " and " + forgetNanos + " ns; a usual choice is 250 ms, 1.5 s and 10 min");
        }
    }

    /** The default: {@link Preset#LAN} until measured round trips ask for more, and {@link Idle#DEFAULT} while nobody trains. */
    public static HealthConfig byRoundTrips() {
        return of(Preset.LAN).measured(Optional.of(Measured.DEFAULT)).idle(Optional.of(Idle.DEFAULT));
    }

    /** The spans of a preset, whatever is measured. */
    public static HealthConfig of(Preset preset) {
        return of(HEARTBEAT_NANOS, preset.silenceNanos());
    }

    /** Explicit heartbeat and silence; the other spans as in the presets. */
    public static HealthConfig of(long heartbeatNanos, long silenceNanos) {
        return new HealthConfig(
                heartbeatNanos,
                silenceNanos,
                300 * MILLI,
                700 * MILLI,
                600_000 * MILLI,
                1_024,
                Optional.empty(),
                Optional.empty());
    }

    /** A copy with other {@link #measured()}. */
    public HealthConfig measured(Optional<Measured> choice) {
        return new HealthConfig(
                heartbeatNanos, silenceNanos, redialNanos, gapNanos, forgetNanos, peersMax, choice, idle);
    }

    /** A copy with other {@link #idle()}. */
    public HealthConfig idle(Optional<Idle> spans) {
        return new HealthConfig(
                heartbeatNanos, silenceNanos, redialNanos, gapNanos, forgetNanos, peersMax, measured, spans);
    }
}

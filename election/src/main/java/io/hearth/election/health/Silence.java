package io.hearth.election.health;

/**
 * The span of silence after which a peer is suspected, and its origin. A node takes the longest span that it or a member that it
 * hears wishes: members that wait for different times would drive ballots against one another.
 *
 * @param wishNanos span that this node wishes; sent with each heartbeat
 * @param neededNanos last instant with a reason for it
 * @param nanos the span in force, at least {@code wishNanos}
 */
public record Silence(long wishNanos, long neededNanos, long nanos) {
    static Silence first(long silenceNanos, long nowNanos) {
        return new Silence(silenceNanos, nowNanos, silenceNanos);
    }

    /**
     * The next choice. A longer wish counts at once, a shorter one after {@code holdNanos}.
     *
     * @param askedNanos span that this node's own configuration and round trips ask for now
     * @param othersNanos longest wish of the other members that this node hears; 0 for none. More than {@link Preset#WAN} counts as that
     */
    Silence next(long askedNanos, long othersNanos, long holdNanos, long nowNanos) {
        boolean isHeld = askedNanos < wishNanos && nowNanos - neededNanos < holdNanos;
        long wish = isHeld ? wishNanos : askedNanos;
        return new Silence(
                wish,
                isHeld ? neededNanos : nowNanos,
                Math.max(wish, Math.min(othersNanos, Preset.WAN.silenceNanos())));
    }

    /** The origin of a span of silence. */
    public enum Origin {
        CONFIGURED("as configured"),
        ROUND_TRIPS("by measured round trips"),
        OTHER_NODE("as another node wishes");

        private final String text;

        Origin(String text) {
            this.text = text;
        }

        /** For people. */
        public String text() {
            return text;
        }
    }

    /** The origin of the span in force. */
    public Origin origin(long configuredNanos) {
        if (nanos > wishNanos) {
            return Origin.OTHER_NODE;
        }
        return wishNanos > configuredNanos ? Origin.ROUND_TRIPS : Origin.CONFIGURED;
    }
}

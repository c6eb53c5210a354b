package io.hearth.election.health;

/**
 * The span of silence after which a peer is suspected, and its origin. A node takes the longest span that it or a member that it
 * hears wishes: members that wait for different times would drive ballots against one another.
 *
 * @param askedNanos span for which the configuration and the round trips of this node ask
 * @param neededNanos last instant with a reason for it
 * @param idleNanos span that this node wishes because nobody trains; 0 while somebody does
 * @param nanos the span in force, at least {@link #wishNanos()}
 */
public record Silence(long askedNanos, long neededNanos, long idleNanos, long nanos) {
    static Silence first(long silenceNanos, long nowNanos) {
        return new Silence(silenceNanos, nowNanos, 0, silenceNanos);
    }

    /**
     * The next choice. A longer span counts at once, a shorter one after {@code holdNanos}; one because nobody trains ends at once.
     *
     * @param askedNow span that this node's own configuration and round trips ask for now
     * @param idleNow span because nobody trains; 0 while somebody does
     * @param othersNanos longest wish of the other members that this node hears; 0 for none
     */
    Silence next(long askedNow, long idleNow, long othersNanos, long holdNanos, long nowNanos) {
        boolean isHeld = askedNow < askedNanos && nowNanos - neededNanos < holdNanos;
        long asked = isHeld ? askedNanos : askedNow;
        return new Silence(
                asked,
                isHeld ? neededNanos : nowNanos,
                idleNow,
                Math.max(Math.max(asked, idleNow), granted(othersNanos)));
    }

    /** What this node grants to another one that wishes {@code nanos}: at most the span of {@link Preset#WAN}. */
    static long granted(long nanos) {
        return Math.min(nanos, Preset.WAN.silenceNanos());
    }

    /** The span that this node wishes; sent with each heartbeat. */
    public long wishNanos() {
        return Math.max(askedNanos, idleNanos);
    }

    /** The origin of a span of silence. */
    public enum Origin {
        CONFIGURED("as configured"),
        ROUND_TRIPS("by measured round trips"),
        IDLE("while nobody trains"),
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
        if (nanos > wishNanos()) {
            return Origin.OTHER_NODE;
        }
        if (idleNanos > askedNanos) {
            return Origin.IDLE;
        }
        return askedNanos > configuredNanos ? Origin.ROUND_TRIPS : Origin.CONFIGURED;
    }
}

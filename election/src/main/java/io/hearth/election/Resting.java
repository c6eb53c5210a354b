package io.hearth.election;

/**
 * Whether the data threads stand still after a local pause: frames of a time in which this node was a member lie in its sockets,
 * and it may be none any more.
 */
sealed interface Resting {
    Resting AWAKE = new Awake();

    record Awake() implements Resting {}

    record Until(long nanos) implements Resting {}

    /** A pause was noticed, before any other event is handled: an own ballot that could still be dropped is dropped. */
    static void begin(Turn turn) {
        if (turn.resting instanceof Awake) {
            turn.effect(new ViewMachine.Effect.Rest(true));
        }
        turn.resting = new Until(turn.now + turn.config.restNanos());
        if (!(turn.campaign instanceof Campaign.Accepting)) {
            turn.campaign = Campaign.NONE;
        }
    }

    /** Does what is due. */
    static void drive(Turn turn) {
        if (turn.resting instanceof Until(long nanos) && turn.now - nanos >= 0) {
            turn.resting = AWAKE;
            turn.effect(new ViewMachine.Effect.Rest(false));
        }
    }
}

package io.hearth.election.view;

/**
 * Whether the data threads stand still after a local pause: frames of a time in which this node was a member lie in its sockets,
 * and it may be none any more.
 */
sealed interface Resting {
    Resting AWAKE = new Awake();

    record Awake() implements Resting {}

    record Until(long nanos) implements Resting {}

    /** A pause was noticed, before any other event is handled: an own ballot that could still be dropped is dropped. */
    static void begin(Transition transition) {
        if (transition.resting instanceof Awake) {
            transition.effect(new ViewMachine.Effect.Rest(true));
        }
        transition.resting = new Until(transition.now + transition.config.restNanos());
        if (!(transition.campaign instanceof Campaign.Accepting)) {
            transition.campaign = Campaign.NONE;
        }
    }

    /** Does what is due. */
    static void drive(Transition transition) {
        if (transition.resting instanceof Until(long nanos) && transition.now - nanos >= 0) {
            transition.resting = AWAKE;
            transition.effect(new ViewMachine.Effect.Rest(false));
        }
    }
}

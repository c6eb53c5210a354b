package io.hearth.election.view;

import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.RestState;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.step.Transition;

/** Pauses the data threads after a local pause: {@link RestState}. */
final class Resting {
    private Resting() {}

    /** Handles a local pause before any other event: drops this node's ballot if it can still be dropped. */
    static void begin(Transition transition) {
        if (transition.resting instanceof RestState.Awake) {
            transition.effect(new ViewEffect.Rest(true));
        }
        transition.resting = new RestState.Until(transition.now + transition.config.restNanos());
        if (!(transition.campaign instanceof Campaign.Accepting)) {
            transition.campaign = Campaign.NONE;
        }
    }

    /** Does what is due. */
    static void drive(Transition transition) {
        if (transition.resting instanceof RestState.Until(long nanos) && transition.now - nanos >= 0) {
            transition.resting = RestState.AWAKE;
            transition.effect(new ViewEffect.Rest(false));
        }
    }
}

package io.hearth.collective;

import java.util.Optional;

/**
 * One call of the application.
 *
 * @param signature what is asked for
 * @param contribution how it is done
 */
record Plan(Signature signature, Contribution contribution) {
    /** The same for a bucket of a list. */
    Plan of(Optional<TensorList> list) {
        return new Plan(signature.of(list), contribution);
    }
}

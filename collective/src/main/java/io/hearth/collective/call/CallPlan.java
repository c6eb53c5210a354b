package io.hearth.collective.call;

import io.hearth.collective.Signature;
import io.hearth.collective.TensorList;
import java.util.Optional;

/**
 * One call of the application.
 *
 * @param signature description of the call
 * @param operation runs the call
 */
public record CallPlan(Signature signature, CollectiveOperation operation) {
    /** The same for a bucket of a list. */
    public CallPlan of(Optional<TensorList> list) {
        return new CallPlan(signature.of(list), operation);
    }
}

package io.hearth.parameterserver.table;

import com.google.protobuf.ByteString;
import io.hearth.parameterserver.optimize.OptimizerState;
import io.hearth.parameterserver.wire.GradientEncoding;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A parameter of a table, at one instant.
 *
 * @param state its values and its optimizer; the number of its updates is its version
 * @param seen the newest gradient of each trainer, for repeats
 * @param pending gradients of the step that is not complete, by trainer
 */
public record Stored(OptimizerState state, SortedMap<String, Seen> seen, SortedMap<String, Pending> pending) {
    /**
     * The newest gradient of a trainer.
     *
     * @param version of the parameter that has it
     */
    public record Seen(long sequence, long version) {}

    /** A gradient that waits for those of other trainers. */
    public record Pending(GradientEncoding encoding, ByteString content) {}

    public Stored {
        seen = Collections.unmodifiableSortedMap(new TreeMap<>(seen));
        pending = Collections.unmodifiableSortedMap(new TreeMap<>(pending));
    }

    /** The updates that its values have. */
    public long version() {
        return state.updates();
    }
}

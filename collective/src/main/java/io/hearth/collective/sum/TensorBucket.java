package io.hearth.collective.sum;

import io.hearth.collective.TensorList;
import io.hearth.collective.TensorShape;
import java.util.List;
import java.util.Optional;

/**
 * Tensors of a list that travel together, one behind the other.
 *
 * @param list identifies the bucket and its list; ranks compare it
 * @param spans positions of the tensors in the bucket; zeros fill the gaps where each tensor must begin with a block
 */
public record TensorBucket(TensorList list, List<Span> spans) {
    public TensorBucket {
        spans = List.copyOf(spans);
    }

    /**
     * Position of one tensor.
     *
     * @param first index of its first value in the bucket
     * @param count number of its values
     * @param shape if the caller gave one
     */
    public record Span(long first, long count, Optional<TensorShape> shape) {}
}

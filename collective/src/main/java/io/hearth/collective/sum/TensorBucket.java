package io.hearth.collective.sum;

import io.hearth.collective.TensorList;
import io.hearth.collective.TensorShape;
import java.util.List;
import java.util.Optional;

/**
 * The tensors of a list that travel together, one behind the other.
 *
 * @param list which bucket of which list; what ranks compare
 * @param spans where they lie in the bucket; between them are zeros where a codec counts its blocks from each tensor's first value
 */
public record TensorBucket(TensorList list, List<Span> spans) {
    public TensorBucket {
        spans = List.copyOf(spans);
    }

    /**
     * One of them.
     *
     * @param first index of its first value in the bucket
     * @param count of its values
     * @param shape as the caller gave it
     */
    public record Span(long first, long count, Optional<TensorShape> shape) {}
}

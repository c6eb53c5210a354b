package io.hearth.collective.pair.machine;

import io.hearth.collective.group.Status;
import io.hearth.core.DataType;
import java.util.Locale;

/**
 * Type and number of the elements that one rank sends to another.
 *
 * @param type of the elements
 * @param count number of elements, 0 or more; at most {@link Status#NUMBER_MAX} bytes together
 */
public record TransferSpec(DataType type, long count) {
    public TransferSpec {
        if (count < 0 || count > Status.NUMBER_MAX / type.bytes()) {
            throw new IllegalArgumentException(
                    "count must be 0 to " + Status.NUMBER_MAX / type.bytes() + " for " + type + ", got " + count);
        }
    }

    /** Size of all elements. */
    public long bytes() {
        return count * type.bytes();
    }

    /** A phrase for messages. */
    public String text() {
        return count + " " + type.name().toLowerCase(Locale.ROOT);
    }
}

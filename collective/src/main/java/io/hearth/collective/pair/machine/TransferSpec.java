package io.hearth.collective.pair.machine;

import io.hearth.collective.group.Status;
import io.hearth.core.DataType;
import java.util.Locale;

/**
 * What one rank sends to another, or expects from it.
 *
 * @param type of the elements
 * @param count how many, 0 or more; at most {@link Status#NUMBER_MAX} bytes of them
 */
public record TransferSpec(DataType type, long count) {
    public TransferSpec {
        if (count < 0 || count > Status.NUMBER_MAX / type.bytes()) {
            throw new IllegalArgumentException("nobody sends " + count + " elements of " + type);
        }
    }

    /** Size of all elements. */
    public long bytes() {
        return count * type.bytes();
    }

    /** For people: one phrase. */
    public String text() {
        return count + " " + type.name().toLowerCase(Locale.ROOT);
    }
}

package io.hearth.election;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** The count of each {@link MessageRejection}. */
public final class MessageRejections {
    public static final MessageRejections NONE = new MessageRejections(new EnumMap<>(MessageRejection.class));

    private final Map<MessageRejection, Long> counts;

    private MessageRejections(Map<MessageRejection, Long> counts) {
        this.counts = counts;
    }

    /** Times since the start. */
    public long count(MessageRejection refusal) {
        return counts.getOrDefault(refusal, 0L);
    }

    /** All counts above 0, in the order of the enum. */
    public Map<MessageRejection, Long> counts() {
        return Collections.unmodifiableMap(counts);
    }

    public MessageRejections plus(MessageRejection refusal) {
        var more = new EnumMap<>(counts);
        more.merge(refusal, 1L, Long::sum);
        return new MessageRejections(more);
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}

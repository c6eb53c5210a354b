package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a store remembers of one node's commands.
 *
 * @param incarnation the newest one that sent a command
 * @param answered commands up to this number are not applied any more
 * @param answers of commands above it, by number; at most {@link #ANSWERS_MAX}
 * @param used number of the entry that used it last
 */
record Session(long incarnation, long answered, SortedMap<Long, Bytes> answers, long used) {
    static final int ANSWERS_MAX = 1_024;

    Session {
        answers = Collections.unmodifiableSortedMap(new TreeMap<>(answers));
    }

    static Session of(long incarnation) {
        return new Session(incarnation, 0, Collections.emptySortedMap(), 0);
    }

    /** The same session after its node has all answers up to {@code number}. */
    Session acknowledge(long number) {
        return number <= answered ? this : new Session(incarnation, number, answers.tailMap(number + 1), used);
    }

    Session answer(long number, Bytes answer, long entry) {
        var more = new TreeMap<>(answers);
        more.put(number, answer);
        long floor = answered;
        while (more.size() > ANSWERS_MAX) {
            floor = more.pollFirstEntry().getKey();
        }
        return new Session(incarnation, floor, more, entry);
    }

    /** Of two sessions of one node in two stores: the newer incarnation, or what either knows. */
    Session join(Session other) {
        if (incarnation != other.incarnation) {
            return incarnation > other.incarnation ? this : other;
        }
        var both = new TreeMap<>(other.answers);
        both.putAll(answers);
        long floor = Math.max(answered, other.answered);
        var joined = new Session(incarnation, floor, both.tailMap(floor + 1), Math.max(used, other.used));
        while (joined.answers.size() > ANSWERS_MAX) {
            joined = joined.acknowledge(joined.answers.firstKey());
        }
        return joined;
    }
}

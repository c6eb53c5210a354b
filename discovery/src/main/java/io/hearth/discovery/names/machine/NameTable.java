package io.hearth.discovery.names.machine;

import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.PeerName;
import java.util.List;
import java.util.OptionalLong;

/**
 * State of a {@link NameMachine}.
 *
 * @param settings with which the next rounds begin
 * @param entries one for each name
 */
public record NameTable(ResolverSettings settings, List<Entry> entries) {
    public NameTable {
        entries = List.copyOf(entries);
    }

    /** A table whose names are all due at {@code nowNanos}. */
    public static NameTable of(List<PeerName> names, ResolverSettings settings, long nowNanos) {
        return new NameTable(
                settings,
                names.stream()
                        .map(name -> new Entry(
                                name,
                                new Phase.Waiting(nowNanos),
                                List.of(),
                                0,
                                new NameReport(name.toString(), 0, "not looked up yet")))
                        .toList());
    }

    /**
     * One name.
     *
     * @param known the addresses of the last round that found any
     * @param failures rounds in a row that found none
     */
    public record Entry(PeerName name, Phase phase, List<PeerAddress> known, int failures, NameReport report) {
        public Entry {
            known = List.copyOf(known);
        }

        Entry in(Phase next) {
            return new Entry(name, next, known, failures, report);
        }

        Entry reporting(NameReport next) {
            return new Entry(name, phase, known, failures, next);
        }
    }

    /** Whether a round of questions is in progress. */
    public sealed interface Phase {
        /** The next round begins at {@code dueNanos}. */
        record Waiting(long dueNanos) implements Phase {}

        /**
         * A question is open; there is at most one for each name.
         *
         * @param sinceNanos when it was asked
         */
        record Asking(NameQuestion question, long sinceNanos, Round round) implements Phase {}
    }

    /**
     * The work of a round of questions.
     *
     * @param left tasks that are not done; the first one is in progress
     * @param found addresses so far, best first
     * @param ttlSeconds the shortest of all answers so far; empty without any
     * @param asked questions so far
     * @param failed why a resolver could not answer; empty if all could
     * @param absent what does not exist, by the latest such answer; empty without one
     */
    public record Round(
            List<NamePlan.Task> left,
            List<PeerAddress> found,
            OptionalLong ttlSeconds,
            int asked,
            String failed,
            String absent) {
        public Round {
            left = List.copyOf(left);
            found = List.copyOf(found);
        }

        static Round of(List<NamePlan.Task> plan) {
            return new Round(plan, List.of(), OptionalLong.empty(), 0, "", "");
        }

        NamePlan.Task current() {
            return left.getFirst();
        }

        Round asking() {
            return new Round(left, found, ttlSeconds, asked + 1, failed, absent);
        }

        Round next(List<NamePlan.Task> rest) {
            return new Round(rest, found, ttlSeconds, asked, failed, absent);
        }

        Round with(List<PeerAddress> more, OptionalLong ttl) {
            boolean isShorter = ttl.isPresent() && (ttlSeconds.isEmpty() || ttl.getAsLong() < ttlSeconds.getAsLong());
            return new Round(left, more, isShorter ? ttl : ttlSeconds, asked, failed, absent);
        }

        Round failed(String why) {
            return new Round(left, found, ttlSeconds, asked, failed.isEmpty() ? why : failed, absent);
        }

        Round absent(String why) {
            return new Round(left, found, ttlSeconds, asked, failed, why);
        }

        /** Why the round found nothing. A failure says more than an absence, which may only be that of a longer name. */
        String problem() {
            return failed.isEmpty() ? absent : failed;
        }
    }
}

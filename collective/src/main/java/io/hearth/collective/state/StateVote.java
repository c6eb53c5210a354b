package io.hearth.collective.state;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Which state is right, and who gets it from whom. Pure: all ranks have the same claims, so all come to the same without a word.
 *
 * <p>Members that passed a boundary before and completed a step decide: what most of them hold is right, among equals what the
 * lowest rank holds. A single memory error is outvoted from three members on. Without such a member, in a new group, those
 * that completed most steps decide in the same way.
 *
 * <p>In a group in which no member completed a step, the lead's step number counts, which its application may have said with {@code
 * resumeAt}. Another number that an application said is a {@link Disagreement}. A member that resumes and meets members that
 * completed steps takes over what they hold.
 *
 * @param agreed the right state
 * @param holders ranks that hold it, ascending, at least one
 * @param sources for each rank that lacks it, whom it asks, first choice first
 */
public record StateVote(StateClaim agreed, List<Integer> holders, SortedMap<Integer, List<Integer>> sources) {
    /** How many are asked where none of a rank's own choice holds the state. */
    private static final int FALLBACK_MAX = 2;

    public StateVote {
        holders = List.copyOf(holders);
        sources = new TreeMap<>(sources);
    }

    /**
     * Two ranks that begin at different steps.
     *
     * @param rank whose application said a step
     * @param step that it said
     * @param leadStep at which rank 0 begins
     */
    record Disagreement(int rank, long step, long leadStep) {}

    /** Whether the ranks of a new group begin at different steps; {@code claims} as for {@link #decide}. */
    static Optional<Disagreement> disagreement(List<StateClaim> claims) {
        if (claims.stream().anyMatch(StateClaim::isWorked)) {
            return Optional.empty();
        }
        long leadStep = claims.getFirst().revision();
        return IntStream.range(0, claims.size())
                .filter(rank -> claims.get(rank).resumed() && claims.get(rank).revision() != leadStep)
                .mapToObj(rank -> new Disagreement(rank, claims.get(rank).revision(), leadStep))
                .findFirst();
    }

    /**
     * Decides.
     *
     * @param claims by rank, of all members, at least one; borrowed
     * @throws java.util.NoSuchElementException if there are none
     */
    public static StateVote decide(List<StateClaim> claims) {
        List<StateClaim> voters = claims.stream()
                .filter(claim -> !claim.joined() && claim.isWorked())
                .toList();
        if (voters.isEmpty()) {
            boolean isNew = claims.stream().noneMatch(StateClaim::isWorked);
            List<StateClaim> able =
                    claims.stream().filter(claim -> isNew || claim.isWorked()).toList();
            long most = able.stream().mapToLong(StateClaim::revision).max().orElseThrow();
            voters = able.stream().filter(claim -> claim.revision() == most).toList();
        }
        StateClaim agreed = mostFrequent(voters);
        List<Integer> holders = IntStream.range(0, claims.size())
                .filter(rank -> claims.get(rank).holds(agreed))
                .boxed()
                .toList();
        var sources = new TreeMap<Integer, List<Integer>>();
        for (int rank = 0; rank < claims.size(); rank++) {
            if (!claims.get(rank).holds(agreed)) {
                sources.put(rank, sources(claims.get(rank), holders));
            }
        }
        return new StateVote(agreed, holders, sources);
    }

    private static StateClaim mostFrequent(List<StateClaim> byRank) {
        Map<StateClaim, Integer> counts = new LinkedHashMap<>();
        byRank.forEach(claim -> counts.merge(claim.agreed(), 1, Integer::sum));
        int most = 0;
        StateClaim best = byRank.getFirst();
        for (Map.Entry<StateClaim, Integer> entry : counts.entrySet()) {
            if (entry.getValue() > most) {
                most = entry.getValue();
                best = entry.getKey();
            }
        }
        return best;
    }

    private static List<Integer> sources(StateClaim claim, List<Integer> holders) {
        List<Integer> chosen =
                claim.sources().stream().filter(holders::contains).distinct().toList();
        return chosen.isEmpty() ? holders.stream().limit(FALLBACK_MAX).toList() : chosen;
    }

    /** Ranks that ask {@code rank} for the state, ascending. */
    List<Integer> fetchersFrom(int rank) {
        var fetchers = new ArrayList<Integer>();
        sources.forEach((fetcher, asked) -> {
            if (asked.contains(rank)) {
                fetchers.add(fetcher);
            }
        });
        return fetchers;
    }
}

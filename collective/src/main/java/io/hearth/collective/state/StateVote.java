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
 * Decides which state is the group's, and from which ranks each other rank fetches it. Pure: all ranks have the same claims, so all
 * decide the same without another message.
 *
 * <p>Members that passed a boundary of this lineage and completed a step vote. The state that most of them hold wins; among equals,
 * that of the lowest rank. So with three or more voters, a single memory error is outvoted. If there is no such member, the members
 * with the most steps vote in the same way.
 *
 * <p>In a group in which no member completed a step, the lead's step number counts, which its application may have set with {@code
 * resumeAt}. If another application set another number, that is a {@link Disagreement}. A member that resumes beside members that
 * completed steps takes their state.
 *
 * @param agreed the group's state
 * @param holders ranks that hold it, ascending, at least one
 * @param sources for each rank that lacks it, the ranks from which it fetches, first choice first
 */
public record StateVote(StateClaim agreed, List<Integer> holders, SortedMap<Integer, List<Integer>> sources) {
    /** Number of sources for a rank if none of its own choice holds the state. */
    private static final int FALLBACK_MAX = 2;

    public StateVote {
        holders = List.copyOf(holders);
        sources = new TreeMap<>(sources);
    }

    /**
     * Two ranks that begin at different steps.
     *
     * @param rank rank whose application called {@code resumeAt}
     * @param step its step
     * @param leadStep step at which rank 0 begins
     */
    record Disagreement(int rank, long step, long leadStep) {}

    /**
     * The first rank of a new group that resumes at another step than the lead, if there is one; {@code claims} as for {@link
     * #decide}.
     */
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
     * Decides on the group's state.
     *
     * @param claims by rank, of all members, at least one; borrowed
     * @throws java.util.NoSuchElementException if there are no claims
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

    /** Ranks that fetch the state from {@code rank}, ascending. */
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

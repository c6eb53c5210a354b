package io.hearth.lighthouse.machine;

import io.hearth.lighthouse.LighthouseSettings;
import io.hearth.lighthouse.QuorumMember;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * When a quorum is formed, and with whom. The rules are torchft's, with two differences: a quorum never has fewer members than asked for,
 * and only a member of the former quorum can ask that the next one has no others.
 */
final class QuorumRules {
    /**
     * A decision.
     *
     * @param members the quorum in the order of ids, if it can be formed now
     * @param reason for people; also why there is none
     */
    record Verdict(Optional<List<QuorumMember>> members, String reason) {}

    /**
     * What the rules look at.
     *
     * @param asking the healthy replicas that wait for a quorum, by id
     * @param healthy ids of all healthy replicas, those that wait among them
     * @param before ids of the former quorum; empty if there was none
     * @param sinceFirstNanos how long the first of those that wait has waited
     */
    record Situation(
            SortedMap<String, QuorumMember> asking,
            Set<String> healthy,
            Collection<String> before,
            long sinceFirstNanos) {}

    private QuorumRules() {}

    static Verdict decide(Situation situation, LighthouseSettings settings) {
        SortedMap<String, QuorumMember> asking = situation.asking();
        boolean shrinks = situation.before().stream()
                .anyMatch(id -> asking.containsKey(id) && asking.get(id).shrinkOnly());
        List<QuorumMember> candidates = asking.values().stream()
                .filter(member -> !shrinks || situation.before().contains(member.replicaId()))
                .toList();
        String counts = asking.size() + " of " + situation.healthy().size() + " healthy replicas ask for a quorum"
                + (shrinks ? ", which must not grow" : "");
        if (candidates.size() < settings.minReplicas()) {
            return wait(counts + ": at least " + settings.minReplicas() + " are needed");
        }
        boolean areAllBack = !situation.before().isEmpty() && asking.keySet().containsAll(situation.before());
        if (areAllBack) {
            return new Verdict(Optional.of(candidates), "all members of the former quorum ask: " + counts);
        }
        if (2 * asking.size() <= situation.healthy().size()) {
            return wait(counts + ": more than half are needed, so that two quorums never train apart");
        }
        boolean isComplete = asking.keySet().containsAll(situation.healthy());
        if (!isComplete && situation.sinceFirstNanos() < settings.joinTimeoutNanos()) {
            var missing = new TreeSet<>(situation.healthy());
            missing.removeAll(asking.keySet());
            return wait(counts + ": waiting for " + shortList(missing));
        }
        return new Verdict(Optional.of(candidates), counts);
    }

    private static Verdict wait(String reason) {
        return new Verdict(Optional.empty(), reason);
    }

    private static String shortList(Collection<String> ids) {
        int shown = 5;
        String first = ids.stream().limit(shown).collect(java.util.stream.Collectors.joining(", "));
        return ids.size() <= shown ? first : first + " and " + (ids.size() - shown) + " more";
    }
}

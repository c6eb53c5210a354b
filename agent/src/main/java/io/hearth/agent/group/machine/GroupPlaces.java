package io.hearth.agent.group.machine;

import io.hearth.collective.group.GroupActivity;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * A trainer's conclusions from the notes of others. Pure.
 *
 * <p>A group with a maximum number of ranks keeps no list of places. In a view the first members have the places, by rank. No step begins
 * while there are more members, and a member whose rank exceeds the maximum of any member before it leaves. Outside the view, a trainer
 * waits while all places are taken; of several spares, those with the smallest ids take the places that become free. If two nodes count
 * differently for a moment, too many enter, and the last ones leave again.
 *
 * @param elsewhere most advanced activity of the group's trainers in another view
 * @param meetsStep whether another trainer of the group in the view has begun a step
 * @param spare whether all places are taken without this trainer
 */
public record GroupPlaces(GroupActivity elsewhere, boolean meetsStep, boolean spare) {
    /**
     * Draws the conclusions.
     *
     * @param self this trainer
     * @param own its newest note
     * @param inView trainers of the group in the view, by rank, this one included
     * @param notes of linked trainers of the same group
     */
    public static GroupPlaces of(
            NodeId self, TrainerNote own, List<NodeId> inView, SortedMap<NodeId, TrainerNote> notes) {
        GroupActivity elsewhere = notes.entrySet().stream()
                .filter(entry ->
                        !inView.contains(entry.getKey()) && !entry.getValue().spare())
                .map(entry -> entry.getValue().activity())
                .filter(activity -> activity == GroupActivity.WORKING || activity == GroupActivity.STEPPING)
                .max(GroupActivity::compareTo)
                .orElse(GroupActivity.IDLE);
        boolean meetsStep = notes.entrySet().stream()
                .anyMatch(entry ->
                        inView.contains(entry.getKey()) && entry.getValue().activity() == GroupActivity.STEPPING);
        return new GroupPlaces(
                elsewhere,
                meetsStep,
                inView.size() > 1 ? isBeyond(self, own, inView, notes) : isOutside(self, own, notes));
    }

    private static boolean isBeyond(NodeId self, TrainerNote own, List<NodeId> inView, Map<NodeId, TrainerNote> notes) {
        int most = own.most();
        for (int rank = 0; rank < inView.indexOf(self); rank++) {
            TrainerNote senior = notes.get(inView.get(rank));
            most = senior == null ? most : Math.min(most, senior.most());
        }
        return inView.indexOf(self) >= most;
    }

    private static boolean isOutside(NodeId self, TrainerNote own, SortedMap<NodeId, TrainerNote> notes) {
        int most = own.most();
        int taken = 0;
        var spares = new TreeSet<NodeId>();
        spares.add(self);
        for (Map.Entry<NodeId, TrainerNote> other : notes.entrySet()) {
            if (other.getValue().spare()) {
                spares.add(other.getKey());
            } else {
                most = Math.min(most, other.getValue().most());
                taken += own.spare() || other.getValue().isAtWork() ? 1 : 0;
            }
        }
        return most - taken <= spares.headSet(self).size();
    }
}

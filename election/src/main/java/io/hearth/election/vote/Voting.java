package io.hearth.election.vote;

import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The tasks of this process for the voter: one runs, the others wait in order.
 *
 * @param running the task that the shell was given; empty while the voter is idle
 * @param waiting the next ones; at most {@link #WAITING_MAX}
 */
public record Voting(Optional<VoterTask> running, List<VoterTask> waiting) {
    public static final int WAITING_MAX = 256;
    public static final Voting IDLE = new Voting(Optional.empty(), List.of());

    public Voting {
        waiting = List.copyOf(waiting);
    }

    public Voting runs(VoterTask task) {
        return new Voting(Optional.of(task), waiting);
    }

    public Voting idle() {
        return new Voting(Optional.empty(), waiting);
    }

    /**
     * The waiting task to run next; there is at least one. Votes go before a committed view that only has to be written: a ballot waits
     * for votes, and a vote writes the view as well.
     */
    public VoterTask next() {
        VoterTask first = waiting.getFirst();
        return first instanceof VoterTask.Learn
                ? waiting.stream().filter(Voting::isVote).findFirst().orElse(first)
                : first;
    }

    private static boolean isVote(VoterTask task) {
        return task instanceof VoterTask.Promise || task instanceof VoterTask.Accept;
    }

    /** Without one of the waiting tasks. */
    public Voting without(VoterTask task) {
        var tasks = new ArrayList<>(waiting);
        tasks.remove(task);
        return new Voting(running, tasks);
    }

    /** With one more task. A task that waits already is not queued twice, and a newer one of its kind and lineage replaces it. */
    public Voting with(VoterTask task) {
        var tasks = new ArrayList<>(waiting);
        for (int i = 0; i < tasks.size(); i++) {
            if (isSameKind(tasks.get(i), task)) {
                if (isNewer(tasks.get(i), task)) {
                    tasks.set(i, task);
                }
                return new Voting(running, tasks);
            }
        }
        if (!running.equals(Optional.of(task)) && tasks.size() < WAITING_MAX) {
            tasks.add(task);
        }
        return new Voting(running, tasks);
    }

    public boolean contains(VoterTask task) {
        return running.equals(Optional.of(task)) || waiting.contains(task);
    }

    /** Whether a task that reads the record of that lineage runs or waits. */
    public boolean isEntering(Lineage lineage) {
        return running.filter(task -> isEntry(task, lineage)).isPresent()
                || waiting.stream().anyMatch(task -> isEntry(task, lineage));
    }

    private static boolean isEntry(VoterTask task, Lineage lineage) {
        return task instanceof VoterTask.Enter enter && enter.lineage().equals(lineage);
    }

    private static boolean isSameKind(VoterTask one, VoterTask other) {
        return one.getClass().equals(other.getClass()) && Voter.lineage(one).equals(Voter.lineage(other));
    }

    private static boolean isNewer(VoterTask old, VoterTask task) {
        return switch (task) {
            case VoterTask.Promise promise ->
                old instanceof VoterTask.Promise before
                        && isLater(before.view(), before.ballot(), promise.view(), promise.ballot());
            case VoterTask.Accept accept ->
                old instanceof VoterTask.Accept before
                        && isLater(before.view(), before.ballot(), accept.view(), accept.ballot());
            case VoterTask.Learn(View view) ->
                old instanceof VoterTask.Learn(View before) && before.epoch() < view.epoch();
            case VoterTask.Enter _, VoterTask.Found _ -> false;
            case VoterTask.Retain _ -> true;
        };
    }

    private static boolean isLater(View oldView, Ballot oldBallot, View view, Ballot ballot) {
        return oldView.epoch() < view.epoch() || (oldView.epoch() == view.epoch() && oldBallot.compareTo(ballot) < 0);
    }
}

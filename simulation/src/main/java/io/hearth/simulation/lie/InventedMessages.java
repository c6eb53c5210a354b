package io.hearth.simulation.lie;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Proposal;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.setting.LieKind;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** The lies that a member sends without cause. */
final class InventedMessages {
    private static final List<GroupPhase> PHASES = List.of(GroupPhase.values());

    private final SplittableRandom random;
    private final BallotRounds rounds;

    InventedMessages(WorldSetting setting, BallotRounds rounds) {
        this.random = setting.liars;
        this.rounds = rounds;
    }

    /** A lie of that kind for {@code to}. */
    Message of(LieKind kind, ProcessContext self, NodeProcess to) {
        View view = to.state().view();
        Lineage lineage = view.lineage();
        return switch (kind) {
            case HIGH_BALLOTS -> new Message.Prepare(view, new Ballot(rounds.next(view), self.id()));
            case LEAVE_AND_ANSWER -> new Message.Leave(lineage, entryEpoch(self, view), random.nextInt(4) == 0);
            case LEAVE_NUMBERS -> new Message.Leave(lineage, WireNumbers.any(random), random.nextBoolean());
            case OTHER_ROLE ->
                random.nextInt(3) == 0
                        ? new Message.Join(lineage, seat(self, view), Role.AGENT, "", GroupPhase.FRESH)
                        : new Message.Join(lineage, seat(self, view), Role.TRAINER, group(), phase());
            case STRAY_ANSWERS -> stray(self, to, view);
            case FORGED_COMMIT -> new Message.Commit(forged(to, view));
            case ANY_NUMBER,
                    STATUS_NUMBERS,
                    RESOLUTIONS,
                    HIGH_REFUSALS,
                    ADMITS_OTHERWISE,
                    BIG_LINEAGES,
                    BROKEN_PAIRS,
                    FORGED_ACCEPTANCE -> throw new AssertionError("not told unasked: " + kind);
        };
    }

    private String group() {
        return random.nextInt(3) == 0 ? "alpha" : "job-" + random.nextInt(100_000);
    }

    private GroupPhase phase() {
        return PHASES.get(random.nextInt(PHASES.size()));
    }

    private static long entryEpoch(ProcessContext self, View view) {
        return view.member(self.id()).map(Member::entryEpoch).orElse(1L);
    }

    private long seat(ProcessContext self, View view) {
        return view.member(self.id()).map(Member::seat).orElseGet(() -> 1 + random.nextLong(1_000));
    }

    private Message stray(ProcessContext self, NodeProcess to, View view) {
        long epoch = random.nextBoolean() ? view.epoch() : 1 + random.nextLong(1L << 48);
        var ballot = new Ballot(random.nextBoolean() ? rounds.any() : 1_000_000 + random.nextInt(8), to.id());
        return switch (random.nextInt(3)) {
            case 0 -> new Message.Accepted(view.lineage(), epoch, ballot);
            case 1 ->
                new Message.Here(
                        view.lineage(),
                        epoch,
                        ballot,
                        Optional.of(new Message.Status(random.nextBoolean(), Bytes.EMPTY)));
            default ->
                new Message.Promise(
                        view.lineage(),
                        epoch,
                        ballot,
                        Optional.of(
                                new Proposal(new Ballot(rounds.any(), self.id()), successor(self, view.epoch() + 1))));
        };
    }

    /** A valid successor with all present members and itself as the most junior one. */
    static View successor(ProcessContext self, long epoch) {
        View view = self.state().view();
        return new View(view.lineage(), epoch, view.members(), view.groups());
    }

    private View forged(NodeProcess to, View view) {
        long epoch = switch (random.nextInt(5)) {
            case 0 -> 1L << 53;
            case 1 -> (1L << 53) - 1;
            case 2 -> view.epoch() + 1_000_000;
            case 3 -> view.epoch() + 1 + random.nextLong(1L << 40);
            default -> view.epoch() + 1;
        };
        var members = new ArrayList<>(view.members());
        if (random.nextInt(3) == 0) {
            members.removeIf(member -> member.node().equals(to.id()));
        }
        var names = new TreeSet<String>();
        members.forEach(member -> names.add(member.group()));
        return random.nextInt(6) == 0
                ? new View(view.lineage(), epoch, List.of(), List.of())
                : new View(
                        view.lineage(),
                        epoch,
                        members,
                        view.groups().stream()
                                .filter(group -> names.contains(group.name()))
                                .toList());
    }
}

package io.hearth.simulation.lie;

import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.Status;
import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.Message;
import io.hearth.election.Presence;
import io.hearth.election.Proposal;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.setting.LieKind;
import io.hearth.simulation.setting.LiePlan;
import io.hearth.simulation.setting.WorldSetting;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** The lies that a member sends in place of its messages. */
final class AlteredMessages {
    private static final int CHANGE_ONE_IN = 3;

    private final LiePlan plan;
    private final Cluster cluster;
    private final SplittableRandom random;
    private final BallotRounds rounds;

    AlteredMessages(WorldSetting setting, Cluster cluster, BallotRounds rounds) {
        this.plan = setting.lies;
        this.cluster = cluster;
        this.random = setting.liars;
        this.rounds = rounds;
    }

    /** Whether it lies in this way now. */
    boolean does(LieKind kind) {
        return plan.kinds().contains(kind) && random.nextInt(CHANGE_ONE_IN) < (isRare(kind) ? CHANGE_ONE_IN - 1 : 1);
    }

    /** Whether this kind appears only during view changes. */
    private static boolean isRare(LieKind kind) {
        return kind == LieKind.STATUS_NUMBERS || kind == LieKind.HIGH_REFUSALS || kind == LieKind.FORGED_ACCEPTANCE;
    }

    /** The first kind that explains the change. */
    LieKind kind(Message message) {
        return switch (message) {
            case Message.Heartbeat _ when plan.kinds().contains(LieKind.BIG_LINEAGES) -> LieKind.BIG_LINEAGES;
            case Message.Heartbeat _ when plan.kinds().contains(LieKind.BROKEN_PAIRS) -> LieKind.BROKEN_PAIRS;
            case Message.Promise _ when plan.kinds().contains(LieKind.HIGH_REFUSALS) -> LieKind.HIGH_REFUSALS;
            case Message.Here _ when plan.kinds().contains(LieKind.STATUS_NUMBERS) -> LieKind.STATUS_NUMBERS;
            case Message.Promise _ when plan.kinds().contains(LieKind.FORGED_ACCEPTANCE) -> LieKind.FORGED_ACCEPTANCE;
            default -> LieKind.ANY_NUMBER;
        };
    }

    /** The lie in place of a message that it sends, or the message itself. */
    Message altered(ProcessContext self, Message message) {
        return switch (message) {
            case Message.Heartbeat beat -> heartbeat(self, beat);
            case Message.Promise promise -> promise(self, promise);
            case Message.Here here -> here(here);
            case Message.Prepare _,
                    Message.Gone _,
                    Message.Accept _,
                    Message.Accepted _,
                    Message.Refuse _,
                    Message.Commit _,
                    Message.Join _,
                    Message.NotYet _,
                    Message.Leave _ -> message;
        };
    }

    private Message heartbeat(ProcessContext self, Message.Heartbeat beat) {
        Presence said = beat.presence();
        if (does(LieKind.BIG_LINEAGES)) {
            Lineage lineage = random.nextBoolean()
                    ? said.lineage()
                    : new Lineage(false, random.nextInt(1_000), self.id(), 1 + random.nextInt(4), random.nextInt(4));
            said = new Presence(
                    lineage,
                    1 + random.nextLong(Math.max(1, said.epoch())),
                    View.MEMBERS_MAX,
                    false,
                    said.group(),
                    GroupPhase.BOUNDARY,
                    said.doneUpTo(),
                    List.of());
        }
        if (does(LieKind.BROKEN_PAIRS)) {
            List<NodeId> others = cluster.hosts().stream()
                    .map(other -> other.id)
                    .filter(other -> !other.equals(self.id()))
                    .toList();
            said = new Presence(
                    said.lineage(),
                    said.epoch(),
                    said.memberCount(),
                    said.stalled(),
                    said.group(),
                    said.phase(),
                    said.doneUpTo(),
                    others);
        }
        return said.equals(beat.presence()) ? beat : new Message.Heartbeat(said, beat.beat());
    }

    private Message promise(ProcessContext self, Message.Promise promise) {
        if (does(LieKind.HIGH_REFUSALS)) {
            return new Message.Refuse(
                    promise.lineage(),
                    promise.epoch(),
                    new Ballot(rounds.next(self.state().view()), self.id()));
        }
        if (does(LieKind.FORGED_ACCEPTANCE)) {
            View view = self.state().view();
            var accepted = new Proposal(
                    new Ballot(rounds.any(), self.id()), InventedMessages.successor(self, view.epoch() + 1));
            return new Message.Promise(promise.lineage(), promise.epoch(), promise.ballot(), Optional.of(accepted));
        }
        return promise;
    }

    private Message here(Message.Here here) {
        if (here.status().isEmpty() || !does(LieKind.STATUS_NUMBERS)) {
            return here;
        }
        Message.Status status = here.status().get();
        byte[] bytes = random.nextBoolean() ? hugeStatus() : status.collective().toArray();
        for (int changes = random.nextInt(3); changes > 0; changes--) {
            bytes = WireNumbers.changed(bytes, random);
        }
        return new Message.Here(
                here.lineage(),
                here.epoch(),
                here.ballot(),
                Optional.of(new Message.Status(status.leaving(), Bytes.of(bytes))));
    }

    /** A status far ahead of all others with a broken stream, so that it decides the next group epoch. */
    private byte[] hugeStatus() {
        long far = Math.clamp(WireNumbers.any(random), 0, Status.NUMBER_MAX);
        return CollectiveMessages.encode(new Status(far, far, List.of(), Optional.of("streams broke")))
                .toArray();
    }
}

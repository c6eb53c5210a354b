package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.collective.CollectiveCodec;
import io.hearth.collective.GroupMachine;
import io.hearth.collective.Resolution;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Ballot;
import io.hearth.election.ElectionConfig;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Resolver;
import io.hearth.election.View;
import io.hearth.election.ViewMachine;
import io.hearth.election.ViewMachine.Effect;
import io.hearth.election.ViewMachine.Event;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** One class for each {@link Plant}. */
final class Sabotages {
    private Sabotages() {}

    record LostPromises() implements Sabotage {
        @Override
        public boolean isDurable(Optional<LineageRecord> before, LineageRecord record) {
            return before.isEmpty() || !before.get().view().equals(record.view());
        }
    }

    record ForgottenAcceptance() implements Sabotage {
        @Override
        public List<Effect> effects(NodeProcess process, Event cause, List<Effect> effects) {
            return effects.stream().map(ForgottenAcceptance::without).toList();
        }

        private static Effect without(Effect effect) {
            return effect instanceof Effect.Send(NodeId to, Message.Promise promise)
                    ? new Effect.Send(
                            to,
                            new Message.Promise(
                                    promise.lineage(),
                                    promise.epoch(),
                                    promise.ballot(),
                                    Optional.empty(),
                                    promise.status()))
                    : effect;
        }
    }

    /** Each vote counts as that of another voter too. */
    record VotesTwice() implements Sabotage {
        @Override
        public List<Forged> more(NodeProcess process, NodeId from, Message message) {
            Optional<Message> again = switch (message) {
                case Message.Accepted accepted -> Optional.of(accepted);
                case Message.Promise promise ->
                    Optional.of(new Message.Promise(
                            promise.lineage(), promise.epoch(), promise.ballot(), Optional.empty(), Optional.empty()));
                default -> Optional.empty();
            };
            return again.stream().flatMap(vote -> other(process, from, vote)).toList();
        }

        /** Another voter, of which nothing came yet: its own answer would replace this one. */
        private static Stream<Forged> other(NodeProcess process, NodeId from, Message vote) {
            return process.state().view().voters().stream()
                    .filter(voter -> !voter.node().equals(from)
                            && !voter.node().equals(process.host.id)
                            && !hears(process, voter.node()))
                    .limit(1)
                    .map(voter -> new Forged(voter.node(), voter.incarnation(), vote));
        }
    }

    /** Where the votes are even, rank 0 is taken to agree when it cannot be reached. */
    record AnyHalf() implements Sabotage {
        @Override
        public List<Effect> effects(NodeProcess process, Event cause, List<Effect> effects) {
            for (Effect effect : effects) {
                if (effect instanceof Effect.Send(NodeId to, Message.Prepare(View view, Ballot ballot))
                        && isMissing(process, to, view)) {
                    var promise = new Message.Promise(
                            view.lineage(), view.epoch(), ballot, Optional.empty(), Optional.empty());
                    agree(process, view, promise);
                } else if (effect instanceof Effect.Send(NodeId to, Message.Accept accept)
                        && isMissing(process, to, accept.view())) {
                    View view = accept.view();
                    agree(process, view, new Message.Accepted(view.lineage(), view.epoch(), accept.ballot()));
                }
            }
            return effects;
        }

        private static boolean isMissing(NodeProcess process, NodeId to, View view) {
            List<Member> voters = view.voters();
            return voters.size() % 2 == 0 && voters.getFirst().node().equals(to) && !Sabotages.hears(process, to);
        }

        private static void agree(NodeProcess process, View view, Message message) {
            Member first = view.voters().getFirst();
            process.world.after(
                    10 * MILLI,
                    () -> process.deliver(
                            () -> process.view(new Event.Received(first.node(), first.incarnation(), message))));
        }
    }

    record ReusedLineage() implements Sabotage {
        @Override
        public ViewMachine.Start start(ViewMachine.Start honest) {
            return new ViewMachine.Start(
                    2_000_000_000L, honest.records(), honest.node(), 1, honest.role(), honest.group(), honest.seed());
        }
    }

    record EarlyJoin() implements Sabotage {
        @Override
        public List<Effect> effects(NodeProcess process, Event cause, List<Effect> effects) {
            return announced(effects, true);
        }
    }

    record EarlyCommit() implements Sabotage {
        @Override
        public List<Effect> effects(NodeProcess process, Event cause, List<Effect> effects) {
            return announced(effects, false);
        }
    }

    private static List<Effect> announced(List<Effect> effects, boolean onlyToJoiners) {
        var more = new ArrayList<Effect>();
        for (Effect effect : effects) {
            more.add(effect);
            if (effect instanceof Effect.Send(NodeId to, Message.Accept accept)) {
                View next = accept.next();
                if (!onlyToJoiners) {
                    more.add(new Effect.Send(to, new Message.Commit(next)));
                }
                for (Member member : next.members()) {
                    if (onlyToJoiners && accept.view().member(member.node()).isEmpty()) {
                        more.add(new Effect.Send(member.node(), new Message.Commit(next)));
                    }
                }
            }
        }
        return more;
    }

    record Amnesia() implements Sabotage {
        @Override
        public Optional<LineageRecord> rebuild(LineageRecord lost) {
            return Optional.of(
                    new LineageRecord(lost.lineage(), lost.entries(), lost.view(), Optional.empty(), Optional.empty()));
        }
    }

    record NoFence() implements Sabotage {
        @Override
        public boolean fences() {
            return false;
        }
    }

    record Thaw() implements Sabotage {
        @Override
        public long thawNanos() {
            return SECOND;
        }
    }

    record LateFreeze() implements Sabotage {
        @Override
        public long lateFreezeNanos() {
            return 300 * MILLI;
        }
    }

    /** A member that cannot be reached is taken to have answered with what it said last. */
    record KeepSilent() implements Sabotage {
        @Override
        public List<Effect> effects(NodeProcess process, Event cause, List<Effect> effects) {
            for (Effect effect : effects) {
                if (effect instanceof Effect.Send(NodeId to, Message.Prepare(View view, Ballot ballot))
                        && !Sabotages.hears(process, to)) {
                    view.member(to).ifPresent(member -> answer(process, member, view, ballot));
                }
            }
            return effects;
        }

        private static void answer(NodeProcess process, Member member, View view, Ballot ballot) {
            Bytes status = process.trainer()
                    .map(trainer -> CollectiveCodec.encode(trainer.state().status()))
                    .orElse(Bytes.EMPTY);
            var promise = new Message.Promise(
                    view.lineage(),
                    view.epoch(),
                    ballot,
                    Optional.empty(),
                    Optional.of(new Message.Status(false, status)));
            process.world.after(
                    400 * MILLI,
                    () -> process.deliver(
                            () -> process.view(new Event.Received(member.node(), member.incarnation(), promise))));
        }
    }

    /** Whether a message would arrive and be answered now. */
    private static boolean hears(NodeProcess process, NodeId to) {
        return process.world.processes().stream()
                .anyMatch(other -> other.host.id.equals(to)
                        && !other.isPaused()
                        && !process.world.network.isCutEitherWay(process.host.index, other.host.index));
    }

    record ShortWait() implements Sabotage {
        @Override
        public ElectionConfig config(ElectionConfig honest) {
            ElectionConfig.Ballots spans = honest.ballots();
            var hasty = new ElectionConfig.Ballots(
                    spans.staggerNanos(),
                    spans.lifeNanos(),
                    spans.lifeSpreadNanos(),
                    spans.retryNanos(),
                    spans.retrySpreadNanos(),
                    spans.repeatNanos(),
                    100 * MILLI,
                    spans.orphanNanos());
            return with(honest, hasty, honest.leaving());
        }
    }

    record NoDrain() implements Sabotage {
        @Override
        public ElectionConfig config(ElectionConfig honest) {
            ElectionConfig.Leaving spans = honest.leaving();
            return with(
                    honest, honest.ballots(), new ElectionConfig.Leaving(spans.repeatNanos(), 1, spans.lifeNanos()));
        }
    }

    private static ElectionConfig with(
            ElectionConfig honest, ElectionConfig.Ballots ballots, ElectionConfig.Leaving leaving) {
        return new ElectionConfig(
                ballots,
                honest.joining(),
                leaving,
                honest.stalling(),
                honest.holdDowns(),
                honest.silenceNanos(),
                honest.brokenPairNanos(),
                honest.settleNanos(),
                honest.gapNanos(),
                honest.keepRecordNanos());
    }

    record SmallRetention() implements Sabotage {
        @Override
        public GroupMachine.State remembered(GroupMachine.State state) {
            if (state.kept().size() < 2) {
                return state;
            }
            SortedMap<Long, io.hearth.collective.Status.Kept> last =
                    new TreeMap<>(state.kept().tailMap(state.kept().lastKey()));
            return new GroupMachine.State(
                    state.formation(),
                    state.place(),
                    state.next(),
                    state.doneUpTo(),
                    state.open(),
                    last,
                    state.forwards(),
                    state.refused(),
                    state.frozen(),
                    state.broken(),
                    state.held(),
                    state.returning());
        }
    }

    /** A resolver whose answers are changed on their way. */
    private interface Bent extends Resolver {
        Resolver honest();

        @Override
        default Optional<String> refusal(String group, List<Report> kept) {
            return honest().refusal(group, kept);
        }

        @Override
        default Optional<String> broken(String group, List<Report> kept) {
            return honest().broken(group, kept);
        }

        @Override
        default Bytes resolve(String group, List<Member> members, List<Report> kept) {
            return honest().resolve(group, members, kept);
        }
    }

    private static Resolution read(Bytes bytes) {
        try {
            return CollectiveCodec.resolution(bytes);
        } catch (MalformedMessageException malformed) {
            throw new Violation("resolution", String.valueOf(malformed.getMessage()));
        }
    }

    record NoForward() implements Sabotage {
        @Override
        public Resolver resolver(Resolver honest) {
            record Forgetful(Resolver honest) implements Bent {
                @Override
                public Bytes resolve(String group, List<Member> members, List<Report> kept) {
                    Resolution right = read(honest.resolve(group, members, kept));
                    return CollectiveCodec.encode(
                            new Resolution(right.first(), List.of(), right.refused(), right.order()));
                }
            }
            return new Forgetful(honest);
        }
    }

    /** All nodes share what was decided first, as if it had travelled with the views. */
    record FinalForward(Map<Long, Resolution.Forward> decided) implements Sabotage {
        FinalForward() {
            this(new TreeMap<>());
        }

        @Override
        public Resolver resolver(Resolver honest) {
            record Stubborn(Resolver honest, Map<Long, Resolution.Forward> decided) implements Bent {
                @Override
                public Bytes resolve(String group, List<Member> members, List<Report> kept) {
                    Resolution right = read(honest.resolve(group, members, kept));
                    var forwards = new ArrayList<Resolution.Forward>();
                    for (Resolution.Forward forward : right.forwards()) {
                        decided.putIfAbsent(forward.number(), forward);
                        forwards.add(decided.getOrDefault(forward.number(), forward));
                    }
                    return CollectiveCodec.encode(
                            new Resolution(right.first(), forwards, right.refused(), right.order()));
                }
            }
            return new Stubborn(honest, decided);
        }
    }

    record OneReport() implements Sabotage {
        @Override
        public Resolver resolver(Resolver honest) {
            record Partial(Resolver honest) implements Bent {
                @Override
                public Bytes resolve(String group, List<Member> members, List<Report> kept) {
                    return honest.resolve(group, members, kept.subList(0, Math.min(1, kept.size())));
                }
            }
            return new Partial(honest);
        }
    }

    record MidStep() implements Sabotage {
        @Override
        public boolean admitsAtWork() {
            return true;
        }

        @Override
        public Resolver resolver(Resolver honest) {
            record Open(Resolver honest) implements Bent {
                @Override
                public Optional<String> refusal(String group, List<Report> kept) {
                    return Optional.empty();
                }
            }
            return new Open(honest);
        }
    }

    record DeadlineGoesOn() implements Sabotage {
        @Override
        public boolean goesOnAfterDeadline() {
            return true;
        }
    }

    record NoProxy() implements Sabotage {
        @Override
        public List<Effect> effects(NodeProcess process, Event cause, List<Effect> effects) {
            Lineage home = process.state().view().lineage();
            return effects.stream().filter(effect -> !isProxy(effect, home)).toList();
        }

        private static boolean isProxy(Effect effect, Lineage home) {
            return effect instanceof Effect.Send send
                    && switch (send.message()) {
                        case Message.Promise promise -> promise.status().isEmpty();
                        case Message.Accepted accepted -> !accepted.lineage().equals(home);
                        default -> false;
                    };
        }
    }

    record NoRepair() implements Sabotage {
        @Override
        public List<Effect> effects(NodeProcess process, Event cause, List<Effect> effects) {
            boolean isRepair = cause instanceof Event.Received received
                    && !(received.message() instanceof Message.Accepted)
                    && !(received.message() instanceof Message.Promise);
            return isRepair
                    ? effects.stream()
                            .filter(effect ->
                                    !(effect instanceof Effect.Send send && send.message() instanceof Message.Commit))
                            .toList()
                    : effects;
        }
    }

    record AbruptLeave() implements Sabotage {
        @Override
        public boolean leavesAbruptly() {
            return true;
        }
    }

    record UntoldRemoval() implements Sabotage {
        @Override
        public boolean tellsCollectivesOfRemoval() {
            return false;
        }
    }

    record NoRollBack() implements Sabotage {
        @Override
        public boolean rollsBack() {
            return false;
        }
    }
}

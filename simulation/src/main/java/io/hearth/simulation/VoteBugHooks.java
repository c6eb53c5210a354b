package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.View;
import io.hearth.election.view.ViewEffect;
import io.hearth.election.view.ViewEvent;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Votes that are miscounted or forgotten: one class for each {@link PlantedBug} of that kind. */
final class VoteBugHooks {
    private VoteBugHooks() {}

    record LostPromises() implements BugHooks {
        @Override
        public boolean isDurable(Optional<LineageRecord> before, LineageRecord record) {
            return before.isEmpty() || !before.get().view().equals(record.view());
        }
    }

    record ForgottenAcceptance() implements BugHooks {
        @Override
        public List<ViewEffect> effects(ProcessContext process, ViewEvent cause, List<ViewEffect> effects) {
            return effects.stream().map(ForgottenAcceptance::without).toList();
        }

        private static ViewEffect without(ViewEffect effect) {
            return effect instanceof ViewEffect.Send(NodeId to, Message.Promise promise)
                    ? new ViewEffect.Send(
                            to,
                            new Message.Promise(promise.lineage(), promise.epoch(), promise.ballot(), Optional.empty()))
                    : effect;
        }
    }

    record NoGone() implements BugHooks {
        @Override
        public List<ViewEffect> effects(ProcessContext process, ViewEvent cause, List<ViewEffect> effects) {
            return without(effects, Message.Gone.class);
        }
    }

    /** One lost vote is taken for the loss of all. */
    record OneGone() implements BugHooks {
        @Override
        public List<Forged> more(ProcessContext process, NodeId from, Message message) {
            if (!(message instanceof Message.Gone gone)) {
                return List.of();
            }
            View view = process.state().view();
            return view.members().stream()
                    .filter(member -> !member.machine().equals(from.peer()))
                    .map(member -> new Forged(
                            member.node(),
                            member.incarnation(),
                            new Message.Gone(gone.lineage(), gone.epoch(), member.seat())))
                    .toList();
        }
    }

    /** Only the first process of a home votes for it, even after that process ended. */
    record OneVoter() implements BugHooks {
        @Override
        public List<ViewEffect> effects(ProcessContext process, ViewEvent cause, List<ViewEffect> effects) {
            boolean isFirst = process.setting.hosts().stream()
                    .filter(host -> host.id.peer().equals(process.host.id.peer()))
                    .allMatch(host -> host.index >= process.host.index);
            return isFirst && process.incarnation == 1
                    ? effects
                    : without(effects, Message.Promise.class, Message.Accepted.class);
        }
    }

    private static List<ViewEffect> without(List<ViewEffect> effects, Class<?>... messages) {
        return effects.stream()
                .filter(effect -> !(effect instanceof ViewEffect.Send(NodeId _, Message message))
                        || Stream.of(messages).noneMatch(kind -> kind.isInstance(message)))
                .toList();
    }

    record SyncOnLoop() implements BugHooks {
        @Override
        public boolean syncsOnLoop() {
            return true;
        }
    }

    /** Each vote also counts as that of another voter. */
    record VotesTwice() implements BugHooks {
        @Override
        public List<Forged> more(ProcessContext process, NodeId from, Message message) {
            Optional<Message> again = switch (message) {
                case Message.Accepted accepted -> Optional.of(accepted);
                case Message.Promise promise ->
                    Optional.of(new Message.Promise(
                            promise.lineage(), promise.epoch(), promise.ballot(), Optional.empty()));
                default -> Optional.empty();
            };
            return again.stream().flatMap(vote -> other(process, from, vote)).toList();
        }

        /** Another voter that does not answer: its own answer would replace this one. */
        private static Stream<Forged> other(ProcessContext process, NodeId from, Message vote) {
            return process.state().view().members().stream()
                    .filter(voter -> !voter.machine().equals(from.peer())
                            && !voter.machine().equals(process.host.id.peer())
                            && !hears(process, voter.node()))
                    .limit(1)
                    .map(voter -> new Forged(voter.node(), voter.incarnation(), vote));
        }
    }

    /** With an even number of votes, an unreachable rank 0 counts as agreeing. */
    record AnyHalf() implements BugHooks {
        @Override
        public List<ViewEffect> effects(ProcessContext process, ViewEvent cause, List<ViewEffect> effects) {
            for (ViewEffect effect : effects) {
                if (effect instanceof ViewEffect.Send(NodeId to, Message.Prepare(View view, Ballot ballot))
                        && isMissing(process, to, view)) {
                    var promise = new Message.Promise(view.lineage(), view.epoch(), ballot, Optional.empty());
                    agree(process, view, promise);
                } else if (effect instanceof ViewEffect.Send(NodeId to, Message.Accept accept)
                        && isMissing(process, to, accept.view())) {
                    View view = accept.view();
                    agree(process, view, new Message.Accepted(view.lineage(), view.epoch(), accept.ballot()));
                }
            }
            return effects;
        }

        private static boolean isMissing(ProcessContext process, NodeId to, View view) {
            return view.machines().size() % 2 == 0
                    && view.members().getFirst().node().equals(to)
                    && !VoteBugHooks.hears(process, to);
        }

        private static void agree(ProcessContext process, View view, Message message) {
            Member first = view.members().getFirst();
            process.setting.after(
                    10 * MILLI,
                    () -> process.deliver(
                            () -> process.view(new ViewEvent.Received(first.node(), first.incarnation(), message))));
        }
    }

    record Amnesia() implements BugHooks {
        @Override
        public Optional<LineageRecord> rebuild(LineageRecord lost) {
            return Optional.of(
                    new LineageRecord(lost.lineage(), lost.seat(), lost.view(), Optional.empty(), Optional.empty()));
        }
    }

    record NoProxy() implements BugHooks {
        @Override
        public List<ViewEffect> effects(ProcessContext process, ViewEvent cause, List<ViewEffect> effects) {
            Lineage home = process.state().view().lineage();
            return effects.stream().filter(effect -> !isProxy(effect, home)).toList();
        }

        private static boolean isProxy(ViewEffect effect, Lineage home) {
            return effect instanceof ViewEffect.Send send
                    && switch (send.message()) {
                        case Message.Promise promise -> !promise.lineage().equals(home);
                        case Message.Gone gone -> !gone.lineage().equals(home);
                        case Message.Accepted accepted -> !accepted.lineage().equals(home);
                        default -> false;
                    };
        }
    }

    /** An unreachable member counts as having answered with its last status. */
    record KeepSilent() implements BugHooks {
        @Override
        public List<ViewEffect> effects(ProcessContext process, ViewEvent cause, List<ViewEffect> effects) {
            for (ViewEffect effect : effects) {
                if (effect instanceof ViewEffect.Send(NodeId to, Message.Prepare(View view, Ballot ballot))
                        && !VoteBugHooks.hears(process, to)) {
                    view.member(to).ifPresent(member -> answer(process, member, view, ballot));
                }
            }
            return effects;
        }

        private static void answer(ProcessContext process, Member member, View view, Ballot ballot) {
            Bytes status = process.status(Setting.text(view.lineage()));
            var here = new Message.Here(
                    view.lineage(), view.epoch(), ballot, Optional.of(new Message.Status(false, status)));
            process.setting.after(
                    400 * MILLI,
                    () -> process.deliver(
                            () -> process.view(new ViewEvent.Received(member.node(), member.incarnation(), here))));
        }
    }

    /** Whether a message would arrive and be answered now. */
    private static boolean hears(ProcessContext process, NodeId to) {
        return process.surroundings.wouldAnswer(process, to);
    }
}

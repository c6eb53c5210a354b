package io.hearth.simulation.plant;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.View;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Votes that are miscounted or forgotten: one class for each {@code PlantedBug} of that kind. */
public final class VoteBugHooks {
    private VoteBugHooks() {}

    public record LostPromises() implements BugHooks {
        @Override
        public boolean isDurable(Optional<LineageRecord> before, LineageRecord record) {
            return before.isEmpty() || !before.get().view().equals(record.view());
        }
    }

    public record ForgottenAcceptance() implements BugHooks {
        @Override
        public List<ViewEffect> effects(Node node, ViewEvent cause, List<ViewEffect> effects) {
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

    public record NoGone() implements BugHooks {
        @Override
        public List<ViewEffect> effects(Node node, ViewEvent cause, List<ViewEffect> effects) {
            return without(effects, Message.Gone.class);
        }
    }

    /** One lost vote is taken for the loss of all. */
    public record OneGone() implements BugHooks {
        @Override
        public List<Forged> more(Node node, NodeId from, Message message) {
            if (!(message instanceof Message.Gone gone)) {
                return List.of();
            }
            View view = node.state().view();
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
    public record OneVoter() implements BugHooks {
        @Override
        public List<ViewEffect> effects(Node node, ViewEvent cause, List<ViewEffect> effects) {
            return node.isFirstOfMachine() ? effects : without(effects, Message.Promise.class, Message.Accepted.class);
        }
    }

    private static List<ViewEffect> without(List<ViewEffect> effects, Class<?>... messages) {
        return effects.stream()
                .filter(effect -> !(effect instanceof ViewEffect.Send(NodeId _, Message message))
                        || Stream.of(messages).noneMatch(kind -> kind.isInstance(message)))
                .toList();
    }

    /** Each vote also counts as that of another voter. */
    public record VotesTwice() implements BugHooks {
        @Override
        public List<Forged> more(Node node, NodeId from, Message message) {
            Optional<Message> again = switch (message) {
                case Message.Accepted accepted -> Optional.of(accepted);
                case Message.Promise promise ->
                    Optional.of(new Message.Promise(
                            promise.lineage(), promise.epoch(), promise.ballot(), Optional.empty()));
                default -> Optional.empty();
            };
            return again.stream().flatMap(vote -> other(node, from, vote)).toList();
        }

        /** Another voter that does not answer: its own answer would replace this one. */
        private static Stream<Forged> other(Node node, NodeId from, Message vote) {
            return node.state().view().members().stream()
                    .filter(voter -> !voter.machine().equals(from.peer())
                            && !voter.machine().equals(node.id().peer())
                            && !node.wouldAnswer(voter.node()))
                    .limit(1)
                    .map(voter -> new Forged(voter.node(), voter.incarnation(), vote));
        }
    }

    /** With an even number of votes, an unreachable rank 0 counts as agreeing. */
    public record AnyHalf() implements BugHooks {
        @Override
        public List<ViewEffect> effects(Node node, ViewEvent cause, List<ViewEffect> effects) {
            for (ViewEffect effect : effects) {
                if (effect instanceof ViewEffect.Send(NodeId to, Message.Prepare(View view, Ballot ballot))
                        && isMissing(node, to, view)) {
                    var promise = new Message.Promise(view.lineage(), view.epoch(), ballot, Optional.empty());
                    agree(node, view, promise);
                } else if (effect instanceof ViewEffect.Send(NodeId to, Message.Accept accept)
                        && isMissing(node, to, accept.view())) {
                    View view = accept.view();
                    agree(node, view, new Message.Accepted(view.lineage(), view.epoch(), accept.ballot()));
                }
            }
            return effects;
        }

        private static boolean isMissing(Node node, NodeId to, View view) {
            return view.machines().size() % 2 == 0
                    && view.members().getFirst().node().equals(to)
                    && !node.wouldAnswer(to);
        }

        private static void agree(Node node, View view, Message message) {
            Member first = view.members().getFirst();
            node.forge(10 * MILLI, first, message);
        }
    }

    public record Amnesia() implements BugHooks {
        @Override
        public Optional<LineageRecord> rebuild(LineageRecord lost) {
            return Optional.of(
                    new LineageRecord(lost.lineage(), lost.seat(), lost.view(), Optional.empty(), Optional.empty()));
        }
    }

    public record NoProxy() implements BugHooks {
        @Override
        public List<ViewEffect> effects(Node node, ViewEvent cause, List<ViewEffect> effects) {
            Lineage home = node.state().view().lineage();
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
    public record KeepSilent() implements BugHooks {
        @Override
        public List<ViewEffect> effects(Node node, ViewEvent cause, List<ViewEffect> effects) {
            for (ViewEffect effect : effects) {
                if (effect instanceof ViewEffect.Send(NodeId to, Message.Prepare(View view, Ballot ballot))
                        && !node.wouldAnswer(to)) {
                    view.member(to).ifPresent(member -> answer(node, member, view, ballot));
                }
            }
            return effects;
        }

        private static void answer(Node node, Member member, View view, Ballot ballot) {
            Bytes status = node.status(view.lineage());
            var here = new Message.Here(
                    view.lineage(), view.epoch(), ballot, Optional.of(new Message.Status(false, status)));
            node.forge(400 * MILLI, member, here);
        }
    }
}

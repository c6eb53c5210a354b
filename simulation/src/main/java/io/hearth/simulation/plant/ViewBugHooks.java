package io.hearth.simulation.plant;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.election.ElectionConfig;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.View;
import io.hearth.election.view.ViewMachine;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;

/** Bugs in how views are announced, repaired and left: one class for each {@code PlantedBug} of that kind. */
public final class ViewBugHooks {
    private ViewBugHooks() {}

    public record ReusedLineage() implements BugHooks {
        @Override
        public ViewMachine.Start start(ViewMachine.Start honest) {
            return new ViewMachine.Start(
                    2_000_000_000L, honest.records(), honest.node(), 1, honest.role(), honest.group(), honest.seed());
        }
    }

    public record EarlyJoin() implements BugHooks {
        @Override
        public List<ViewEffect> effects(Node node, ViewEvent cause, List<ViewEffect> effects) {
            return announced(effects, true);
        }
    }

    public record EarlyCommit() implements BugHooks {
        @Override
        public List<ViewEffect> effects(Node node, ViewEvent cause, List<ViewEffect> effects) {
            return announced(effects, false);
        }
    }

    private static List<ViewEffect> announced(List<ViewEffect> effects, boolean onlyToJoiners) {
        var more = new ArrayList<ViewEffect>();
        for (ViewEffect effect : effects) {
            more.add(effect);
            if (effect instanceof ViewEffect.Send(NodeId to, Message.Accept accept)) {
                View next = accept.next();
                if (!onlyToJoiners) {
                    more.add(new ViewEffect.Send(to, new Message.Commit(next)));
                }
                for (Member member : next.members()) {
                    if (onlyToJoiners && accept.view().member(member.node()).isEmpty()) {
                        more.add(new ViewEffect.Send(member.node(), new Message.Commit(next)));
                    }
                }
            }
        }
        return more;
    }

    public record NoRepair() implements BugHooks {
        @Override
        public List<ViewEffect> effects(Node node, ViewEvent cause, List<ViewEffect> effects) {
            boolean isRepair = cause instanceof ViewEvent.Received received
                    && !(received.message() instanceof Message.Accepted)
                    && !(received.message() instanceof Message.Promise);
            return isRepair
                    ? effects.stream()
                            .filter(effect -> !(effect instanceof ViewEffect.Send send
                                    && send.message() instanceof Message.Commit))
                            .toList()
                    : effects;
        }
    }

    public record ShortWait() implements BugHooks {
        @Override
        public ElectionConfig config(ElectionConfig honest) {
            ElectionConfig.Ballots spans = honest.ballots();
            var hasty = new ElectionConfig.Ballots(
                    spans.staggerNanos(),
                    spans.staggerMostNanos(),
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

    public record NoDrain() implements BugHooks {
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
                honest.returning(),
                honest.readmissionDelays(),
                honest.silenceNanos(),
                honest.brokenPairNanos(),
                honest.settleNanos(),
                honest.gapNanos(),
                honest.restNanos(),
                honest.retainNanos());
    }

    /** Takes messages from outside the view as if a member had sent them. */
    public record Gullible() implements BugHooks {
        @Override
        public List<Forged> more(Node node, NodeId from, Message message) {
            View view = node.state().view();
            return view.member(from).isPresent() || !(message instanceof Message.Commit)
                    ? List.of()
                    : view.members().stream()
                            .filter(member -> !member.node().equals(node.id()))
                            .limit(1)
                            .map(member -> new Forged(member.node(), member.incarnation(), message))
                            .toList();
        }
    }
}

package io.hearth.simulation.scale;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.CollectiveResolver;
import io.hearth.collective.group.Status;
import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.election.Beat;
import io.hearth.election.ElectionConfig;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Message;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.protobuf.MessageEncoding;
import io.hearth.election.protobuf.RecordEncoding;
import io.hearth.election.view.ViewMachine;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.election.view.state.ViewState;
import io.hearth.election.vote.Voter;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.simulation.time.Timeline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Agents that form one view, take in one more, and lose one, each with the product's view machine. Links never fail. The failure detector is
 * a constant: a lost node is suspected after its span of silence. A write of a vote takes {@link #WRITE_NANOS}.
 */
final class GrowingCluster {
    private static final long BEAT_NANOS = 250 * MILLI;
    private static final long TICK_MIN_NANOS = MILLI;
    private static final long LOOK_NANOS = MILLI;
    private static final long SETTLE_NANOS_MAX = 120 * SECOND;

    /** A write that is forced to a disk. */
    private static final long WRITE_NANOS = 4 * MILLI;

    private static final ElectionConfig CONFIG = ElectionConfig.DEFAULTS;
    private static final Bytes OPEN = CollectiveMessages.encode(new Status(0, 0, List.of(), Optional.empty()));

    private final GeneratedNetwork network;
    private final SplittableRandom random;
    private final Timeline timeline = new Timeline();
    private final List<Actor> all = new ArrayList<>();
    private final Map<NodeId, Actor> byNode = new TreeMap<>();
    private int alive;

    /** One node. */
    private final class Actor {
        final int number;
        final NodeId id;
        final ViewMachine machine = new ViewMachine(CONFIG, new CollectiveResolver());
        final Map<Lineage, LineageRecord> disk = new TreeMap<>();
        ViewState state;
        boolean isUp = true;
        long tickAt = Long.MAX_VALUE;
        long messages; // without heartbeats, since the last reset
        long bytes;
        long writtenBytes;
        long diskFreeAt;
        long portFreeAt;

        Actor(int number) {
            this.number = number;
            this.id = node(number);
            var start = new ViewMachine.Start(1_000_000L + number, List.of(), id, 1, Role.AGENT, "", random.nextLong());
            Step<ViewState, ViewEffect> first = machine.start(start, timeline.now());
            this.state = first.state();
            byNode.put(id, this);
            carryOut(first);
        }

        void view(ViewEvent event) {
            if (isUp) {
                carryOut(machine.step(state, event, timeline.now()));
                scheduleTick();
            }
        }

        private void carryOut(Step<ViewState, ViewEffect> step) {
            state = step.state();
            step.effects().forEach(this::carryOut);
        }

        private void carryOut(ViewEffect effect) {
            switch (effect) {
                case ViewEffect.Vote(VoterTask task) -> vote(task);
                case ViewEffect.Send(NodeId to, Message message) -> send(to, message);
                case ViewEffect.Freeze(Lineage lineage, long epoch) ->
                    timeline.after(MILLI, () -> view(new ViewEvent.Frozen(lineage, epoch, Optional.of(OPEN), -1)));
                case ViewEffect.Rest _,
                        ViewEffect.Install _,
                        ViewEffect.Removed _,
                        ViewEffect.Left _,
                        ViewEffect.Announce _,
                        ViewEffect.Hold _,
                        ViewEffect.Pending _ -> {} // read from the state, or for trainers
            }
        }

        /** A message waits at the port for those before it. Heartbeats are small, and pass. */
        private void send(NodeId to, Message message) {
            Actor target = byNode.get(to);
            if (target == null) {
                return;
            }
            long leaves = timeline.now();
            if (!(message instanceof Message.Heartbeat)) {
                int length = MessageEncoding.encode(message).length;
                messages++;
                bytes += length;
                portFreeAt = Math.max(leaves, portFreeAt)
                        + Math.round(length / network.rate(number, target.number) * SECOND);
                leaves = portFreeAt;
            }
            timeline.after(leaves - timeline.now() + network.latencyNanos(number, target.number), () -> {
                if (target.isUp && isUp) {
                    target.view(new ViewEvent.Received(id, 1, message));
                }
            });
        }

        void beat(Actor to) {
            send(to.id, new Message.Heartbeat(state.presence(), new Beat(1, 0, 0, 0)));
        }

        private void vote(VoterTask task) {
            diskFreeAt = Math.max(timeline.now(), diskFreeAt) + WRITE_NANOS;
            timeline.after(diskFreeAt - timeline.now(), () -> view(new ViewEvent.Voted(task, cast(task))));
        }

        private VoterAnswer cast(VoterTask task) {
            Optional<Lineage> lineage = Voter.lineage(task);
            if (lineage.isEmpty()) {
                return new VoterAnswer.Retained(Collections.emptySortedSet());
            }
            Voter.Decision decision = Voter.decide(id.peer(), Optional.ofNullable(disk.get(lineage.get())), task);
            decision.write().ifPresent(record -> {
                disk.put(record.lineage(), record);
                writtenBytes += RecordEncoding.encode(record).length;
            });
            return decision.answer();
        }

        private void scheduleTick() {
            long due = timeline.now() + Math.max(TICK_MIN_NANOS, machine.sleepNanos(state, timeline.now()));
            if (due < tickAt) {
                tickAt = due;
                timeline.after(due - timeline.now(), () -> {
                    if (tickAt == due) {
                        tickAt = Long.MAX_VALUE;
                        view(new ViewEvent.Tick());
                    }
                });
            }
        }
    }

    /** A cluster in that network; nothing has started. */
    GrowingCluster(GeneratedNetwork network, long seed) {
        this.network = network;
        this.random = new SplittableRandom(seed);
    }

    private static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) number;
        key[1] = (byte) (number >> Byte.SIZE);
        key[PeerId.KEY_BYTES - 1] = 9;
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }

    /** Starts that many nodes at once. */
    ChangeCost form(int nodes) {
        return change(() -> {
            for (int number = 0; number < nodes; number++) {
                all.add(new Actor(number));
            }
            alive = nodes;
            for (Actor one : all) {
                all.stream()
                        .filter(other -> other != one)
                        .forEach(other -> one.view(new ViewEvent.Linked(other.id, 1)));
            }
            beats();
        });
    }

    /** Starts one more. */
    ChangeCost join() {
        return change(() -> {
            var fresh = new Actor(all.size());
            for (Actor other : all) {
                other.view(new ViewEvent.Linked(fresh.id, 1));
                fresh.view(new ViewEvent.Linked(other.id, 1));
            }
            all.add(fresh);
            alive++;
        });
    }

    /** Unplugs the node that came last. */
    ChangeCost lose() {
        return change(() -> {
            Actor lost = all.getLast();
            lost.isUp = false;
            alive--;
            timeline.after(
                    CONFIG.silenceNanos(),
                    () -> up().forEach(other -> other.view(new ViewEvent.Suspected(lost.id, 1))));
        });
    }

    /** The view that all have. */
    View view() {
        return all.getFirst().state.view();
    }

    /** Bytes of the largest vote record of a machine; 0 without any. */
    long recordBytes() {
        return all.getFirst().disk.values().stream()
                .mapToLong(record -> RecordEncoding.encode(record).length)
                .max()
                .orElse(0);
    }

    private List<Actor> up() {
        return all.stream().filter(actor -> actor.isUp).toList();
    }

    private ChangeCost change(Runnable cause) {
        all.forEach(actor -> {
            actor.messages = 0;
            actor.bytes = 0;
            actor.writtenBytes = 0;
        });
        long began = timeline.now();
        cause.run();
        while (!isOneView()) {
            if (timeline.now() - began > SETTLE_NANOS_MAX) {
                throw new IllegalStateException(alive + " nodes have no common view after " + SETTLE_NANOS_MAX / SECOND
                        + " s; the first has " + view().members().size() + " members");
            }
            timeline.runUntil(timeline.now() + LOOK_NANOS);
        }
        return new ChangeCost(
                timeline.now() - began,
                all.stream().mapToLong(actor -> actor.messages).max().orElse(0),
                all.stream().mapToLong(actor -> actor.bytes).max().orElse(0),
                all.stream().mapToLong(actor -> actor.messages).sum(),
                all.stream().mapToLong(actor -> actor.bytes).sum(),
                all.stream().mapToLong(actor -> actor.writtenBytes).max().orElse(0));
    }

    private boolean isOneView() {
        View view = view();
        return view.members().size() == alive
                && up().stream().allMatch(actor -> actor.state.view().equals(view));
    }

    /** Each node tells all others where it lives, every 250 ms, in turns within that time. */
    private void beats() {
        for (Actor actor : up()) {
            timeline.after(
                    BEAT_NANOS * actor.number / all.size(),
                    () -> up().stream()
                            .filter(other -> other != actor && actor.isUp)
                            .forEach(actor::beat));
        }
        timeline.after(BEAT_NANOS, this::beats);
    }
}

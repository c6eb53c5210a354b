package io.hearth.replicated.machine;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.replicated.Application;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.StoreRecord;
import java.util.Optional;

/**
 * One replica of a store, pure.
 *
 * <table>
 * <caption>Roles</caption>
 * <tr><th>role</th><th>becomes</th><th>when</th></tr>
 * <tr><td>follower</td><td>candidate</td><td>no member of the view is the primary, and it is its turn</td></tr>
 * <tr><td>candidate</td><td>primary</td><td>a quorum promised, and no promise shows a better log</td></tr>
 * <tr><td>candidate</td><td>follower</td><td>a higher ballot, or no quorum in time</td></tr>
 * <tr><td>primary</td><td>follower</td><td>a higher ballot, a failed write, no quorum in reach, or its store became a part of a better one</td></tr>
 * </table>
 *
 * <p>{@link Elections} has the way to the primary, {@link Following} what a replica fetches, {@link Serving} what it
 * answers to others that do, {@link Primacy}, {@link Configuring} and {@link Reads} what a primary does, {@link Merging} what happens when two stores meet, and {@link Safety} the decisions on which the proof in {@code docs/design/replicated.md}
 * rests.
 */
public final class ReplicaMachine<S> implements Machine<ReplicaState<S>, ReplicaEvent, ReplicaEffect> {
    /** Nodes that are remembered; others are not answered. */
    private static final int NEIGHBOURS_MAX = 1_024;

    private final Rules<S> rules;

    public ReplicaMachine(Application<S> application, Safety safety, Limits limits) {
        this.rules = new Rules<>(application, safety, limits);
    }

    /**
     * The state after a start.
     *
     * @param seat of the folder; not zero
     * @param disk what the folder holds
     * @throws IllegalArgumentException if the record holds a state that this version cannot read
     */
    public ReplicaState<S> initial(NodeId self, long seat, Optional<StoreRecord> disk, long nowNanos) {
        Optional<Copy<S>> copy = disk.map(record -> new Copy<>(
                record.id(),
                record.promised(),
                record.snapshot(),
                record.log(),
                StateEncoding.decode(record.snapshot(), rules.application())));
        return new ReplicaState<>(new Turn<>(rules, self, seat, copy, nowNanos));
    }

    @Override
    public Step<ReplicaState<S>, ReplicaEffect> step(ReplicaState<S> state, ReplicaEvent event, long nowNanos) {
        var turn = new Turn<>(rules, state, nowNanos);
        switch (event) {
            case ReplicaEvent.Viewed viewed -> onViewed(turn, viewed);
            case ReplicaEvent.Linked(NodeId node) -> onLinked(turn, node);
            case ReplicaEvent.Unlinked(NodeId node) -> onUnlinked(turn, node);
            case ReplicaEvent.Received(NodeId from, ReplicaMessage message) -> onMessage(turn, from, message);
            case ReplicaEvent.Written(long ticket) -> turn.written(ticket);
            case ReplicaEvent.WriteFailed failed -> onWriteFailed(turn, failed);
            case ReplicaEvent.Submit submit -> Primacy.onSubmit(turn, submit);
            case ReplicaEvent.Read(long id) -> Reads.onRead(turn, id);
            case ReplicaEvent.Tick tick -> onTick(turn, tick);
        }
        settle(turn);
        return turn.finish();
    }

    @Override
    public long sleepNanos(ReplicaState<S> state, long nowNanos) {
        return state.wakeNanos == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, state.wakeNanos - nowNanos);
    }

    private static <S> void settle(Turn<S> turn) {
        Elections.settle(turn);
        Primacy.settle(turn);
        Following.settle(turn);
        Announcements.settle(turn);
        Elections.planFounding(turn);
        if (turn.disk.isBroken()) {
            turn.wakeAt(turn.disk.retryNanos());
        }
    }

    private static <S> void onTick(Turn<S> turn, ReplicaEvent.Tick tick) {
        if (turn.disk.isBroken() && turn.copy.isPresent() && turn.now >= turn.disk.retryNanos()) {
            turn.rewrite();
        }
        Elections.found(turn, tick.wallMillis(), tick.nonce());
    }

    private static <S> void onViewed(Turn<S> turn, ReplicaEvent.Viewed viewed) {
        turn.sight = Optional.of(new Sight(viewed.lineage(), viewed.epoch(), viewed.members(), turn.now));
        turn.neighbours.entrySet().removeIf(known -> !known.getValue().isLinked() && !turn.isMember(known.getKey()));
        turn.fetching = Optional.empty();
        turn.vacantNanos = turn.now;
        Announcements.toAll(turn);
    }

    private static <S> void onLinked(Turn<S> turn, NodeId node) {
        if (turn.neighbours.size() < NEIGHBOURS_MAX || turn.neighbours.containsKey(node)) {
            turn.neighbours.put(node, new Neighbour(true, turn.now, Optional.empty()));
            turn.fetching = turn.fetching.filter(asked -> !asked.from().equals(node));
            Announcements.to(turn, node);
        }
    }

    private static <S> void onUnlinked(Turn<S> turn, NodeId node) {
        Neighbour known = turn.neighbours.get(node);
        if (known != null) {
            turn.neighbours.put(node, new Neighbour(false, turn.now, known.announced()));
            turn.fetching = turn.fetching.filter(asked -> !asked.from().equals(node));
        }
    }

    private static <S> void onMessage(Turn<S> turn, NodeId from, ReplicaMessage message) {
        if (!turn.isLinked(from)) {
            return;
        }
        switch (message) {
            case ReplicaMessage.Announce announce -> Announcements.onAnnounce(turn, from, announce);
            case ReplicaMessage.Prepare prepare -> Elections.onPrepare(turn, from, prepare);
            case ReplicaMessage.Promise promise -> Elections.onPromise(turn, from, promise);
            case ReplicaMessage.Refuse refuse -> {
                if (Elections.holds(turn, refuse.store())) {
                    Elections.onHigher(turn, refuse.promised());
                }
            }
            case ReplicaMessage.Fetch fetch -> Serving.onFetch(turn, from, fetch);
            case ReplicaMessage.Entries entries -> Following.onEntries(turn, from, entries);
            case ReplicaMessage.Part part -> Following.onPart(turn, from, part);
            case ReplicaMessage.Ask ask -> Reads.onAsk(turn, from, ask);
            case ReplicaMessage.Still still -> Reads.onStill(turn, from, still);
        }
    }

    private static <S> void onWriteFailed(Turn<S> turn, ReplicaEvent.WriteFailed failed) {
        turn.stepDown("a write failed: " + failed.why(), turn.now + Spans.REWRITE);
        turn.disk = turn.disk.broken(failed.why(), turn.now + Spans.REWRITE);
    }
}

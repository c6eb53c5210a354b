package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.election.Ballot;
import io.hearth.identity.NodeId;
import io.hearth.replicated.Application;
import io.hearth.replicated.CommandKey;
import io.hearth.replicated.Content;
import io.hearth.replicated.DiskTask;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Position;
import io.hearth.replicated.ReplicaId;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One transition under construction: the parts of the state, each replaced as a whole, and the effects so far. It lives for one step on one
 * thread; the parts are immutable.
 */
final class Turn<S> {
    private static final int LOOK_EVERY = 32;

    final Application<S> application;
    final Safety safety;
    final Limits limits;
    final NodeId self;
    final long seat;
    final long now;

    Optional<Copy<S>> copy;
    Optional<Sight> sight;
    TreeMap<NodeId, Neighbour> neighbours;
    Role role;
    Optional<Fetching> fetching;

    /** Number up to which the log is known to agree with the primary's, while it does not agree to its end; else −1. */
    long rewound;

    DiskState disk;
    Rounds rounds;
    /** Since when no member of the view is the primary; {@link Long#MIN_VALUE} while one is. */
    long vacantNanos;

    Optional<ReplicaMessage.Announce> announced;
    long announcedNanos;
    long wakeNanos = Long.MAX_VALUE;

    private final List<ReplicaEffect> effects = new ArrayList<>();
    private final List<ReplicaEffect> afterDisk = new ArrayList<>();
    private long keep = Long.MAX_VALUE;
    private boolean isWholeDue;
    private boolean isAppendDue;

    /** The next start must know what was just committed: else it would ask a quorum of a former configuration. */
    private boolean isSnapshotDue;

    Turn(Rules<S> rules, ReplicaState<S> state, long now) {
        this.application = rules.application();
        this.safety = rules.safety();
        this.limits = rules.limits();
        this.self = state.self;
        this.seat = state.seat;
        this.now = now;
        this.copy = state.copy;
        this.sight = state.sight;
        this.neighbours = new TreeMap<>(state.neighbours);
        this.role = state.role;
        this.fetching = state.fetching;
        this.rewound = state.rewound;
        this.disk = state.disk;
        this.rounds = state.rounds;
        this.vacantNanos = state.vacantNanos;
        this.announced = state.announced;
        this.announcedNanos = state.announcedNanos;
    }

    /** The first state of a replica. */
    Turn(Rules<S> rules, NodeId self, long seat, Optional<Copy<S>> copy, long now) {
        this.application = rules.application();
        this.safety = rules.safety();
        this.limits = rules.limits();
        this.self = self;
        this.seat = seat;
        this.now = now;
        this.copy = copy;
        this.sight = Optional.empty();
        this.neighbours = new TreeMap<>();
        this.role = new Role.Follower(now);
        this.fetching = Optional.empty();
        this.rewound = -1;
        this.disk = new DiskState(
                0, 0, copy.map(held -> held.log().lastNumber()).orElse(0L), Optional.empty(), 0, List.of());
        this.rounds = new Rounds(copy.flatMap(Copy::promised).map(Ballot::round).orElse(0L), Long.MIN_VALUE);
        this.vacantNanos = now;
        this.announced = Optional.empty();
        this.announcedNanos = now;
    }

    /** The copy of a replica that certainly has one. */
    Copy<S> held() {
        return copy.orElseThrow();
    }

    ReplicaId replica() {
        return new ReplicaId(self.peer(), seat);
    }

    boolean isMember(NodeId node) {
        return sight.isPresent() && sight.get().members().contains(node);
    }

    boolean isLinked(NodeId node) {
        Neighbour neighbour = neighbours.get(node);
        return neighbour != null && neighbour.isLinked();
    }

    /** What this node announced, if it has a copy. */
    Optional<ReplicaMessage.Held> heldBy(NodeId node) {
        Neighbour neighbour = neighbours.get(node);
        return neighbour == null ? Optional.empty() : neighbour.announced().flatMap(ReplicaMessage.Announce::held);
    }

    /** Plans a step for this instant, if none is planned earlier. */
    void wakeAt(long instant) {
        wakeNanos = Math.min(wakeNanos, instant);
    }

    void effect(ReplicaEffect effect) {
        effects.add(effect);
    }

    void send(NodeId to, ReplicaMessage message) {
        effects.add(new ReplicaEffect.Send(to, message));
    }

    /** Sends what is true only once all changes so far are on disk. */
    void sendAfterDisk(NodeId to, ReplicaMessage message) {
        afterDisk.add(new ReplicaEffect.Send(to, message));
    }

    void promise(Ballot ballot) {
        if (held().promised().isEmpty() || held().promised().get().compareTo(ballot) < 0) {
            copy = Optional.of(held().promise(ballot));
            isAppendDue = true;
        }
        rounds = rounds.heard(ballot.round(), now);
    }

    /** Keeps the log up to {@code last}, and appends. */
    void append(long last, List<Entry> more) {
        Copy<S> held = held();
        if (last == held.log().lastNumber() && more.isEmpty()) {
            return;
        }
        if (last < held.committed()) {
            throw new IllegalStateException("a committed entry would be replaced: " + last + " < " + held.committed());
        }
        copy = Optional.of(held.log(held.log().replaceAfter(last, more)));
        keep = Math.min(keep, last);
        disk = disk.stableUpTo(last);
        isAppendDue = true;
    }

    /** Takes a copy in place of the present one. */
    void replace(Copy<S> fresh) {
        copy = Optional.of(fresh);
        keep = 0;
        disk = disk.stableUpTo(0);
        isWholeDue = true;
    }

    /** Applies the entries up to this number, which are committed. */
    void commit(long number) {
        long until = Math.min(number, held().log().lastNumber());
        while (held().committed() < until) {
            Entry entry = held().log().entry(held().committed() + 1);
            copy = Optional.of(held().applied(apply(held().applied(), entry)));
        }
        compact();
    }

    private Applied<S> apply(Applied<S> before, Entry entry) {
        Applied<S> at = before.at(entry.position());
        if (before.into().isPresent()) {
            return at;
        }
        return switch (entry.content()) {
            case Content.Begin _ -> at;
            case Content.Configure(var replicas) -> {
                isSnapshotDue = true;
                yield at.replicas(replicas);
            }
            case Content.End(var into) -> at.endedInto(into);
            case Content.Absorb absorb -> absorb(at, absorb);
            case Content.Command(CommandKey key, Bytes body) -> command(at, key, body);
        };
    }

    private Applied<S> command(Applied<S> at, CommandKey key, Bytes body) {
        boolean isPrimary = role instanceof Role.Primary;
        return switch (known(at, key)) {
            case Sessions.Known.Applied(Bytes answer) -> {
                if (isPrimary) {
                    effect(new ReplicaEffect.Answered(key, answer));
                }
                yield at;
            }
            case Sessions.Known.Outdated() -> {
                if (isPrimary) {
                    effect(new ReplicaEffect.NotTaken(key, ReplicaEffect.Refusal.OUTDATED));
                }
                yield at;
            }
            case Sessions.Known.New() -> {
                Application.Outcome<S> outcome = application.apply(at.state(), body);
                if (isPrimary) {
                    effect(new ReplicaEffect.Answered(key, outcome.answer()));
                }
                yield at.command(
                        at.sessions().applied(key, outcome.answer(), at.at().number()), outcome.state());
            }
        };
    }

    /** What is known of a command in this state. */
    Sessions.Known known(Applied<S> at, CommandKey key) {
        Sessions.Known known = at.sessions().known(key);
        return safety.skipsRepeated() ? known : new Sessions.Known.New();
    }

    private Applied<S> absorb(Applied<S> at, Content.Absorb absorb) {
        if (at.absorbed().contains(absorb.other())) {
            return at;
        }
        Optional<Applied.Parts> before = absorb.offset() == 0
                ? Optional.of(new Applied.Parts(absorb.other(), absorb.total(), List.of()))
                : at.absorbing();
        if (before.isEmpty()
                || !before.get().store().equals(absorb.other())
                || before.get().total() != absorb.total()
                || before.get().size() != absorb.offset()) {
            return at;
        }
        Applied.Parts parts = before.get().plus(absorb.part());
        if (parts.size() < parts.total()) {
            return at.absorbing(parts);
        }
        Applied<S> other;
        try {
            other = StateEncoding.decode(new Snapshot(at.at(), at.replicas(), Bytes.join(parts.list())), application);
        } catch (IllegalArgumentException unreadable) { // the primary read it before it appended it
            return at;
        }
        isSnapshotDue = true;
        var absorbed = new TreeSet<>(at.absorbed());
        absorbed.addAll(other.absorbed());
        absorbed.add(absorb.other());
        return new Applied<>(
                at.at(),
                at.replicas(),
                at.sessions().join(other.sessions()),
                absorbed,
                Optional.empty(),
                at.into(),
                application.merge(at.state(), other.state()));
    }

    private void compact() {
        Copy<S> held = held();
        long committed = held.committed() - held.log().base().number();
        boolean isLong = committed > limits.logEntries()
                || (committed > 0 && committed % LOOK_EVERY == 0 && held.log().size() > limits.logBytes());
        boolean isFinal = held.applied().into().isPresent() && committed > 0;
        if (isLong || isFinal || isSnapshotDue) {
            Applied<S> applied = held.applied();
            var snapshot = new Snapshot(applied.at(), applied.replicas(), StateEncoding.encode(applied, application));
            copy = Optional.of(
                    new Copy<>(held.id(), held.promised(), snapshot, held.log().from(applied.at()), applied));
            isWholeDue = true;
        }
        isSnapshotDue = false;
    }

    /** This replica orders commands no longer. */
    void stepDown(String why, long notBefore) {
        if (role instanceof Role.Primary primary) {
            if (held().committed() >= primary.begin()) {
                effect(new ReplicaEffect.Deposed(why));
            }
            primary.reads().forEach(read -> effect(new ReplicaEffect.NotConfirmed(read.id())));
        }
        role = new Role.Follower(notBefore);
        fetching = fetching.filter(
                asked -> copy.isEmpty() || !asked.store().equals(copy.get().id()));
        rewound = -1;
    }

    Step<ReplicaState<S>, ReplicaEffect> finish() {
        write();
        return new Step<>(new ReplicaState<>(this), effects);
    }

    /** Tickets: what was changed in this turn is on disk once the write with the newest ticket is. */
    private void write() {
        if (disk.isBroken()) {
            return; // what waited for the disk is dropped: its receivers ask again
        }
        var waiting = new ArrayList<>(disk.waiting());
        long ticket = disk.ticket();
        if (isWholeDue || isAppendDue) {
            ticket++;
            long last = held().log().lastNumber();
            long kept = isWholeDue ? held().snapshot().at().number() : Math.min(keep, last);
            DiskTask task = isWholeDue
                    ? new DiskTask.Whole(held().record())
                    : new DiskTask.Append(held().promised(), kept, held().log().after(kept));
            effects.addFirst(new ReplicaEffect.Write(ticket, task));
            waiting.add(new DiskState.Pending(ticket, Math.min(keep, last), last, afterDisk));
        } else if (!afterDisk.isEmpty()) {
            if (waiting.isEmpty()) {
                effects.addAll(afterDisk);
            } else {
                DiskState.Pending newest = waiting.removeLast();
                var then = new ArrayList<>(newest.then());
                then.addAll(afterDisk);
                waiting.add(new DiskState.Pending(newest.ticket(), newest.keep(), newest.last(), then));
            }
        }
        disk = new DiskState(ticket, disk.written(), disk.stable(), disk.failure(), disk.retryNanos(), waiting);
    }

    /** Writes the whole copy again, after a write failed. */
    void rewrite() {
        disk = disk.mended();
        keep = 0;
        isWholeDue = true;
    }

    /** All writes up to this ticket are on disk. */
    void written(long ticket) {
        var left = new ArrayList<DiskState.Pending>();
        long reached = -1;
        for (DiskState.Pending pending : disk.waiting()) {
            if (pending.ticket() <= ticket) {
                effects.addAll(pending.then());
                reached = pending.last();
            } else {
                left.add(pending);
                reached = Math.min(reached, pending.keep());
            }
        }
        disk = new DiskState(
                disk.ticket(),
                Math.max(disk.written(), ticket),
                Math.max(disk.stable(), reached),
                disk.failure(),
                disk.retryNanos(),
                left);
    }

    /** The ticket after which what this turn changes is on disk. */
    long nextTicket() {
        return disk.ticket() + 1;
    }

    Position last() {
        return held().log().last();
    }
}

package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.identity.NodeId;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Log;
import io.hearth.replicated.Position;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.Snapshot;
import io.hearth.replicated.StoreId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How a replica gets what others have: entries and snapshots, one request at a time. */
final class Following {
    /** What should be asked of whom. */
    private record Wanted(
            NodeId from, StoreId store, Optional<Ballot> ballot, Optional<Position> after, Optional<StoreId> leaving) {}

    private Following() {}

    /** Sends the request that is due. */
    static <S> void settle(Turn<S> turn) {
        Optional<Wanted> found = wanted(turn);
        if (found.isEmpty() || turn.disk.isBroken()) {
            turn.fetching = Optional.empty();
            return;
        }
        Wanted wanted = found.get();
        if (isOwn(turn, wanted.store()) && turn.disk.stable() < turn.last().number()) {
            return; // the write that is under way comes first: a request says what is on disk
        }
        Optional<Fetching> before = turn.fetching.filter(asked -> asked.from().equals(wanted.from())
                && asked.store().equals(wanted.store())
                && asked.ballot().equals(wanted.ballot()));
        if (before.isPresent() && before.get().sentNanos() != Long.MIN_VALUE) {
            boolean isUrgent = before.get().download().isPresent()
                    || turn.role instanceof Role.Candidate
                    || !isOwn(turn, wanted.store());
            long until = before.get().sentNanos() + (isUrgent ? Spans.URGENT : Spans.FETCH);
            if (turn.now < until) {
                turn.wakeAt(until);
                return;
            }
        }
        Optional<Fetching.Download> download = before.flatMap(Fetching::download);
        turn.fetching = Optional.of(
                new Fetching(wanted.from(), wanted.store(), wanted.ballot(), wanted.after(), turn.now, download));
        turn.wakeAt(turn.now + Spans.URGENT);
        turn.sendAfterDisk(
                wanted.from(),
                new ReplicaMessage.Fetch(
                        wanted.store(),
                        wanted.ballot(),
                        turn.seat,
                        wanted.after(),
                        wanted.after().isPresent() ? turn.held().committed() : 0,
                        download.map(parts -> new ReplicaMessage.PartAt(parts.at(), parts.size())),
                        wanted.leaving()));
    }

    private static <S> Optional<Wanted> wanted(Turn<S> turn) {
        return switch (turn.role) {
            case Role.Candidate candidate ->
                Elections.betterLog(turn, candidate).map(best -> own(turn, best, candidate.ballot()));
            case Role.Primary primary ->
                Merging.ended(turn, primary)
                        .map(node -> new Wanted(
                                node,
                                turn.heldBy(node).orElseThrow().store(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty()))
                        .or(() -> better(turn));
            case Role.Follower _ -> followed(turn);
        };
    }

    private static <S> Optional<Wanted> followed(Turn<S> turn) {
        Optional<NodeId> primary = Elections.knownPrimary(turn);
        if (primary.isPresent() && turn.isLinked(primary.get())) {
            Ballot ballot = turn.heldBy(primary.get()).orElseThrow().primary().orElseThrow();
            if (turn.safety.mayStore(turn.held().promised(), ballot) && turn.rounds.believes(ballot.round())) {
                return Optional.of(own(turn, primary.get(), ballot));
            }
        }
        return better(turn);
    }

    private static <S> Wanted own(Turn<S> turn, NodeId from, Ballot ballot) {
        Copy<S> held = turn.held();
        Position after = turn.rewound < 0
                ? held.log().last()
                : held.log().at(turn.rewound).orElse(held.applied().at());
        return new Wanted(from, held.id(), Optional.of(ballot), Optional.of(after), Optional.empty());
    }

    /** The primary of another store, which this replica would take instead of its own. */
    private static <S> Optional<Wanted> better(Turn<S> turn) {
        return turn.sight.stream()
                .flatMap(sight -> sight.members().stream())
                .filter(turn::isLinked)
                .filter(member -> turn.heldBy(member)
                        .filter(held -> held.isActive() && held.into().isEmpty())
                        .filter(held -> turn.copy.isEmpty()
                                || held.store().isBetterThan(turn.held().id()))
                        .isPresent())
                .findFirst()
                .map(member -> {
                    ReplicaMessage.Held held = turn.heldBy(member).orElseThrow();
                    return new Wanted(member, held.store(), held.primary(), Optional.empty(), turn.copy.map(Copy::id));
                });
    }

    private static <S> boolean isOwn(Turn<S> turn, StoreId store) {
        return Elections.holds(turn, store);
    }

    static <S> void onEntries(Turn<S> turn, NodeId from, ReplicaMessage.Entries message) {
        if (!isOwn(turn, message.store())
                || !isAwaited(turn, from, message.store(), Optional.of(message.ballot()))
                || turn.fetching
                        .flatMap(Fetching::after)
                        .filter(message.after()::equals)
                        .isEmpty()) {
            return;
        }
        turn.fetching = Optional.empty();
        Elections.onProgress(turn);
        if (!turn.safety.mayStore(turn.held().promised(), message.ballot())) {
            return;
        }
        Copy<S> held = turn.held();
        if (!message.isKnown()) {
            turn.rewound = held.committed();
            return;
        }
        Position after = message.after();
        boolean isHere = held.log().at(after.number()).filter(after::equals).isPresent();
        if (!isHere || after.number() < held.committed()) {
            return;
        }
        turn.promise(message.ballot());
        long end = take(turn, message);
        turn.rewound = turn.rewound >= 0 && end < message.last() ? end : -1;
        turn.commit(Math.min(message.committed(), end));
    }

    /**
     * Adds the entries. Own ones are dropped only where they differ, or where the sender has nothing more: others may be committed.
     *
     * @return the number up to which the log agrees with the sender's
     */
    private static <S> long take(Turn<S> turn, ReplicaMessage.Entries message) {
        long same = message.after().number();
        List<Entry> more = message.entries();
        int next = 0;
        while (next < more.size()
                && same < turn.last().number()
                && turn.held()
                        .log()
                        .entry(same + 1)
                        .position()
                        .equals(more.get(next).position())) {
            same++;
            next++;
        }
        long end = message.after().number() + more.size();
        if (next < more.size() || end == message.last()) {
            turn.append(same, more.subList(next, more.size()));
        }
        return end;
    }

    private static <S> boolean isAwaited(Turn<S> turn, NodeId from, StoreId store, Optional<Ballot> ballot) {
        return turn.fetching
                .filter(asked -> asked.from().equals(from)
                        && asked.store().equals(store)
                        && asked.ballot().equals(ballot))
                .isPresent();
    }

    static <S> void onPart(Turn<S> turn, NodeId from, ReplicaMessage.Part part) {
        if (!isAwaited(turn, from, part.store(), part.ballot())) {
            return;
        }
        Fetching.Download download = turn.fetching
                .flatMap(Fetching::download)
                .filter(parts -> parts.at().equals(part.snapshot()) && parts.total() == part.total())
                .orElseGet(() -> new Fetching.Download(part.snapshot(), part.replicas(), part.total(), List.of(), 0));
        boolean isNext = part.offset() == download.size();
        boolean isProgress = part.bytes().size() > 0 || part.total() == 0;
        if (isNext && isProgress && part.total() <= Snapshot.BYTES_MAX) {
            Elections.onProgress(turn);
            var parts = new ArrayList<>(download.parts());
            parts.add(part.bytes());
            download = new Fetching.Download(
                    download.at(),
                    download.replicas(),
                    download.total(),
                    parts,
                    download.size() + part.bytes().size());
            if (download.size() >= download.total()) {
                turn.fetching = Optional.empty();
                take(turn, part, download);
                return;
            }
        }
        turn.fetching = Optional.of(new Fetching(
                from,
                part.store(),
                part.ballot(),
                turn.fetching.flatMap(Fetching::after),
                Long.MIN_VALUE,
                Optional.of(download)));
    }

    private static <S> void take(Turn<S> turn, ReplicaMessage.Part part, Fetching.Download download) {
        Bytes state = Bytes.join(download.parts());
        var snapshot = new Snapshot(download.at(), download.replicas(), state);
        Applied<S> applied;
        try {
            applied = StateEncoding.decode(snapshot, turn.application);
        } catch (IllegalArgumentException unreadable) {
            return; // a newer version wrote it, or a liar did: this node waits
        }
        if (part.ballot().isEmpty()) {
            Merging.absorb(turn, part.store(), state);
            return;
        }
        Ballot ballot = part.ballot().get();
        if (isOwn(turn, part.store())) {
            Copy<S> held = turn.held();
            if (!turn.safety.mayStore(held.promised(), ballot) || applied.at().number() <= held.committed()) {
                return;
            }
            boolean isPrefix = held.log()
                    .at(applied.at().number())
                    .filter(applied.at()::equals)
                    .isPresent();
            Log log = isPrefix ? held.log().from(applied.at()) : new Log(applied.at(), List.of());
            turn.replace(new Copy<>(held.id(), held.promised(), snapshot, log, applied));
        } else {
            boolean mayLeave =
                    turn.copy.isEmpty() || turn.safety.mayLeave(turn.held().id(), applied.absorbed());
            if (!mayLeave) {
                return;
            }
            turn.stepDown("its store became a part of " + part.store().shortText(), turn.now);
            turn.replace(
                    new Copy<>(part.store(), Optional.empty(), snapshot, new Log(applied.at(), List.of()), applied));
        }
        turn.rewound = -1;
        turn.promise(ballot);
    }
}

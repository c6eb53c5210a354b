package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Position;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.Replicas;
import java.util.ArrayList;
import java.util.Optional;

/** What a replica answers to those that fetch: a primary its followers, the others a candidate, and the holder of an ended store its heir. */
final class Serving {
    private static final int FOLLOWERS_MAX = 2 * Replicas.MAX;

    private Serving() {}

    static <S> void onFetch(Turn<S> turn, NodeId from, ReplicaMessage.Fetch fetch) {
        if (!Elections.holds(turn, fetch.store())) {
            return;
        }
        Copy<S> held = turn.held();
        if (turn.role instanceof Role.Primary primary
                && fetch.ballot().filter(primary.ballot()::equals).isPresent()) {
            if (fetch.leaving().isPresent()) {
                if (Primacy.isActive(turn, primary)
                        && turn.safety.mayLeave(
                                fetch.leaving().get(), held.applied().absorbed())) {
                    turn.send(from, part(turn, fetch));
                }
            } else if (primary.followers().containsKey(from)
                    || primary.followers().size() < FOLLOWERS_MAX) {
                follow(turn, primary, from, fetch);
            }
        } else if (fetch.ballot().isPresent()
                && fetch.ballot().equals(held.promised())
                && fetch.ballot().get().proposer().equals(from)) {
            turn.send(from, answer(turn, fetch));
        } else if (fetch.ballot().isEmpty()
                && held.applied().into().isPresent()
                && held.snapshot().at().equals(held.applied().at())) {
            turn.send(from, part(turn, fetch));
        }
    }

    private static <S> void follow(Turn<S> turn, Role.Primary primary, NodeId from, ReplicaMessage.Fetch fetch) {
        Role.Progress progress = Primacy.progress(primary, from, fetch.seat(), turn.now);
        boolean isKnown = fetch.after().filter(after -> isInLog(turn, after)).isPresent();
        long matched = isKnown
                ? Math.max(progress.matched(), fetch.after().orElseThrow().number())
                : progress.matched();
        turn.role = primary.follower(
                from, new Role.Progress(fetch.seat(), matched, Optional.of(fetch), turn.now, progress.still()));
    }

    /** Whether this position is in the log. One that was there before a snapshot replaced it is not: its replica gets the snapshot. */
    private static <S> boolean isInLog(Turn<S> turn, Position position) {
        return turn.held().log().at(position.number()).filter(position::equals).isPresent();
    }

    private static <S> ReplicaMessage answer(Turn<S> turn, ReplicaMessage.Fetch fetch) {
        Copy<S> held = turn.held();
        boolean isTooOld = fetch.after().isEmpty()
                || fetch.after().get().number() < held.log().base().number();
        if (isTooOld) {
            return part(turn, fetch);
        }
        Position after = fetch.after().get();
        boolean isKnown = isInLog(turn, after);
        var entries = new ArrayList<Entry>();
        if (isKnown) {
            int bytes = 0;
            for (Entry entry : held.log().after(after.number())) {
                bytes += entry.content().size();
                if (!entries.isEmpty()
                        && (bytes > turn.limits.messageBytes() || entries.size() == turn.limits.messageEntries())) {
                    break;
                }
                entries.add(entry);
            }
        }
        return new ReplicaMessage.Entries(
                held.id(),
                fetch.ballot().orElseThrow(),
                after,
                isKnown,
                entries,
                turn.last().number(),
                held.committed());
    }

    private static <S> ReplicaMessage part(Turn<S> turn, ReplicaMessage.Fetch fetch) {
        Copy<S> held = turn.held();
        Bytes state = held.snapshot().state();
        int offset = fetch.part()
                .filter(at -> at.snapshot().equals(held.snapshot().at()) && at.offset() >= 0)
                .map(at -> Math.min(at.offset(), state.size()))
                .orElse(0);
        return new ReplicaMessage.Part(
                held.id(),
                fetch.ballot(),
                held.snapshot().at(),
                held.snapshot().replicas(),
                state.size(),
                offset,
                state.slice(offset, Math.min(state.size(), offset + turn.limits.messageBytes())));
    }

    /** Answers those that wait and for whom there is something new, or who waited long. */
    static <S> void settle(Turn<S> turn) {
        var primary = (Role.Primary) turn.role;
        for (var follower : primary.followers().entrySet()) {
            Role.Progress progress = follower.getValue();
            if (progress.waiting().isEmpty()) {
                continue;
            }
            ReplicaMessage.Fetch fetch = progress.waiting().get();
            boolean isNew = fetch.after().isEmpty()
                    || !isInLog(turn, fetch.after().get())
                    || fetch.after().get().number() < turn.last().number()
                    || fetch.committed() < turn.held().committed();
            long until = progress.waitsSinceNanos() + Spans.HOLD;
            if (!isNew && turn.now < until) {
                turn.wakeAt(until);
                continue;
            }
            turn.send(follower.getKey(), answer(turn, fetch));
            primary = primary.follower(
                    follower.getKey(),
                    new Role.Progress(
                            progress.seat(), progress.matched(), Optional.empty(), turn.now, progress.still()));
        }
        turn.role = primary;
    }
}

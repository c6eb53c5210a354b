package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.identity.NodeId;
import io.hearth.replicated.CommandKey;
import io.hearth.replicated.Content;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Position;
import io.hearth.replicated.ReplicaId;
import io.hearth.replicated.Replicas;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a primary does with commands: it appends and commits. */
final class Primacy {
    /** Entries that are not committed yet. */
    static final int WAITING_MAX = 4_096;

    private Primacy() {}

    static <S> boolean isActive(Turn<S> turn, Role.Primary primary) {
        return turn.held().committed() >= primary.begin();
    }

    /** Whether the log has an End. */
    static <S> boolean isEnding(Turn<S> turn) {
        return turn.held().applied().into().isPresent()
                || turn.held().log().after(turn.held().committed()).stream()
                        .anyMatch(entry -> entry.content() instanceof Content.End);
    }

    static <S> void append(Turn<S> turn, Ballot ballot, Content content) {
        Position last = turn.last();
        turn.append(last.number(), List.of(new Entry(new Position(last.number() + 1, ballot), content)));
    }

    static <S> void onSubmit(Turn<S> turn, ReplicaEvent.Submit submit) {
        CommandKey key = submit.key();
        if (!(turn.role instanceof Role.Primary primary)
                || !isActive(turn, primary)
                || isEnding(turn)
                || !turn.safety.isOf(turn.held().id(), turn.held().applied().absorbed(), submit.store())) {
            turn.effect(new ReplicaEffect.NotTaken(key, ReplicaEffect.Refusal.NOT_PRIMARY));
            return;
        }
        switch (turn.known(turn.held().applied(), key)) {
            case Sessions.Known.Applied(Bytes answer) -> turn.effect(new ReplicaEffect.Answered(key, answer));
            case Sessions.Known.Outdated() ->
                turn.effect(new ReplicaEffect.NotTaken(key, ReplicaEffect.Refusal.OUTDATED));
            case Sessions.Known.New() -> {
                List<Entry> waiting = turn.held().log().after(turn.held().committed());
                boolean isThere = waiting.stream()
                        .anyMatch(entry -> entry.content() instanceof Content.Command command
                                && command.key().isSame(key));
                if (isThere) {
                    return;
                }
                if (waiting.size() >= WAITING_MAX) {
                    turn.effect(new ReplicaEffect.NotTaken(key, ReplicaEffect.Refusal.BUSY));
                } else {
                    append(turn, primary.ballot(), new Content.Command(key, submit.command()));
                }
            }
        }
    }

    static Role.Progress progress(Role.Primary primary, NodeId node, long seat, long now) {
        Role.Progress known = primary.followers().get(node);
        return known == null || known.seat() != seat ? new Role.Progress(seat, -1, Optional.empty(), now, 0) : known;
    }

    /** Commits, confirms, answers and reconfigures what can be. */
    static <S> void settle(Turn<S> turn) {
        if (turn.role instanceof Role.Primary) {
            commit(turn);
            Configuring.settle(turn);
            Merging.end(turn);
            commit(turn);
            Reads.settle(turn);
            Serving.settle(turn);
        }
    }

    private static <S> void commit(Turn<S> turn) {
        var primary = (Role.Primary) turn.role;
        boolean wasActive = isActive(turn, primary);
        Map<ReplicaId, Long> stored = new TreeMap<>();
        primary.followers()
                .forEach((node, progress) ->
                        stored.put(new ReplicaId(node.peer(), progress.seat()), progress.matched()));
        stored.put(
                turn.replica(),
                turn.safety.stored(turn.disk.stable(), turn.last().number()));
        List<Replicas> inForce = turn.held().inForce();
        for (long number : new TreeSet<>(stored.values()).descendingSet()) {
            if (number <= turn.held().committed() || number > turn.last().number()) {
                continue;
            }
            Set<ReplicaId> who = having(stored, number);
            if (turn.safety.isQuorum(inForce, who)
                    && turn.safety.commits(turn.held().log().entry(number), primary.ballot())) {
                turn.commit(number);
                break;
            }
        }
        if (!wasActive && isActive(turn, primary)) {
            turn.effect(new ReplicaEffect.Elected());
        }
    }

    static Set<ReplicaId> having(Map<ReplicaId, Long> stored, long number) {
        var who = new HashSet<ReplicaId>();
        stored.forEach((replica, upTo) -> {
            if (upTo >= number) {
                who.add(replica);
            }
        });
        return who;
    }
}

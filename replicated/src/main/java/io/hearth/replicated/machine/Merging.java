package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.replicated.Content;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.StoreId;
import java.util.Optional;

/** What happens when two stores meet in one view: the worse one ends, and the better one absorbs its state. */
final class Merging {
    private Merging() {}

    /** Ends this store if a better one is served in the view. */
    static <S> void end(Turn<S> turn) {
        var primary = (Role.Primary) turn.role;
        if (!Primacy.isActive(turn, primary) || Primacy.isEnding(turn)) {
            return;
        }
        turn.sight.stream()
                .flatMap(sight -> sight.members().stream())
                .filter(turn::isLinked)
                .flatMap(member -> turn.heldBy(member).stream())
                .filter(held -> held.isActive() && held.into().isEmpty())
                .map(ReplicaMessage.Held::store)
                .filter(store -> store.isBetterThan(turn.held().id()))
                .min(StoreId::compareTo)
                .ifPresent(store -> Primacy.append(turn, primary.ballot(), new Content.End(store)));
    }

    /** A member that holds a store which ended into this one, and whose state is not here yet. */
    static <S> Optional<NodeId> ended(Turn<S> turn, Role.Primary primary) {
        if (!Primacy.isActive(turn, primary) || Primacy.isEnding(turn)) {
            return Optional.empty();
        }
        return turn.sight.stream()
                .flatMap(sight -> sight.members().stream())
                .filter(turn::isLinked)
                .filter(member ->
                        turn.heldBy(member).filter(held -> isForUs(turn, held)).isPresent())
                .findFirst();
    }

    private static <S> boolean isForUs(Turn<S> turn, ReplicaMessage.Held held) {
        Applied<S> applied = turn.held().applied();
        boolean isInto = held.into()
                .filter(into ->
                        into.equals(turn.held().id()) || applied.absorbed().contains(into))
                .isPresent();
        return isInto && !applied.absorbed().contains(held.store()) && !isAbsorbing(turn, held.store());
    }

    private static <S> boolean isAbsorbing(Turn<S> turn, StoreId store) {
        return turn.held().log().after(turn.held().committed()).stream()
                .anyMatch(entry -> entry.content() instanceof Content.Absorb absorb
                        && absorb.other().equals(store));
    }

    /** Appends the final state of another store. */
    static <S> void absorb(Turn<S> turn, StoreId store, Bytes state) {
        if (!(turn.role instanceof Role.Primary primary)
                || Primacy.isEnding(turn)
                || turn.held().applied().absorbed().contains(store)) {
            return;
        }
        int offset = 0;
        do {
            int end = Math.min(state.size(), offset + Content.COMMAND_BYTES_MAX);
            Primacy.append(
                    turn, primary.ballot(), new Content.Absorb(store, state.size(), offset, state.slice(offset, end)));
            offset = end;
        } while (offset < state.size());
    }
}

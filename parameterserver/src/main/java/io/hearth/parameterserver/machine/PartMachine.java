package io.hearth.parameterserver.machine;

import com.google.protobuf.ByteString;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One part on one machine: primary, holder of the copy, or neither.
 *
 * <p>The primary applies an update, and its caller hears of it, only after the holder of the same term took it. A new holder first gets the
 * whole table; until it has that, no update is applied. A holder refuses messages of an earlier term. So the table of a holder that has the
 * copy of the newest term has every update that was acknowledged. A process that has the copy of the term before keeps it until that of the
 * new one comes: a part that moves to its holder is in two memories all the time.
 */
public final class PartMachine implements Machine<PartState, PartEvent, PartEffect> {
    private static final long RETRY_NANOS = 200_000_000L;
    private static final long REFUSED_NANOS = 20_000_000L;

    private static final class Turn {
        private final Assignment.Seat seat;
        private final long now;
        private final List<PartEffect> effects = new ArrayList<>();
        private long term;
        private PartState.Role role;
        private Optional<NodeId> holder;
        private long copyTerm;
        private long index;
        private boolean holderHas;
        private long attempt;
        private boolean isSending;
        private Optional<ByteString> inFlight;
        private Optional<Long> retry;

        private Turn(PartState state, long now) {
            this.seat = state.seat();
            this.now = now;
            this.term = state.term();
            this.role = state.role();
            this.holder = state.holder();
            this.copyTerm = state.copyTerm();
            this.index = state.index();
            this.holderHas = state.holderHas();
            this.attempt = state.attempt();
            this.isSending = state.isSending();
            this.inFlight = state.inFlight();
            this.retry = state.retryNanos();
        }

        private Step<PartState, PartEffect> finish() {
            return new Step<>(
                    new PartState(
                            seat, term, role, holder, copyTerm, index, holderHas, attempt, isSending, inFlight, retry),
                    effects);
        }

        private boolean isServing() {
            return role == PartState.Role.PRIMARY && copyTerm == term;
        }

        /** Sends what the holder needs next. */
        private void send() {
            retry = Optional.empty();
            if (!isServing() || holder.isEmpty() || isSending || (holderHas && inFlight.isEmpty())) {
                return;
            }
            attempt++;
            isSending = true;
            effects.add(
                    holderHas
                            ? new PartEffect.SendUpdate(attempt, holder.get(), term, index + 1, inFlight.orElseThrow())
                            : new PartEffect.SendCopy(attempt, holder.get(), term, index));
        }

        /** An update that no other machine has to take. */
        private void applyAlone() {
            if (isServing() && holder.isEmpty() && inFlight.isPresent()) {
                apply();
            }
        }

        private void apply() {
            index++;
            effects.add(new PartEffect.Apply(inFlight.orElseThrow()));
            inFlight = Optional.empty();
        }
    }

    @Override
    public Step<PartState, PartEffect> step(PartState state, PartEvent event, long nowNanos) {
        var turn = new Turn(state, nowNanos);
        switch (event) {
            case PartEvent.Assigned(Assignment assignment) -> assigned(turn, assignment);
            case PartEvent.Loaded(long term, long index) -> {
                if (turn.role == PartState.Role.PRIMARY && turn.term == term && turn.copyTerm < term) {
                    turn.copyTerm = term;
                    turn.index = index;
                    turn.send();
                }
            }
            case PartEvent.Propose(ByteString update) -> {
                if (!state.canPropose()) {
                    throw new IllegalStateException("an update before the one before it is done");
                }
                turn.inFlight = Optional.of(update);
                turn.applyAlone();
                turn.send();
            }
            case PartEvent.Answered answered -> answered(turn, answered);
            case PartEvent.NotAnswered(long attempt) -> {
                if (attempt == turn.attempt && turn.isSending) {
                    turn.isSending = false;
                    turn.retry = Optional.of(turn.now + RETRY_NANOS);
                }
            }
            case PartEvent.Delivered delivered -> delivered(turn, delivered);
            case PartEvent.Tick() -> {
                if (turn.retry.isPresent() && turn.now - turn.retry.get() >= 0) {
                    turn.send();
                }
            }
        }
        return turn.finish();
    }

    private static void assigned(Turn turn, Assignment next) {
        boolean isPrimary = next.primary().equals(turn.seat);
        boolean isHolder = next.holder().equals(Optional.of(turn.seat));
        if (next.term() < turn.term || (next.term() == turn.term && turn.role != PartState.Role.NONE)) {
            return;
        }
        boolean hadCopy = turn.copyTerm > 0;
        boolean wasPrimary = turn.role == PartState.Role.PRIMARY;
        turn.term = next.term();
        turn.isSending = false;
        turn.holderHas = false;
        turn.retry = Optional.empty();
        if (isPrimary) {
            turn.role = PartState.Role.PRIMARY;
            turn.holder = next.holder().map(Assignment.Seat::node);
            if (hadCopy && !(next.isFromCheckpoint() && !wasPrimary)) {
                turn.copyTerm = turn.term;
                turn.applyAlone();
                turn.send();
            } else {
                turn.copyTerm = 0;
                if (next.isFromCheckpoint()) {
                    turn.effects.add(new PartEffect.Load(turn.term));
                }
            }
            return;
        }
        turn.role = isHolder ? PartState.Role.HOLDER : PartState.Role.NONE;
        turn.holder = Optional.empty();
        turn.copyTerm = isHolder && turn.copyTerm == turn.term - 1 ? turn.copyTerm : 0;
        turn.inFlight = Optional.empty();
        turn.effects.add(new PartEffect.Stopped());
    }

    private static void answered(Turn turn, PartEvent.Answered answered) {
        if (answered.attempt() != turn.attempt || !turn.isSending) {
            return;
        }
        turn.isSending = false;
        if (!answered.isAccepted()) {
            if (answered.holderTerm() > turn.term) {
                turn.retry = Optional.of(turn.now + RETRY_NANOS); // this machine hears of the new term soon
            } else {
                turn.holderHas = false; // it has not heard of this term, or needs the table again
                turn.retry = Optional.of(turn.now + REFUSED_NANOS);
            }
            return;
        }
        if (turn.holderHas) {
            turn.apply();
        } else {
            turn.holderHas = true;
        }
        turn.send();
    }

    /** A late message never takes an update away: a copy that is older than the table is not installed. */
    private static void delivered(Turn turn, PartEvent.Delivered message) {
        boolean isAccepted = message.term() == turn.term && turn.role == PartState.Role.HOLDER;
        boolean isWhole = turn.copyTerm == turn.term;
        if (isAccepted && !(isWhole && message.index() <= turn.index)) {
            if (message.isCopy()) {
                turn.copyTerm = turn.term;
                turn.index = message.index();
                turn.effects.add(new PartEffect.Install(message.body()));
            } else if (isWhole && message.index() == turn.index + 1) {
                turn.index++;
                turn.effects.add(new PartEffect.Apply(message.body()));
            } else {
                isAccepted = false;
            }
        }
        turn.effects.add(new PartEffect.Reply(message.call(), isAccepted, turn.term));
    }

    @Override
    public long sleepNanos(PartState state, long nowNanos) {
        return state.retryNanos().map(at -> Math.max(0, at - nowNanos)).orElse(Long.MAX_VALUE);
    }
}

package io.hearth.lighthouse.machine;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.lighthouse.Quorum;
import io.hearth.lighthouse.QuorumResult;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * The manager of one replica group, pure. It joins the requests of all ranks into one call to the lighthouse and tells each rank what the
 * quorum means for it, as long as a rank waits. Votes count for their step, and only while their caller waits. A lighthouse that fails is reported to the callers
 * at once, when the last repetition failed.
 */
public final class ManagerMachine implements Machine<ManagerState, ManagerEvent, ManagerEffect> {
    private static final long PAUSE_MIN_NANOS = 100_000_000L;

    /** Steps with open votes. */
    static final int STEPS_MAX = 64;

    private final ManagerSettings settings;

    public ManagerMachine(ManagerSettings settings) {
        this.settings = settings;
    }

    /** One step under construction. */
    private static final class Turn {
        private final long now;
        private final TreeMap<Long, ManagerEvent.AskQuorum> asking;
        private final TreeMap<Long, String> metadata;
        private final TreeMap<Long, SortedMap<Long, ManagerEvent.Vote>> votes;
        private final List<ManagerEffect> effects = new ArrayList<>();
        private Optional<ManagerState.Round> round;
        private long rounds;

        private Turn(ManagerState state, long now) {
            this.now = now;
            this.asking = new TreeMap<>(state.asking());
            this.metadata = new TreeMap<>(state.metadata());
            this.votes = new TreeMap<>(state.votes());
            this.round = state.round();
            this.rounds = state.rounds();
        }

        private void fail(long call, Failure.Code code, String text) {
            effects.add(new ManagerEffect.Fail(call, new Failure(code, text)));
        }
    }

    @Override
    public Step<ManagerState, ManagerEffect> step(ManagerState state, ManagerEvent event, long nowNanos) {
        var turn = new Turn(state, nowNanos);
        switch (event) {
            case ManagerEvent.AskQuorum ask -> askQuorum(turn, ask);
            case ManagerEvent.AskMetadata(long call, long rank) -> {
                String metadata = turn.metadata.get(rank);
                if (metadata == null) {
                    turn.fail(call, Failure.Code.INVALID_ARGUMENT, "rank not found");
                } else {
                    turn.effects.add(new ManagerEffect.AnswerMetadata(call, metadata));
                }
            }
            case ManagerEvent.Vote vote -> vote(turn, vote);
            case ManagerEvent.Ended(long call) -> end(turn, call);
            case ManagerEvent.Answered(long number, Quorum quorum) -> answered(turn, number, quorum);
            case ManagerEvent.NotAnswered(long number, Failure why) -> notAnswered(turn, number, why);
            case ManagerEvent.Tick() -> retry(turn);
        }
        begin(turn);
        return new Step<>(
                new ManagerState(turn.asking, turn.metadata, turn.round, turn.rounds, turn.votes), turn.effects);
    }

    private boolean isInRange(Turn turn, long call, long rank, long step) {
        boolean isInRange = rank >= 0 && rank < settings.worldSize() && step >= 0;
        if (!isInRange) {
            turn.fail(
                    call,
                    Failure.Code.INVALID_ARGUMENT,
                    "group_rank is 0 to " + (settings.worldSize() - 1) + " and step not negative, got " + rank + " and "
                            + step);
        }
        return isInRange;
    }

    private void askQuorum(Turn turn, ManagerEvent.AskQuorum ask) {
        if (isInRange(turn, ask.call(), ask.rank(), ask.step())) {
            turn.metadata.put(ask.rank(), ask.metadata());
            ManagerEvent.AskQuorum former = turn.asking.put(ask.rank(), ask);
            if (former != null) {
                turn.fail(former.call(), Failure.Code.CANCELLED, "rank " + ask.rank() + " asked again");
            }
        }
    }

    /** Asks the lighthouse once every rank asked. */
    private void begin(Turn turn) {
        if (turn.round.isPresent() || turn.asking.size() < settings.worldSize()) {
            return;
        }
        ManagerEvent.AskQuorum last =
                Collections.max(turn.asking.values(), java.util.Comparator.comparingLong(ManagerEvent.AskQuorum::call));
        turn.rounds++;
        turn.round = Optional.of(new ManagerState.Round(turn.rounds, turn.asking, last, 0, Optional.empty()));
        turn.asking.clear();
        call(turn, turn.round.get());
    }

    private List<String> handles(ManagerState.Round round) {
        boolean isAnyKnown = round.calls().values().stream()
                .anyMatch(ask -> !ask.reconfigureHandle().isEmpty());
        return LongStream.range(0, isAnyKnown ? settings.worldSize() : 0)
                .mapToObj(rank -> round.calls().get(rank))
                .map(ask -> ask == null ? "" : ask.reconfigureHandle())
                .toList();
    }

    private void call(Turn turn, ManagerState.Round round) {
        ManagerEvent.AskQuorum last = round.last();
        turn.effects.add(new ManagerEffect.AskLighthouse(
                round.number(),
                last.step(),
                last.shrinkOnly(),
                last.commitFailures(),
                handles(round),
                last.untilNanos(),
                round.failures() > 0));
    }

    private void answered(Turn turn, long number, Quorum quorum) {
        if (turn.round.filter(round -> round.number() == number).isEmpty()) {
            return;
        }
        for (ManagerEvent.AskQuorum ask : turn.round.get().calls().values()) {
            Optional<QuorumResult> result = RecoveryPlan.of(quorum, settings.replicaId(), ask.rank(), ask.initSync());
            if (result.isPresent()) {
                turn.effects.add(new ManagerEffect.AnswerQuorum(ask.call(), result.get()));
            } else {
                turn.fail(
                        ask.call(),
                        Failure.Code.NOT_FOUND,
                        "replica " + settings.replicaId() + " not participating in returned quorum");
            }
        }
        turn.round = Optional.empty();
    }

    private void notAnswered(Turn turn, long number, Failure why) {
        if (turn.round.filter(round -> round.number() == number).isEmpty()) {
            return;
        }
        ManagerState.Round round = turn.round.get();
        int failures = round.failures() + 1;
        long pause = Math.max(PAUSE_MIN_NANOS, (round.last().untilNanos() - turn.now) / (settings.retries() + 1L));
        if (failures > settings.retries() || turn.now + pause >= round.last().untilNanos()) {
            round.calls().values().forEach(ask -> turn.effects.add(new ManagerEffect.Fail(ask.call(), why)));
            turn.round = Optional.empty();
        } else {
            turn.round = Optional.of(new ManagerState.Round(
                    number, round.calls(), round.last(), failures, Optional.of(turn.now + pause)));
        }
    }

    private void retry(Turn turn) {
        turn.round
                .filter(round -> round.retryNanos().isPresent()
                        && turn.now >= round.retryNanos().get())
                .ifPresent(round -> {
                    var again = new ManagerState.Round(
                            round.number(), round.calls(), round.last(), round.failures(), Optional.empty());
                    turn.round = Optional.of(again);
                    call(turn, again);
                });
    }

    private void vote(Turn turn, ManagerEvent.Vote vote) {
        if (!isInRange(turn, vote.call(), vote.rank(), vote.step())) {
            return;
        }
        if (!turn.votes.containsKey(vote.step()) && turn.votes.size() >= STEPS_MAX) {
            turn.fail(
                    vote.call(),
                    Failure.Code.RESOURCE_EXHAUSTED,
                    "votes about " + STEPS_MAX + " other steps are open: the ranks vote about different steps");
            return;
        }
        var votes = new TreeMap<>(turn.votes.getOrDefault(vote.step(), Collections.emptySortedMap()));
        ManagerEvent.Vote former = votes.put(vote.rank(), vote);
        if (former != null) {
            turn.fail(former.call(), Failure.Code.CANCELLED, "rank " + vote.rank() + " voted again");
        }
        if (votes.size() < settings.worldSize()) {
            turn.votes.put(vote.step(), votes);
            return;
        }
        turn.votes.remove(vote.step());
        boolean commits = votes.values().stream().allMatch(ManagerEvent.Vote::commits);
        votes.values().forEach(each -> turn.effects.add(new ManagerEffect.AnswerVote(each.call(), commits)));
    }

    private static void end(Turn turn, long call) {
        turn.asking.values().removeIf(ask -> ask.call() == call);
        turn.round = turn.round.map(round -> {
            var calls = new TreeMap<>(round.calls());
            calls.values().removeIf(ask -> ask.call() == call);
            return new ManagerState.Round(round.number(), calls, round.last(), round.failures(), round.retryNanos());
        });
        turn.round.filter(round -> round.calls().isEmpty()).ifPresent(round -> {
            turn.effects.add(new ManagerEffect.StopAsking(round.number()));
            turn.round = Optional.empty();
        });
        for (long step : List.copyOf(turn.votes.keySet())) {
            var votes = new TreeMap<>(turn.votes.get(step));
            if (votes.values().removeIf(vote -> vote.call() == call)) {
                if (votes.isEmpty()) {
                    turn.votes.remove(step);
                } else {
                    turn.votes.put(step, votes);
                }
            }
        }
    }

    @Override
    public long sleepNanos(ManagerState state, long nowNanos) {
        return state.round()
                .flatMap(ManagerState.Round::retryNanos)
                .map(at -> Math.max(0, at - nowNanos))
                .orElse(Long.MAX_VALUE);
    }
}

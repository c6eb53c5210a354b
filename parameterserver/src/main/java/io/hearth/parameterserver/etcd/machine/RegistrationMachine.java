package io.hearth.parameterserver.etcd.machine;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.parameterserver.etcd.machine.RegistrationState.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedSet;

/**
 * Registers a server under the first free index and keeps it registered: it renews the lease, and after any loss takes the same index again,
 * if that is free. An answer that got lost costs nothing: the next attempt looks whether the key has the lease.
 */
public final class RegistrationMachine implements Machine<RegistrationState, RegistrationEvent, RegistrationEffect> {
    /** Indexes are 0 to one below this. */
    public static final int INDEXES_MAX = 256;

    /** The longest time between two attempts to reach an etcd that did not answer, in nanoseconds. */
    public static final long RETRY_NANOS_MAX = 5_000_000_000L;

    private static final int PAUSES_PER_LEASE = 3;

    private final long pauseNanos;
    private final long retryNanos;

    /** A machine whose leases have this many nanoseconds. */
    public RegistrationMachine(long leaseNanos) {
        this.pauseNanos = leaseNanos / PAUSES_PER_LEASE;
        this.retryNanos = Math.min(pauseNanos, RETRY_NANOS_MAX);
    }

    @Override
    public Step<RegistrationState, RegistrationEffect> step(
            RegistrationState state, RegistrationEvent event, long nowNanos) {
        return switch (event) {
            case RegistrationEvent.Tick() ->
                state.phase() == Phase.ASKING || state.dueNanos() - nowNanos > 0 ? Step.quiet(state) : due(state);
            case RegistrationEvent.Noted() -> {
                RegistrationState noted = state.note(true, true);
                yield noted.phase() == Phase.REGISTERED ? next(noted, nowNanos) : Step.quiet(noted);
            }
            case RegistrationEvent.Granted(long lease) ->
                step(state.lease(OptionalLong.of(lease)), new RegistrationEffect.ListServers());
            case RegistrationEvent.Listed(SortedSet<Integer> taken) -> claim(state, taken, nowNanos);
            case RegistrationEvent.Taken() -> step(state, new RegistrationEffect.ListServers());
            case RegistrationEvent.Claimed() ->
                registered(state.note(state.hasNote(), state.hasNote()), true, nowNanos);
            case RegistrationEvent.Renewed() -> registered(state, state.isWarned(), nowNanos);
            case RegistrationEvent.Lost() -> step(state.lease(OptionalLong.empty()), new RegistrationEffect.Grant());
            case RegistrationEvent.Published() -> next(state, nowNanos);
            case RegistrationEvent.Failed(String why) -> failed(state, why, nowNanos);
        };
    }

    private static Step<RegistrationState, RegistrationEffect> step(
            RegistrationState state, RegistrationEffect... effects) {
        return new Step<>(state, List.of(effects));
    }

    private static Step<RegistrationState, RegistrationEffect> due(RegistrationState state) {
        return step(
                state.asking(),
                state.index().isPresent() && state.lease().isPresent()
                        ? new RegistrationEffect.Renew(
                                state.index().getAsInt(), state.lease().getAsLong())
                        : new RegistrationEffect.Grant());
    }

    private Step<RegistrationState, RegistrationEffect> claim(
            RegistrationState state, SortedSet<Integer> taken, long nowNanos) {
        OptionalInt index = choice(state.index(), taken);
        return index.isEmpty()
                ? failed(state, "all " + INDEXES_MAX + " indexes are taken", nowNanos)
                : step(
                        state.index(index.getAsInt()),
                        new RegistrationEffect.Claim(
                                index.getAsInt(), state.lease().orElse(0)));
    }

    /** The index from before if it is free, else the first free one. */
    static OptionalInt choice(OptionalInt before, SortedSet<Integer> taken) {
        if (before.isPresent() && !taken.contains(before.getAsInt())) {
            return before;
        }
        for (int index = 0; index < INDEXES_MAX; index++) {
            if (!taken.contains(index)) {
                return OptionalInt.of(index);
            }
        }
        return OptionalInt.empty();
    }

    private Step<RegistrationState, RegistrationEffect> registered(
            RegistrationState state, boolean isSaid, long nowNanos) {
        Step<RegistrationState, RegistrationEffect> next =
                next(state.warned(false).until(Phase.REGISTERED, nowNanos + pauseNanos), nowNanos);
        if (!isSaid) {
            return next;
        }
        var effects = new ArrayList<RegistrationEffect>();
        effects.add(new RegistrationEffect.Say(state.index().orElse(0), state.isWarned()));
        effects.addAll(next.effects());
        return new Step<>(next.state(), effects);
    }

    /** What a registered server does next. The lease comes before the note. */
    private static Step<RegistrationState, RegistrationEffect> next(RegistrationState state, long nowNanos) {
        if (state.dueNanos() - nowNanos <= 0) {
            return due(state);
        }
        return state.isNoteNew()
                ? step(
                        state.note(true, false).asking(),
                        new RegistrationEffect.Publish(state.index().orElse(0)))
                : Step.quiet(state.until(Phase.REGISTERED, state.dueNanos()));
    }

    private Step<RegistrationState, RegistrationEffect> failed(RegistrationState state, String why, long nowNanos) {
        RegistrationState waiting =
                state.note(state.hasNote(), state.hasNote()).warned(true).until(Phase.WAITING, nowNanos + retryNanos);
        RegistrationEffect drop = new RegistrationEffect.Drop();
        return state.isWarned() ? step(waiting, drop) : step(waiting, drop, new RegistrationEffect.Warn(why));
    }

    @Override
    public long sleepNanos(RegistrationState state, long nowNanos) {
        return state.phase() == Phase.ASKING ? Long.MAX_VALUE : Math.max(0, state.dueNanos() - nowNanos);
    }
}

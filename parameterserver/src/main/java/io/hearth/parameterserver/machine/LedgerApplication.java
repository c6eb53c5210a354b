package io.hearth.parameterserver.machine;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.parameterserver.ServerSettings;
import io.hearth.parameterserver.Sizes;
import io.hearth.parameterserver.wire.CommandFrame;
import io.hearth.replicated.Application;
import java.util.SortedMap;
import java.util.TreeMap;

/** What commands do to the ledger. */
final class LedgerApplication implements Application<PartLedger> {
    private static final Bytes CHANGED = Bytes.of((byte) 1);
    private static final Bytes UNCHANGED = Bytes.of((byte) 0);

    @Override
    public PartLedger empty() {
        return PartLedger.EMPTY;
    }

    @Override
    public Outcome<PartLedger> apply(PartLedger state, Bytes command) {
        PartLedger next;
        try {
            next = next(state, LedgerEncoding.command(command));
        } catch (MalformedMessageException | IllegalArgumentException unreadable) {
            next = state;
        }
        return new Outcome<>(next, next.equals(state) ? UNCHANGED : CHANGED);
    }

    private static PartLedger next(PartLedger state, CommandFrame command) {
        var leases = new TreeMap<>(state.leases());
        switch (command.getKindCase()) {
            case FOUND -> {
                boolean isValid =
                        state.parts() == 0 && command.getFound() > 0 && command.getFound() <= ServerSettings.PARTS_MAX;
                return isValid ? new PartLedger(command.getFound(), state.assignments(), leases) : state;
            }
            case ASSIGN -> {
                Assignment next = LedgerEncoding.assignment(command.getAssign());
                Assignment before = state.assignments().get(next.part());
                boolean follows = before == null || next.term() == before.term() + 1;
                if (next.part() >= state.parts() || !follows) {
                    return state;
                }
                var assignments = new TreeMap<>(state.assignments());
                assignments.put(next.part(), next);
                return new PartLedger(state.parts(), assignments, leases);
            }
            case JOIN -> {
                String name = command.getJoin();
                if (!name.isEmpty()
                        && name.length() <= Sizes.TRAINER_CHARACTERS_MAX
                        && (leases.containsKey(name) || leases.size() < Sizes.TRAINERS_MAX)) {
                    leases.put(name, LedgerEncoding.lease(command.getLeaseNanos()));
                }
            }
            case LEAVE -> leases.remove(command.getLeave());
            case KIND_NOT_SET -> {
                return state;
            }
        }
        return new PartLedger(state.parts(), state.assignments(), leases);
    }

    /** The parts are those of the better one, with terms that neither has used; the trainers are those of both. */
    @Override
    public PartLedger merge(PartLedger better, PartLedger worse) {
        if (better.parts() == 0) {
            return worse;
        }
        SortedMap<Integer, Assignment> assignments = new TreeMap<>(better.assignments());
        assignments.replaceAll((part, mine) -> {
            Assignment other = worse.assignments().get(part);
            return other == null || other.term() < mine.term()
                    ? mine
                    : new Assignment(part, other.term() + 1, mine.primary(), mine.holder(), mine.isFromCheckpoint());
        });
        var leases = new TreeMap<>(better.leases());
        worse.leases().entrySet().stream()
                .filter(lease -> !leases.containsKey(lease.getKey()))
                .limit(Sizes.TRAINERS_MAX - (long) leases.size())
                .toList()
                .forEach(lease -> leases.put(lease.getKey(), lease.getValue()));
        return new PartLedger(better.parts(), assignments, leases);
    }

    @Override
    public Bytes encode(PartLedger state) {
        return LedgerEncoding.encode(state);
    }

    @Override
    public PartLedger decode(Bytes bytes) {
        return LedgerEncoding.decode(bytes);
    }
}

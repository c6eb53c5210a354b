package io.hearth.parameterserver.machine;

import io.hearth.core.Bytes;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.parameterserver.ServerSettings;
import io.hearth.parameterserver.Sizes;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Decides which machine gets which part, and keeps the leases of trainers; one command at a time. */
public final class RegistryMachine implements Machine<RegistryState, RegistryEvent, RegistryEffect> {
    /** Shortest lease of a trainer. */
    public static final long LEASE_NANOS_MIN = 1_000_000_000L;

    /** Longest lease of a trainer. */
    public static final long LEASE_NANOS_MAX = 3_600 * LEASE_NANOS_MIN;

    private static final long ASK_NANOS = 300_000_000L;
    private static final int WAITING_MAX = 1_000;

    private final ServerSettings settings;

    /** A machine with these settings. */
    public RegistryMachine(ServerSettings settings) {
        this.settings = settings;
    }

    private static final class Turn {
        private final long now;
        private final List<RegistryEffect> effects = new ArrayList<>();
        private final SortedMap<NodeId, Report.Heard> reports;
        private final SortedMap<String, RegistryState.Lease> leases;
        private final SortedMap<Long, RegistryState.Waiting> waiting;
        private final SortedMap<Integer, Long> lost;
        private boolean isServing;
        private PartLedger ledger;
        private List<NodeId> members;
        private Optional<Long> command;
        private long commands;
        private boolean isRefused;
        private long round;
        private long ask;

        private Turn(RegistryState state, long now) {
            this.now = now;
            this.reports = new TreeMap<>(state.reports());
            this.leases = new TreeMap<>(state.leases());
            this.waiting = new TreeMap<>(state.waiting());
            this.lost = new TreeMap<>(state.lostNanos());
            this.isServing = state.isServing();
            this.ledger = state.ledger();
            this.members = state.members();
            this.command = state.command();
            this.commands = state.commands();
            this.isRefused = state.isRefused();
            this.round = state.round();
            this.ask = state.askNanos();
        }

        private Step<RegistryState, RegistryEffect> finish() {
            return new Step<>(
                    new RegistryState(
                            isServing, ledger, members, reports, leases, waiting, lost, command, commands, isRefused,
                            round, ask),
                    effects);
        }

        private void submit(Bytes bytes, String why) {
            commands++;
            command = Optional.of(commands);
            effects.add(new RegistryEffect.Submit(commands, bytes, why));
        }
    }

    @Override
    public Step<RegistryState, RegistryEffect> step(RegistryState state, RegistryEvent event, long nowNanos) {
        var turn = new Turn(state, nowNanos);
        switch (event) {
            case RegistryEvent.Elected(PartLedger ledger) -> elected(turn, ledger);
            case RegistryEvent.Deposed(Failure why) -> {
                turn.isServing = false;
                turn.command = Optional.empty();
                turn.waiting.keySet().forEach(call -> turn.effects.add(new RegistryEffect.Fail(call, why)));
                turn.waiting.clear();
            }
            case RegistryEvent.Applied(PartLedger ledger) -> turn.ledger = ledger;
            case RegistryEvent.Members(List<NodeId> members) -> {
                turn.members = members;
                turn.reports.keySet().retainAll(members);
                turn.ask = turn.now;
            }
            case RegistryEvent.Reported reported -> reported(turn, reported);
            case RegistryEvent.Register register -> register(turn, register);
            case RegistryEvent.Ended(long call) -> turn.waiting.remove(call);
            case RegistryEvent.Stored(long command) -> done(turn, command, false);
            case RegistryEvent.NotStored(long command) -> done(turn, command, true);
            case RegistryEvent.Tick() -> {}
        }
        if (turn.isServing) {
            decide(turn);
        }
        return turn.finish();
    }

    private static void done(Turn turn, long command, boolean isRefused) {
        if (turn.command.equals(Optional.of(command))) {
            turn.command = Optional.empty();
            turn.isRefused = isRefused;
        }
    }

    private static void elected(Turn turn, PartLedger ledger) {
        turn.isServing = true;
        turn.isRefused = false;
        turn.ledger = ledger;
        turn.reports.clear();
        turn.lost.clear();
        turn.leases.clear();
        ledger.leases()
                .forEach((trainer, span) -> turn.leases.put(trainer, new RegistryState.Lease(turn.now + span, span)));
        turn.ask = turn.now;
    }

    private static void reported(Turn turn, RegistryEvent.Reported reported) {
        Report.Heard before = turn.reports.get(reported.node());
        long bootRound =
                before != null && before.report().boot() == reported.report().boot() ? before.bootRound() : turn.round;
        if (turn.members.contains(reported.node()) && (before == null || reported.round() >= before.round())) {
            turn.reports.put(reported.node(), new Report.Heard(reported.report(), reported.round(), bootRound));
        }
    }

    private static void register(Turn turn, RegistryEvent.Register register) {
        String trainer = register.trainer();
        long lease = register.leaseNanos();
        if (!turn.isServing) {
            fail(turn, register, Failure.Code.UNAVAILABLE, "no machine of this cluster can answer yet: call again");
        } else if (trainer.isEmpty() || trainer.length() > Sizes.TRAINER_CHARACTERS_MAX) {
            fail(
                    turn,
                    register,
                    Failure.Code.INVALID_ARGUMENT,
                    "a trainer's name has 1 to " + Sizes.TRAINER_CHARACTERS_MAX + " characters, got " + trainer.length()
                            + ": choose another name");
        } else if (lease != 0 && (lease < LEASE_NANOS_MIN || lease > LEASE_NANOS_MAX)) {
            fail(
                    turn,
                    register,
                    Failure.Code.INVALID_ARGUMENT,
                    "a lease has 1000 to 3600000 ms, or 0 to end it, got " + lease / 1_000_000 + " ms");
        } else if (lease != 0 && !turn.leases.containsKey(trainer) && turn.leases.size() >= Sizes.TRAINERS_MAX) {
            fail(
                    turn,
                    register,
                    Failure.Code.RESOURCE_EXHAUSTED,
                    Sizes.TRAINERS_MAX + " trainers are registered already: end some, or wait for their leases");
        } else if (turn.waiting.size() >= WAITING_MAX) {
            fail(
                    turn,
                    register,
                    Failure.Code.RESOURCE_EXHAUSTED,
                    WAITING_MAX + " calls wait already: call again later");
        } else {
            if (lease == 0) {
                turn.leases.remove(trainer);
            } else {
                turn.leases.put(trainer, new RegistryState.Lease(turn.now + lease, lease));
            }
            turn.waiting.put(register.call(), new RegistryState.Waiting(trainer, lease != 0));
        }
    }

    private static void fail(Turn turn, RegistryEvent.Register register, Failure.Code code, String text) {
        turn.effects.add(new RegistryEffect.Fail(register.call(), new Failure(code, text)));
    }

    private void decide(Turn turn) {
        turn.leases.values().removeIf(lease -> turn.now - lease.endNanos() >= 0);
        turn.waiting.entrySet().removeIf(entry -> {
            String trainer = entry.getValue().trainer();
            if (entry.getValue().isJoin()
                    ? isStored(turn, trainer)
                    : !turn.ledger.leases().containsKey(trainer)) {
                turn.effects.add(new RegistryEffect.Answer(entry.getKey(), turn.ledger.trainers()));
                return true;
            }
            boolean isOvertaken = entry.getValue().isJoin() != turn.leases.containsKey(trainer);
            if (isOvertaken) {
                turn.effects.add(new RegistryEffect.Fail(
                        entry.getKey(),
                        new Failure(
                                Failure.Code.UNAVAILABLE,
                                "the lease of trainer " + trainer + " changed before it was stored: call again")));
            }
            return isOvertaken;
        });
        if (turn.now - turn.ask >= 0) {
            turn.ask = turn.now + ASK_NANOS;
            turn.isRefused = false;
            turn.round++;
            turn.effects.add(new RegistryEffect.Ask(turn.round, turn.members));
        }
        if (turn.command.isEmpty() && !turn.isRefused && !trainers(turn)) {
            parts(turn);
        }
    }

    /** Whether the ledger has a trainer's lease, as long as it is now. */
    private static boolean isStored(Turn turn, String trainer) {
        RegistryState.Lease lease = turn.leases.get(trainer);
        return lease != null
                && Optional.of(lease.spanNanos())
                        .equals(Optional.ofNullable(turn.ledger.leases().get(trainer)));
    }

    private static boolean trainers(Turn turn) {
        for (Map.Entry<String, RegistryState.Lease> lease : turn.leases.entrySet()) {
            String trainer = lease.getKey();
            boolean isKnown = turn.ledger.leases().containsKey(trainer);
            boolean hasRoom = isKnown || turn.ledger.leases().size() < Sizes.TRAINERS_MAX;
            if (!isStored(turn, trainer) && hasRoom) {
                turn.submit(
                        PartLedger.join(trainer, lease.getValue().spanNanos()),
                        "trainer " + trainer + (isKnown ? " has a lease of another length" : " joins"));
                return true;
            }
        }
        for (String trainer : turn.ledger.leases().keySet()) {
            if (!turn.leases.containsKey(trainer)) {
                turn.submit(PartLedger.leave(trainer), "trainer " + trainer + " leaves, or its lease is over");
                return true;
            }
        }
        return false;
    }

    private void parts(Turn turn) {
        if (turn.ledger.parts() == 0) {
            turn.submit(PartLedger.found(settings.parts()), "the server has " + settings.parts() + " parts");
            return;
        }
        var rules = new AssignmentRules(turn.ledger, turn.members, turn.reports);
        for (int part = 0; part < turn.ledger.parts(); part++) {
            if (rules.isServed(part)) {
                turn.lost.remove(part);
            } else {
                turn.lost.putIfAbsent(part, turn.now);
            }
            long since = turn.lost.getOrDefault(part, turn.now);
            Optional<Assignment> next = rules.next(part, turn.now - since >= settings.giveUpNanos());
            if (next.isPresent()) {
                turn.submit(PartLedger.assign(next.get()), text(next.get()));
                return;
            }
        }
    }

    private static String text(Assignment next) {
        return "part " + next.part() + " is served by " + next.primary().node().shortText()
                + (next.isFromCheckpoint() ? " from its newest checkpoint" : "")
                + next.holder()
                        .map(holder -> ", " + holder.node().shortText() + " holds the copy")
                        .orElse(", no other machine holds a copy")
                + " (term " + next.term() + ")";
    }

    @Override
    public long sleepNanos(RegistryState state, long nowNanos) {
        if (!state.isServing()) {
            return Long.MAX_VALUE;
        }
        long sleep = Math.max(0, state.askNanos() - nowNanos);
        for (Map.Entry<String, RegistryState.Lease> lease : state.leases().entrySet()) {
            sleep = Math.min(sleep, Math.max(0, lease.getValue().endNanos() - nowNanos));
        }
        return sleep;
    }
}

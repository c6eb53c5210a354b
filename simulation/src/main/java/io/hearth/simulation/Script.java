package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.collective.Signature;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.Status;
import io.hearth.election.View;
import io.hearth.election.view.ViewEvent;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The application of a trainer, as a user would write it: waits for its peers, calls a fixed count of collectives, its next one
 * once an earlier one ended, then leaves.
 */
final class Script {
    private static final long PATIENCE_NANOS = 10 * SECOND;

    private final NodeProcess process;
    private final World world;
    private final Trainer trainer;
    private final SortedMap<Long, Call> calls = new TreeMap<>();
    private final SortedMap<Long, Ending> endings = new TreeMap<>();
    private final Steps steps;
    private long called;
    private long length;
    private boolean wantsToBegin;
    private boolean isClosing;
    private boolean isOver;

    /** A number that was called: its input stays until it ended. */
    record Call(Signature signature, View view, long value, long model) {
        boolean beginsStep() {
            return signature.kind() == Signature.Kind.BOUNDARY;
        }
    }

    Script(NodeProcess process, Trainer trainer) {
        this.process = process;
        this.world = process.world;
        this.trainer = trainer;
        this.steps = new Steps(world);
    }

    Steps steps() {
        return steps;
    }

    SortedMap<Long, Ending> endings() {
        return endings;
    }

    /** The call of a number that is open. */
    Optional<Call> call(long number) {
        return Optional.ofNullable(calls.get(number));
    }

    boolean isOver() {
        return isOver;
    }

    boolean isClosing() {
        return isClosing;
    }

    /** Whether it began a step with all of its group since then, and can go on. */
    boolean isInStep(View view, long since) {
        return trainer.state().broken().isEmpty()
                && steps.begunNanos() > since
                && endings.values().stream()
                        .filter(ending -> ending.beginsStep() && ending.sum().isPresent())
                        .reduce((_, newest) -> newest)
                        .flatMap(Ending::sum)
                        .filter(sum -> !isOver
                                && sum.fence().equals(trainer.state().layout().fence())
                                && sum.contributors().size()
                                        == view.group(process.host.group).size())
                        .isPresent();
    }

    boolean isFinished() {
        return length > 0 && trainer.doneUpTo() >= length;
    }

    /** Begins once enough others are in, as a script does that waits for its peers. */
    void considerBeginning(int members) {
        if (!wantsToBegin && members >= world.cluster.wanted(process.host.group) && world.beginsJobs()) {
            work(world.jobLength());
        }
    }

    /** A script that does not wait for ever. */
    void beginAfterPatience(long nanos) {
        world.after(
                Math.min(nanos, PATIENCE_NANOS),
                () -> process.deliver(() -> {
                    if (!wantsToBegin && world.beginsJobs()) {
                        work(world.jobLength());
                    }
                }));
    }

    /** From now on it calls its collectives; it closes after {@code count} of them. */
    void work(long count) {
        if (!wantsToBegin && !isOver) {
            wantsToBegin = true;
            length = count;
            callNext();
        }
    }

    void callNext() {
        GroupMachine.State state = trainer.state();
        View view = trainer.view().orElse(null);
        if (!wantsToBegin || isOver || isClosing || view == null || !process.isAlive()) {
            return;
        }
        if (world.hasSteps ? called >= length && world.endsJobs() : state.next() > length) {
            if (calls.isEmpty() && world.endsJobs()) {
                close();
            }
            return;
        }
        if (state.next() >= Status.NUMBER_MAX) {
            close(); // as the error says that there would be
            return;
        }
        if (state.next() - 1 - state.doneUpTo() >= world.depth) {
            return;
        }
        long number = state.next();
        steps.flip(process);
        var call = new Call(
                steps.next(number, world.hooks.ranks(state)), view, world.random.nextLong(), steps.model(number));
        called++;
        calls.put(number, call);
        world.trace(
                process,
                () -> (call.beginsStep() ? "begins a step with number " : "calls number ")
                        + number
                        + ", " + call.signature().text());
        trainer.call(call.signature());
        world.after(world.deadlineNanos(), () -> process.deliver(() -> expire(call)));
        if (world.depth > 1) {
            callLater();
        }
    }

    private void callLater() {
        world.after(world.workNanos(), () -> process.deliver(this::callNext));
    }

    /** A number ended here, with {@code sum} unless it was refused. */
    void ended(Status.Kept outcome, Optional<Frame.Sum> sum, View view) {
        long number = outcome.number();
        Call call = calls.remove(number);
        if (call == null) {
            return;
        }
        if (!call.beginsStep()) {
            world.results.isTold(process, number, call.view(), view);
        }
        var ending = new Ending(
                view.lineage(),
                call.signature(),
                outcome,
                sum,
                world.depth == 1 ? trainer.state().ranks() : List.of());
        endings.put(number, ending);
        world.tally.collective();
        world.trace(
                process,
                () -> "ends number " + number + " "
                        + sum.map(known -> "with " + known.contributors().size() + " contributors of group epoch "
                                        + known.groupEpoch())
                                .orElse("without a result"));
        learn(call, ending);
        world.results.ended(process, number, ending);
        if (isClosing && calls.isEmpty()) {
            world.after(0, () -> process.deliver(this::leave));
        }
        callLater();
    }

    private void learn(Call call, Ending ending) {
        if (call.beginsStep()) {
            ending.sum().ifPresent(agreed -> steps.begin(World.text(ending.lineage()), agreed.value()));
            return;
        }
        if (world.hasSteps) {
            steps.summed(ending.learned());
            return;
        }
        for (Ending next = endings.get(steps.numbers() + 1); next != null; next = endings.get(steps.numbers() + 1)) {
            steps.summed(next.learned());
        }
    }

    /** The open beginning of a step has another number in the lineage that was entered. */
    void renumber(long from, long to) {
        Call call = calls.remove(from);
        if (call != null) {
            calls.put(to, call);
        }
        endings.clear();
        steps.interrupt();
    }

    private void expire(Call call) {
        if (calls.containsValue(call) && !isOver && world.hasDeadlines()) {
            calls.keySet().stream()
                    .filter(number -> call.equals(calls.get(number)))
                    .findFirst()
                    .ifPresent(this::expire);
        }
    }

    private void expire(long number) {
        world.trace(process, () -> "number " + number + " did not end before its deadline");
        if (world.hooks.goesOnAfterDeadline() && trainer.state().frozen().isEmpty()) {
            trainer.step(new Event.Refused(
                    number,
                    trainer.state().layout().fence(),
                    new CallRejection(CallRejection.Cause.PEER_LOST, "deadline of this member alone")));
            return;
        }
        giveUp("a deadline passed");
    }

    /** The application gets an error that the others of its group do not have. */
    void giveUp(String why) {
        giveUp(why, world.restsUntil());
    }

    /** The same, and it does something else for a while. */
    void giveUp(String why, long restsUntil) {
        world.trace(process, () -> "gives up: " + why);
        finish();
        boolean comesBack = world.hasSteps && !isClosing && (!world.isFaulty() || world.random.nextInt(4) > 0);
        trainer.tellLoop(comesBack ? new ViewEvent.Resign() : new ViewEvent.Leave());
        if (comesBack) {
            comeBackLater(restsUntil);
        }
    }

    /** All open calls end with an error, and later ones too until a step begins; before the first call it changes nothing. */
    void removed(String why) {
        if (trainer.state().next() == 1 || isOver) {
            return;
        }
        world.trace(process, () -> "its training ends: " + why);
        finish();
        if (world.hasSteps && !isClosing) {
            comeBackLater(world.restsUntil());
        } else {
            world.after(20 * MILLI + world.random.nextLong(300 * MILLI), () -> trainer.tellLoop(new ViewEvent.Leave()));
        }
    }

    private void finish() {
        isOver = true;
        calls.clear();
        trainer.finish();
    }

    /** An application that does something else for a while comes back after that, or when peace begins. */
    private void comeBackLater(long restsUntil) {
        world.after(
                20 * MILLI + world.random.nextLong(300 * MILLI),
                () -> process.deliver(() -> {
                    if (world.isFaulty() && world.now() < restsUntil) {
                        comeBackLater(restsUntil);
                    } else if (isOver && !isClosing && !process.isLeaving()) {
                        world.trace(process, () -> "comes back");
                        isOver = false;
                        endings.clear();
                        steps.interrupt();
                        trainer.comeBack();
                        callNext();
                    }
                }));
    }

    /** Ends after what is open. */
    void close() {
        if (!isClosing && !isOver) {
            isClosing = true;
            if (calls.isEmpty()) {
                leave();
            }
        }
    }

    private void leave() {
        if (world.hooks.leavesAbruptly()) {
            world.cluster.exit(process);
        } else {
            trainer.tellLoop(new ViewEvent.Leave());
        }
    }
}

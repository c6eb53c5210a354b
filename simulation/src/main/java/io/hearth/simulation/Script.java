package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.collective.GroupMachine;
import io.hearth.collective.GroupMachine.Event;
import io.hearth.collective.Refusal;
import io.hearth.collective.Signature;
import io.hearth.collective.Status;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.election.View;
import io.hearth.election.ViewMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The application of a trainer, as a user would write it: waits for its peers, calls a fixed count of collectives, its next one
 * once an earlier one ended, then leaves.
 */
final class Script {
    private static final Signature SIGNATURE = Signature.allReduce(ReduceOp.SUM, DataType.FLOAT32, 10, Signature.PLAIN);
    private static final long PATIENCE_NANOS = 10 * SECOND;

    private final NodeProcess process;
    private final World world;
    private final Trainer trainer;
    private final SortedMap<Long, Call> calls = new TreeMap<>();
    private final SortedMap<Long, Ending> endings = new TreeMap<>();
    private final List<Long> models = new ArrayList<>(List.of(0L)); // after so many numbers
    private long length;
    private boolean wantsToBegin;
    private boolean isClosing;
    private boolean isOver;

    /** A number that was called: its input stays until it ended. */
    record Call(View view, long value, long model) {}

    Script(NodeProcess process, Trainer trainer) {
        this.process = process;
        this.world = process.world;
        this.trainer = trainer;
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

    boolean isFinished() {
        return length > 0 && trainer.doneUpTo() >= length;
    }

    // ---- beginning

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

    // ---- at work

    void callNext() {
        GroupMachine.State state = trainer.state();
        View view = trainer.view().orElse(null);
        if (!wantsToBegin || isOver || isClosing || view == null || !process.isAlive()) {
            return;
        }
        if (state.next() > length) {
            if (calls.isEmpty() && world.endsJobs()) {
                close();
            }
            return;
        }
        if (state.next() - 1 - state.doneUpTo() >= world.depth) {
            return;
        }
        long number = state.next();
        long value = world.random.nextLong();
        long model = models.get((int) Math.min(models.size() - 1, Math.max(0, number - world.depth)));
        calls.put(number, new Call(view, value, model));
        world.results.called(process, number, value);
        world.trace(process, () -> "calls number " + number);
        trainer.call(SIGNATURE);
        world.after(world.deadlineNanos(), () -> process.deliver(() -> expire(number)));
        if (world.depth > 1) {
            callLater();
        }
    }

    private void callLater() {
        world.after(world.random.nextLong(30 * MILLI), () -> process.deliver(this::callNext));
    }

    /** A number ended here, with {@code sum} unless it was refused. */
    void ended(Status.Kept outcome, Optional<Frame.Sum> sum, View view) {
        long number = outcome.number();
        Call call = calls.remove(number);
        if (call == null) {
            return;
        }
        world.results.isTold(process, number, call.view(), view);
        var ending = new Ending(
                view.lineage(), outcome, sum, world.depth == 1 ? trainer.state().ranks() : List.of());
        endings.put(number, ending);
        world.tally.collective();
        world.trace(
                process,
                () -> "ends number " + number + " "
                        + sum.map(known -> "with " + known.contributors().size() + " contributors of group epoch "
                                        + known.groupEpoch())
                                .orElse("without a result"));
        for (Ending next = endings.get((long) models.size()); next != null; next = endings.get((long) models.size())) {
            models.add(31 * models.getLast() + next.sum().map(Frame.Sum::value).orElse(-1L));
        }
        world.results.ended(process, number, ending);
        if (isClosing && calls.isEmpty()) {
            world.after(0, () -> process.deliver(this::leave));
        }
        callLater();
    }

    // ---- ending

    private void expire(long number) {
        if (!calls.containsKey(number) || isOver || !world.hasDeadlines()) {
            return;
        }
        world.trace(process, () -> "number " + number + " did not end before its deadline");
        if (world.sabotage.goesOnAfterDeadline() && trainer.state().frozen().isEmpty()) {
            trainer.step(new Event.Refused(
                    number,
                    trainer.state().formation().fence(),
                    new Refusal(Refusal.Cause.PEER_LOST, "deadline of this member alone")));
            return;
        }
        finish();
        trainer.tellLoop(new ViewMachine.Event.Leave());
    }

    /** All open calls end with an error, and later ones too; before the first call it changes nothing. */
    void removed(String why) {
        if (trainer.state().next() > 1 && !isOver) {
            world.trace(process, () -> "its training ends: " + why);
            finish();
            world.after(
                    20 * MILLI + world.random.nextLong(300 * MILLI),
                    () -> trainer.tellLoop(new ViewMachine.Event.Leave()));
        }
    }

    private void finish() {
        isOver = true;
        calls.clear();
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
        if (world.sabotage.leavesAbruptly()) {
            world.cluster.exit(process);
        } else {
            trainer.tellLoop(new ViewMachine.Event.Leave());
        }
    }
}

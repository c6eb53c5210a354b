package io.hearth.simulation.trainer;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.collective.Signature;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.Status;
import io.hearth.election.View;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.simulation.call.Ending;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.setting.WorldSetting;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The application of a trainer, as a user would write it. It waits for its peers, calls a fixed number of collectives one after the
 * other, and leaves.
 */
public final class Script {
    private static final long PATIENCE_NANOS = 10 * SECOND;

    private final ProcessContext process;
    private final WorldSetting setting;
    private final Trainer trainer;
    private final SortedMap<Long, Call> calls = new TreeMap<>();
    private final SortedMap<Long, Ending> endings = new TreeMap<>();
    private final Steps steps;
    private long called;
    private long length;
    private boolean wantsToBegin;
    private boolean isClosing;
    private boolean isOver;

    /** An open call with its input. */
    record Call(Signature signature, View view, long value, long model) {
        boolean beginsStep() {
            return signature.kind() == Signature.Kind.BOUNDARY;
        }
    }

    Script(ProcessContext process, Trainer trainer) {
        this.process = process;
        this.setting = process.setting();
        this.trainer = trainer;
        this.steps = new Steps(process);
    }

    public Steps steps() {
        return steps;
    }

    public SortedMap<Long, Ending> endings() {
        return endings;
    }

    /** The open call of a number. */
    Optional<Call> call(long number) {
        return Optional.ofNullable(calls.get(number));
    }

    /** Whether an ended number was an agreement on a plan. */
    boolean wasAgreement(long number) {
        Ending known = endings.get(number);
        return known != null && known.asked().kind() == Signature.Kind.PLAN;
    }

    public boolean isOver() {
        return isOver;
    }

    boolean isClosing() {
        return isClosing;
    }

    /** Whether it began a step with all of its group since then, and can go on. */
    public boolean isInStep(View view, long since) {
        return trainer.state().broken().isEmpty()
                && steps.begunNanos() > since
                && endings.values().stream()
                        .filter(ending -> ending.beginsStep() && ending.sum().isPresent())
                        .reduce((_, newest) -> newest)
                        .flatMap(Ending::sum)
                        .filter(sum -> !isOver
                                && sum.fence().equals(trainer.state().layout().fence())
                                && sum.contributors().size()
                                        == view.group(process.host().group).size())
                        .isPresent();
    }

    public boolean isFinished() {
        return length > 0 && trainer.doneUpTo() >= length;
    }

    /** Begins once enough members are in the group. */
    void considerBeginning(int members) {
        if (!wantsToBegin && members >= process.surroundings().wanted(process.host().group) && setting.beginsJobs()) {
            work(setting.jobLength());
        }
    }

    /** Begins without its peers after a timeout. */
    public void beginAfterPatience(long nanos) {
        setting.after(
                Math.min(nanos, PATIENCE_NANOS),
                () -> process.deliver(() -> {
                    if (!wantsToBegin && setting.beginsJobs()) {
                        work(setting.jobLength());
                    }
                }));
    }

    /** Begins to call collectives; it closes after {@code count} of them. */
    public void work(long count) {
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
        if (setting.hasSteps ? called >= length && setting.endsJobs() : state.next() > length) {
            if (calls.isEmpty() && setting.endsJobs()) {
                close();
            }
            return;
        }
        if (state.next() >= Status.NUMBER_MAX) {
            close(); // as the error message advises
            return;
        }
        if (state.next() - 1 - state.doneUpTo() >= setting.depth) {
            return;
        }
        long number = state.next();
        if (trainer.subgroups().callsBefore(number)) {
            return;
        }
        steps.flip();
        var call = new Call(
                steps.next(number, setting.hooks.ranks(state)), view, setting.random.nextLong(), steps.model(number));
        called++;
        calls.put(number, call);
        process.trace(() -> (call.beginsStep() ? "begins a step with number " : "calls number ")
                + number
                + ", " + call.signature().text());
        trainer.call(call.signature());
        setting.after(setting.deadlineNanos(), () -> process.deliver(() -> expire(call)));
        if (setting.depth > 1) {
            callLater();
        }
    }

    /** Goes on after a while. */
    void callLater() {
        setting.after(setting.workNanos(), () -> process.deliver(this::callNext));
    }

    /** A number ended here, with {@code sum} unless it was rejected. */
    void ended(Status.Kept outcome, Optional<GroupFrame.Sum> sum, View view) {
        long number = outcome.number();
        Call call = calls.remove(number);
        if (call == null) {
            return;
        }
        if (!call.beginsStep()) {
            process.surroundings().results().isTold(process, number, call.view(), view);
        }
        var ending = new Ending(
                view.lineage(),
                call.signature(),
                outcome,
                sum,
                setting.depth == 1 ? trainer.state().ranks() : List.of());
        endings.put(number, ending);
        setting.statistics.collective();
        process.trace(() -> "ends number " + number + " "
                + sum.map(known -> "with " + known.contributors().size() + " contributors of group epoch "
                                + known.groupEpoch())
                        .orElse("without a result"));
        learn(call, ending);
        process.surroundings()
                .results()
                .ended(
                        process,
                        number,
                        ending,
                        endings,
                        trainer.state().layout().members());
        if (isClosing && calls.isEmpty()) {
            setting.after(0, () -> process.deliver(this::leave));
        }
        callLater();
    }

    private void learn(Call call, Ending ending) {
        if (call.beginsStep()) {
            ending.sum().ifPresent(agreed -> steps.begin(WorldSetting.text(ending.lineage()), agreed.value()));
            return;
        }
        if (setting.hasSteps) {
            steps.summed(ending.learned());
            return;
        }
        for (Ending next = endings.get(steps.numbers() + 1); next != null; next = endings.get(steps.numbers() + 1)) {
            steps.summed(next.learned());
        }
    }

    /** Renumbers the open beginning of a step for the lineage that the trainer entered. */
    void renumber(long from, long to) {
        Call call = calls.remove(from);
        if (call != null) {
            calls.put(to, call);
        }
        endings.clear();
        steps.interrupt();
        trainer.subgroups().end();
    }

    private void expire(Call call) {
        if (calls.containsValue(call) && !isOver && setting.hasDeadlines()) {
            calls.keySet().stream()
                    .filter(number -> call.equals(calls.get(number)))
                    .findFirst()
                    .ifPresent(this::expire);
        }
    }

    private void expire(long number) {
        process.trace(() -> "number " + number + " did not end before its deadline");
        if (!setting.hooks.keeps(ShellRule.ERROR_ENDS)
                && trainer.state().frozen().isEmpty()) {
            trainer.step(new Event.Rejected(
                    number,
                    trainer.state().layout().fence(),
                    new CallRejection(CallRejection.Cause.PEER_LOST, "deadline of this member alone")));
            return;
        }
        giveUp("a deadline passed");
    }

    /** The application gets an error that no other member gets. */
    void giveUp(String why) {
        giveUp(why, setting.restsUntil());
    }

    /** Like {@link #giveUp(String)}, and the application pauses until {@code restsUntil}. */
    public void giveUp(String why, long restsUntil) {
        process.trace(() -> "gives up: " + why);
        finish();
        boolean comesBack = setting.hasSteps && !isClosing && (!setting.isFaulty() || setting.random.nextInt(4) > 0);
        trainer.tellLoop(comesBack ? new ViewEvent.Resign() : new ViewEvent.Leave());
        if (comesBack) {
            comeBackLater(restsUntil);
        }
    }

    /** All open calls end with an error, as do later ones until a step begins. Before the first call nothing changes. */
    public void removed(String why) {
        if (trainer.state().next() == 1 || isOver) {
            return;
        }
        process.trace(() -> "its training ends: " + why);
        finish();
        if (setting.hasSteps && !isClosing) {
            comeBackLater(setting.restsUntil());
        } else {
            setting.after(
                    20 * MILLI + setting.random.nextLong(300 * MILLI), () -> trainer.tellLoop(new ViewEvent.Leave()));
        }
    }

    private void finish() {
        isOver = true;
        calls.clear();
        trainer.finish();
    }

    /** The application comes back after its pause, or when peace begins. */
    private void comeBackLater(long restsUntil) {
        setting.after(
                20 * MILLI + setting.random.nextLong(300 * MILLI),
                () -> process.deliver(() -> {
                    if (setting.isFaulty() && setting.now() < restsUntil) {
                        comeBackLater(restsUntil);
                    } else if (isOver && !isClosing && !process.isLeaving()) {
                        process.trace(() -> "comes back");
                        isOver = false;
                        endings.clear();
                        steps.interrupt();
                        trainer.comeBack();
                        callNext();
                    }
                }));
    }

    /** Leaves once all open calls have ended. */
    public void close() {
        if (!isClosing && !isOver) {
            isClosing = true;
            if (calls.isEmpty()) {
                leave();
            }
        }
    }

    private void leave() {
        if (!setting.hooks.keeps(ShellRule.ORDERLY_LEAVE)) {
            process.surroundings().exit(process);
        } else {
            trainer.tellLoop(new ViewEvent.Leave());
        }
    }
}

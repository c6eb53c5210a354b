package io.hearth.cli.chaos;

import io.hearth.cli.chaos.plan.ChaosBlow;
import io.hearth.cli.chaos.plan.ChaosBoard;
import io.hearth.cli.chaos.plan.ChaosEvent;
import io.hearth.cli.chaos.plan.ChaosJudge;
import io.hearth.cli.chaos.plan.ChaosKind;
import io.hearth.cli.chaos.plan.ChaosPlan;
import io.hearth.core.HearthException;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Workers that train together under faults. All runs with a training share this class. */
final class ChaosTraining {
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** A worker that was removed several times waits up to 60 s before it is admitted again. */
    private static final long WHOLE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ChaosStage stage;
    private final int hosts;
    private final Consumer<String> say;
    private final ChaosJudge judge;
    private final ChaosBoard board;
    private final Set<Integer> ended = new TreeSet<>();
    private final Set<Integer> outside = new TreeSet<>();

    ChaosTraining(ChaosStage stage, int hosts, Consumer<String> say) {
        this.stage = stage;
        this.hosts = hosts;
        this.say = say;
        this.judge = new ChaosJudge(hosts);
        this.board = new ChaosBoard(hosts);
    }

    ChaosJudge judge() {
        return judge;
    }

    /** Hosts that were removed since the training began. After the next removal, such a host waits longer until it is admitted. */
    Set<Integer> outside() {
        return Set.copyOf(outside);
    }

    /** The host of each rank. */
    List<Integer> hostOfRank() {
        return IntStream.range(0, hosts).mapToObj(board::hostOf).toList();
    }

    /**
     * Starts workers with empty homes; none may be running.
     *
     * @throws HearthException the workers did not form one group in time
     */
    void start() throws HearthException, InterruptedException {
        long sinceNanos = System.nanoTime();
        outside.clear();
        stage.freshHomes();
        for (int host = 0; host < hosts; host++) {
            board.gone(host);
            stage.start(host);
        }
        if (!listen(START_NANOS, () -> board.isWhole(sinceNanos))) {
            throw new HearthException("the workers did not train together within "
                    + TimeUnit.NANOSECONDS.toSeconds(START_NANOS) + " s: " + board.missing(sinceNanos)
                    + "; is this machine very busy? --logs FOLDER keeps their output");
        }
        say.accept(hosts + " hosts train together");
    }

    /**
     * Performs an act. The cluster is whole before it and, if all goes well, after it.
     *
     * @param hostOf the host for each number in the act
     * @return nanoseconds from the last healing until all workers were members; empty if that did not happen, which the judge counts as a hang
     */
    OptionalLong perform(ChaosPlan.Act act, List<Integer> hostOf) throws HearthException, InterruptedException {
        long beginNanos = System.nanoTime();
        for (ChaosPlan.Move move : act.moves()) {
            listen(beginNanos + move.afterNanos() - System.nanoTime(), () -> false);
            perform(act, move, hostOf);
        }
        long healedNanos = System.nanoTime();
        return listen(WHOLE_NANOS, () -> board.isWhole(healedNanos))
                ? OptionalLong.of(System.nanoTime() - healedNanos)
                : notWhole(healedNanos);
    }

    private void perform(ChaosPlan.Act act, ChaosPlan.Move move, List<Integer> hostOf)
            throws HearthException, InterruptedException {
        ChaosPlan.Fault fault = move.fault();
        List<List<Integer>> sides = fault.sides().stream()
                .map(side -> side.stream().map(hostOf::get).toList())
                .toList();
        say.accept((move.heals() ? "healed " : "struck ") + fault.text() + " " + sides);
        if (move.heals()) {
            judge.healed(System.nanoTime());
            stage.heal(fault.kind(), sides);
            if (fault.kind() == ChaosKind.DISK) {
                outside.removeAll(sides.getFirst()); // its worker has a new identity now
            }
            return;
        }
        var onward = act.onward().stream().map(hostOf::get).collect(Collectors.toCollection(TreeSet::new));
        var struck = new TreeSet<Integer>();
        if (fault.kind() != ChaosKind.SWITCH) { // it strikes no single host
            struck.addAll(fault.kind().isSplit() ? hostOf : sides.getFirst());
            struck.removeAll(onward);
        }
        long atNanos = System.nanoTime();
        stage.strike(fault.kind(), sides);
        if (stage.isGone(sides.getFirst().getFirst())) {
            board.gone(sides.getFirst().getFirst());
        }
        var blow = new ChaosBlow(fault.kind(), fault.text(), atNanos, struck, onward, act.isMeasured());
        if (blow.costsMembership()) {
            outside.addAll(struck);
        }
        judge.struck(blow);
    }

    private OptionalLong notWhole(long healedNanos) {
        String what = TimeUnit.NANOSECONDS.toSeconds(WHOLE_NANOS)
                + " s after the last healing the group was not complete: " + board.missing(healedNanos);
        judge.hang(what);
        say.accept(what);
        return OptionalLong.empty();
    }

    /** Ends all workers and starts a new training. */
    void restart() throws HearthException, InterruptedException {
        stage.endAll();
        judge.restarted();
        start();
    }

    /** Makes each worker write the stacks of its threads, for the search for the cause. */
    void dumpThreads() throws HearthException, InterruptedException {
        stage.dumpThreads();
        rest(TimeUnit.SECONDS.toNanos(1));
    }

    /** Stops the training. All workers end after the same step and must have the same weights. */
    void stop() throws HearthException, InterruptedException {
        stage.tellToStop();
        if (!listen(END_NANOS, () -> ended.size() == hosts)) {
            var left = IntStream.range(0, hosts)
                    .filter(host -> !ended.contains(host))
                    .boxed()
                    .toList();
            judge.hang("hosts " + left + " did not end within " + TimeUnit.NANOSECONDS.toSeconds(END_NANOS)
                    + " s after the run stopped them");
            stage.dumpThreads();
        }
    }

    /** Lets the training go on for {@code nanos}. */
    void rest(long nanos) throws HearthException, InterruptedException {
        listen(nanos, () -> false);
    }

    private boolean listen(long nanosMax, BooleanSupplier isReached) throws HearthException, InterruptedException {
        return stage.listen(this::note, System.nanoTime() + nanosMax, isReached);
    }

    private void note(int host, ChaosEvent event) {
        board.note(host, event);
        judge.note(host, event);
        switch (event) {
            case ChaosEvent.Ended _ -> ended.add(host);
            case ChaosEvent.Failed failed -> say.accept("host " + host + ": " + failed.why());
            case ChaosEvent.Removed removed -> {
                outside.add(host);
                say.accept("host " + host + ": " + removed.why());
            }
            case ChaosEvent.Begun _, ChaosEvent.Summed _ -> {}
        }
    }
}

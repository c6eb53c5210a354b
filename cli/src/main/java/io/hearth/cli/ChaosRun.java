package io.hearth.cli;

import io.hearth.core.HearthException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A training that is struck act by act, as a {@link ChaosPlan} says, for as long as it was given; then all must end alike. */
final class ChaosRun {
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** Somebody who was removed often waits up to 60 s outside. */
    private static final long WHOLE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ChaosStage stage;
    private final int hosts;
    private final ChaosPlan plan;
    private final Consumer<String> say;
    private final ChaosJudge judge;
    private final ChaosBoard board;
    private final Set<Integer> ended = new TreeSet<>();

    ChaosRun(ChaosStage stage, int hosts, long seed, Consumer<String> say) {
        this.stage = stage;
        this.hosts = hosts;
        this.plan = new ChaosPlan(seed, hosts);
        this.say = say;
        this.judge = new ChaosJudge(hosts);
        this.board = new ChaosBoard(hosts);
    }

    ChaosReport run(Duration duration) throws HearthException, InterruptedException {
        start();
        long endNanos = System.nanoTime() + duration.toNanos();
        while (endNanos - System.nanoTime() > 0) {
            perform(plan.next());
        }
        stop();
        return judge.report();
    }

    private void start() throws HearthException, InterruptedException {
        long sinceNanos = System.nanoTime();
        stage.freshHomes();
        for (int host = 0; host < hosts; host++) {
            board.gone(host);
            stage.start(host);
        }
        if (!listen(START_NANOS, () -> board.isWhole(sinceNanos))) {
            throw new HearthException("the workers did not train together within "
                    + TimeUnit.NANOSECONDS.toSeconds(START_NANOS) + " s: " + board.missing(sinceNanos)
                    + "; is this machine very busy? --logs FOLDER keeps what they wrote");
        }
        say.accept(hosts + " hosts train together");
    }

    /** From a whole cluster to a whole cluster. */
    private void perform(ChaosPlan.Act act) throws HearthException, InterruptedException {
        listen(act.waitNanos(), () -> false);
        List<Integer> hostOfRank =
                IntStream.range(0, hosts).mapToObj(board::hostOf).toList();
        long beginNanos = System.nanoTime();
        for (ChaosPlan.Move move : act.moves()) {
            listen(beginNanos + move.afterNanos() - System.nanoTime(), () -> false);
            perform(act, move, hostOfRank);
        }
        long healedNanos = System.nanoTime();
        boolean isWhole = listen(WHOLE_NANOS, () -> board.isWhole(healedNanos));
        judge.settle();
        if (isWhole) {
            say.accept(String.format(
                    Locale.ROOT,
                    "whole again %.1f s after the last healing, step %d",
                    (System.nanoTime() - healedNanos) / 1e9,
                    judge.report().steps()));
        } else {
            startAnew(healedNanos);
        }
    }

    private void perform(ChaosPlan.Act act, ChaosPlan.Move move, List<Integer> hostOfRank)
            throws HearthException, InterruptedException {
        ChaosPlan.Fault fault = move.fault();
        List<List<Integer>> sides = fault.sides().stream()
                .map(side -> side.stream().map(hostOfRank::get).toList())
                .toList();
        say.accept((move.heals() ? "healed " : "struck ") + fault.text() + " " + sides);
        if (move.heals()) {
            stage.heal(fault.kind(), sides);
            return;
        }
        var onward = act.onward().stream().map(hostOfRank::get).collect(Collectors.toCollection(TreeSet::new));
        var struck = new TreeSet<Integer>(fault.kind().isSplit() ? hostOfRank : sides.getFirst());
        struck.removeAll(onward);
        long atNanos = System.nanoTime();
        stage.strike(fault.kind(), sides);
        if (stage.isGone(sides.getFirst().getFirst())) {
            board.gone(sides.getFirst().getFirst());
        }
        judge.struck(new ChaosBlow(fault.kind(), fault.text(), atNanos, struck, onward, act.isMeasured()));
    }

    /** Somebody does not come back: that is told, and the rest of the time goes on with a new training. */
    private void startAnew(long healedNanos) throws HearthException, InterruptedException {
        String what = TimeUnit.NANOSECONDS.toSeconds(WHOLE_NANOS)
                + " s after all was healed there was no group of all: " + board.missing(healedNanos);
        judge.hang(what);
        say.accept(what);
        stage.dumpThreads();
        listen(TimeUnit.SECONDS.toNanos(1), () -> false);
        stage.endAll();
        judge.startedAnew();
        start();
    }

    private void stop() throws HearthException, InterruptedException {
        stage.tellToStop();
        if (!listen(END_NANOS, () -> ended.size() == hosts)) {
            var left = IntStream.range(0, hosts)
                    .filter(host -> !ended.contains(host))
                    .boxed()
                    .toList();
            judge.hang("hosts " + left + " did not end within " + TimeUnit.NANOSECONDS.toSeconds(END_NANOS)
                    + " s after they were told to");
            stage.dumpThreads();
        }
    }

    private boolean listen(long patienceNanos, BooleanSupplier isReached) throws HearthException, InterruptedException {
        return stage.listen(this::note, System.nanoTime() + patienceNanos, isReached);
    }

    private void note(int host, ChaosEvent event) {
        board.note(host, event);
        judge.note(host, event);
        switch (event) {
            case ChaosEvent.Ended _ -> ended.add(host);
            case ChaosEvent.Failed failed -> say.accept("host " + host + ": " + failed.why());
            case ChaosEvent.Removed removed -> say.accept("host " + host + ": " + removed.why());
            case ChaosEvent.Begun _, ChaosEvent.Summed _ -> {}
        }
    }
}

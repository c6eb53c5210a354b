package io.hearth.cli.chaos;

import io.hearth.cli.chaos.plan.ChaosBlow;
import io.hearth.cli.chaos.plan.ChaosJudge;
import io.hearth.cli.chaos.plan.ChaosKind;
import io.hearth.cli.chaos.plan.ChaosReport;
import io.hearth.cli.chaos.plan.ChaosRound;
import io.hearth.core.HearthException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Repeats one kind of fault and measures it: a group sums large vectors, one fault strikes a worker at a random moment, and the judge takes the time until all other workers have their next sum.
 *
 * <p>The workers stay from round to round. Only the struck worker is started again, with a new identity, and must be in the group before the next fault. So the measured workers run compiled code, unless they were struck in the round before.
 */
final class ChaosSeries implements ChaosPlay {
    /** Number of hosts if the user sets none. */
    static final int HOSTS_DEFAULT = 3;

    private static final int WARM_SUMS = 10; // the first sums are slow: Java still compiles
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(90);
    private static final long DECISION_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ChaosStage stage;
    private final int hosts;
    private final ChaosKind kind;
    private final SplittableRandom random;
    private final Consumer<String> say;
    private final ChaosJudge judge;
    private final int count;
    private OptionalInt lost = OptionalInt.empty(); // the host that the last round struck, until the next one

    /** @param kind silent, killed, master or pause */
    ChaosSeries(ChaosStage stage, int hosts, ChaosKind kind, long seed, int count, Consumer<String> say) {
        this.stage = stage;
        this.count = count;
        this.hosts = hosts;
        this.judge = new ChaosJudge(hosts);
        this.kind = kind;
        this.random = new SplittableRandom(seed);
        this.say = say;
    }

    @Override
    public void play() throws HearthException, InterruptedException {
        startAll();
        for (int i = 1; i <= count; i++) {
            long beginNanos = System.nanoTime();
            String outcome = round();
            long tookNanos = System.nanoTime() - beginNanos;
            judge.took(tookNanos);
            say.accept(String.format(Locale.ROOT, "%d of %d: %s (%.1f s)", i, count, outcome, tookNanos / 1e9));
        }
    }

    @Override
    public ChaosReport report() {
        return judge.report();
    }

    /** Ends all workers and starts them again with empty homes. */
    private void startAll() throws HearthException, InterruptedException {
        stage.endAll();
        stage.freshHomes();
        for (int host = 0; host < hosts; host++) {
            stage.start(host);
        }
        var start = new ChaosRound(hosts);
        awaitWarm(start, System.nanoTime());
        say.accept(hosts + " hosts sum together");
    }

    private void awaitWarm(ChaosRound round, long sinceNanos) throws HearthException, InterruptedException {
        if (!stage.listen(round::note, sinceNanos + START_NANOS, () -> round.isWarm(sinceNanos, WARM_SUMS))) {
            throw new HearthException(hosts + " workers did not sum together within "
                    + TimeUnit.NANOSECONDS.toSeconds(START_NANOS) + " s; is this machine very busy?");
        }
    }

    private String round() throws HearthException, InterruptedException {
        var round = new ChaosRound(hosts);
        long beginNanos = System.nanoTime();
        if (lost.isPresent()) {
            stage.mend(kind, lost.getAsInt());
            lost = OptionalInt.empty();
        }
        awaitWarm(round, beginNanos);
        stage.listen(round::note, System.nanoTime() + random.nextLong(PAUSE_NANOS), () -> false);
        ChaosBlow blow = strike(round);
        boolean isDecided = stage.listen(round::note, blow.atNanos() + DECISION_NANOS, () -> round.isDecided(blow));
        ChaosRound.Outcome outcome = round.outcome(blow);
        judge.add(outcome);
        if (!isDecided) {
            stage.dumpThreads();
            judge.hang("after " + blow.text() + " of host " + hostOf(blow) + " at least one other host had no sum for "
                    + TimeUnit.NANOSECONDS.toSeconds(DECISION_NANOS) + " s");
            startAll();
        } else if (kind != ChaosKind.PAUSE || outcome.isRemoved()) {
            lost = OptionalInt.of(hostOf(blow));
        }
        return text(blow, outcome, isDecided);
    }

    private ChaosBlow strike(ChaosRound round) throws HearthException, InterruptedException {
        int rank = switch (kind) {
            case MASTER -> 0;
            case KILLED -> 1 + random.nextInt(hosts - 1);
            case SILENT, PAUSE -> random.nextInt(hosts);
            case SLEEP, PARTITION, SHATTER, SWITCH, MUTE, DEAF, AWAY, DISK, PROCESS ->
                throw new AssertionError(kind + " is not for a series");
        };
        int host = round.hostOf(rank);
        var onward = new TreeSet<>(IntStream.range(0, hosts).boxed().toList());
        onward.remove(host);
        long atNanos = System.nanoTime();
        stage.strike(kind, List.of(List.of(host)));
        var blow = new ChaosBlow(kind, kind.text(), atNanos, Set.of(host), onward, true);
        if (kind == ChaosKind.PAUSE) {
            stage.listen(round::note, atNanos + PAUSE_NANOS, () -> false);
            stage.heal(kind, List.of(List.of(host)));
        }
        return blow;
    }

    private static int hostOf(ChaosBlow blow) {
        return blow.struck().iterator().next();
    }

    private static String text(ChaosBlow blow, ChaosRound.Outcome outcome, boolean isDecided) {
        String who = blow.text() + " of host " + hostOf(blow) + ", ";
        if (!isDecided) {
            return who + "no further sum";
        }
        if (outcome.recoveryNanos().isEmpty()) {
            return who + (outcome.isRemoved() ? "removed" : "no host was removed");
        }
        return String.format(
                Locale.ROOT,
                "%snext sum after %.0f ms (one every %.0f ms before)",
                who,
                outcome.recoveryNanos().getAsLong() / 1e6,
                outcome.usualNanos() / 1e6);
    }
}

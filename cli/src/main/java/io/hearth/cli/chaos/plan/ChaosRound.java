package io.hearth.cli.chaos.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** One round of a series: a group that sums, one fault, and its effects. It has no clock: all times come with the events. */
public final class ChaosRound {
    private static final long WATCH_NANOS = 2_000_000_000L; // a removal would show within this time

    /**
     * The result of a round.
     *
     * @param sums number of completed sums
     * @param usualNanos time between two sums before the fault, the median over the hosts that go on
     * @param recoveryNanos from the fault until all other hosts had a sum without the lost host
     * @param isRemoved whether a worker was removed that was paused for a second
     * @param divergence description of a wrong sum; empty if there was none
     */
    public record Outcome(
            ChaosBlow blow,
            long sums,
            long usualNanos,
            OptionalLong recoveryNanos,
            boolean isRemoved,
            Optional<String> divergence) {}

    private final int hosts;
    private final ChaosBoard board;
    private final List<List<ChaosEvent.Summed>> sums = new ArrayList<>();
    private final List<Boolean> isRemoved = new ArrayList<>();

    public ChaosRound(int hosts) {
        this.hosts = hosts;
        this.board = new ChaosBoard(hosts);
        for (int host = 0; host < hosts; host++) {
            sums.add(new ArrayList<>());
            isRemoved.add(false);
        }
    }

    public void note(int host, ChaosEvent event) {
        board.note(host, event);
        switch (event) {
            case ChaosEvent.Summed summed -> sums.get(host).add(summed);
            case ChaosEvent.Removed _ -> isRemoved.set(host, true);
            case ChaosEvent.Begun _, ChaosEvent.Failed _, ChaosEvent.Ended _ -> {}
        }
    }

    /** Whether all workers are in one group and each has completed {@code sumsLeast} sums. */
    public boolean isWarm(long startNanos, int sumsLeast) {
        return board.isWhole(startNanos) && sums.stream().allMatch(list -> list.size() >= sumsLeast);
    }

    public int hostOf(int rank) {
        return board.hostOf(rank);
    }

    /** Whether the outcome of the round is decided. */
    public boolean isDecided(ChaosBlow blow) {
        return blow.kind() == ChaosKind.PAUSE
                ? isRemoved(blow) || isSumAfter(blow.atNanos() + WATCH_NANOS)
                : recovery(blow).isPresent();
    }

    private boolean isSumAfter(long nanos) {
        return sums.stream().allMatch(list -> !list.isEmpty() && list.getLast().at() - nanos > 0);
    }

    public Outcome outcome(ChaosBlow blow) {
        return new Outcome(
                blow,
                blow.onward().stream()
                        .mapToLong(host -> sums.get(host).size())
                        .max()
                        .orElse(0),
                usualNanos(blow),
                blow.kind() == ChaosKind.PAUSE ? OptionalLong.empty() : recovery(blow),
                blow.kind() == ChaosKind.PAUSE && isRemoved(blow),
                divergence(blow));
    }

    private long usualNanos(ChaosBlow blow) {
        var spans = new ArrayList<Long>();
        for (int host : blow.onward()) {
            List<ChaosEvent.Summed> of = sums.get(host);
            for (int i = Math.max(1, of.size() / 2); i < of.size() && of.get(i).at() - blow.atNanos() < 0; i++) {
                spans.add(of.get(i).at() - of.get(i - 1).at());
            }
        }
        spans.sort(null);
        return spans.isEmpty() ? 0 : spans.get(spans.size() / 2);
    }

    private OptionalLong recovery(ChaosBlow blow) {
        long last = 0;
        for (int host : blow.onward()) {
            Optional<ChaosEvent.Summed> first = sums.get(host).stream()
                    .filter(sum -> sum.at() - blow.atNanos() > 0
                            && sum.contributors() <= hosts - blow.struck().size())
                    .findFirst();
            if (first.isEmpty()) {
                return OptionalLong.empty();
            }
            last = Math.max(last, first.get().at() - blow.atNanos());
        }
        return OptionalLong.of(last);
    }

    private boolean isRemoved(ChaosBlow blow) {
        return IntStream.range(0, hosts)
                .anyMatch(host -> isRemoved.get(host)
                        || sums.get(host).stream()
                                .anyMatch(sum -> sum.at() - blow.atNanos() > 0 && sum.contributors() < hosts));
    }

    /** Compares the sums of the hosts that go on, which must be equal. The last sum of the lost host does not count, because the others may have repeated it without that host. */
    private Optional<String> divergence(ChaosBlow blow) {
        var states = new TreeMap<Long, String>();
        for (int host = 0; host < hosts; host++) {
            for (ChaosEvent.Summed sum : sums.get(host)) {
                if (sum.state().equals(ChaosEvent.WRONG)) {
                    return Optional.of("host " + host + " got a wrong sum as number " + sum.number());
                }
                if (blow.costsMembership() && !blow.onward().contains(host)) {
                    continue;
                }
                String known = states.putIfAbsent(sum.number(), sum.state());
                if (known != null && !known.equals(sum.state())) {
                    return Optional.of("number " + sum.number() + " is " + sum.state() + " on host " + host + " and "
                            + known + " on another");
                }
            }
        }
        return Optional.empty();
    }
}

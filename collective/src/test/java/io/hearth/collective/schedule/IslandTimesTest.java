package io.hearth.collective.schedule;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long sums of islands take, in virtual time, compared with the bound that the slow link sets. */
final class IslandTimesTest {
    private static final int SEGMENT = 128 * 1024;
    private static final double FAST = 1 / 8.0; // 1 Gbit/s in bytes per nanosecond
    private static final double FAST_NANOS = 100_000;
    private static final double MIB = 1024 * 1024;

    /** One port of each sender into its island and one out of it, each with a rate, a latency, and a buffer of two segments. */
    private static final class Timed {
        private final List<Schedule> schedules;
        private final Islands islands;
        private final double slow;
        private final double slowNanos;
        private final Transfer transfer = new Transfer();
        private final List<List<List<Double>>> arrivals = new ArrayList<>(); // by sender and receiver
        private final int[][] taken;
        private final double[][] receivedNanos;
        private final int[] received;
        private final int[] sent;
        private final double[] senderNanos;
        private final double[][] portNanos; // by sender, inside its island and out of it

        Timed(List<Schedule> schedules, Islands islands, double slow, double slowNanos) {
            int world = schedules.size();
            this.schedules = schedules;
            this.islands = islands;
            this.slow = slow;
            this.slowNanos = slowNanos;
            taken = new int[world][world];
            portNanos = new double[world][2];
            received = new int[world];
            sent = new int[world];
            senderNanos = new double[world];
            receivedNanos = new double[world][];
            for (int position = 0; position < world; position++) {
                receivedNanos[position] =
                        new double[(int) schedules.get(position).receives() + 1];
                List<List<Double>> out = new ArrayList<>();
                for (int to = 0; to < world; to++) {
                    out.add(new ArrayList<>());
                }
                arrivals.add(out);
            }
        }

        /** The time at which all are through. */
        double play() {
            boolean moved = true;
            while (moved) {
                moved = false;
                for (int position = 0; position < schedules.size(); position++) {
                    moved |= receive(position);
                    moved |= send(position);
                }
            }
            double last = 0;
            for (int position = 0; position < schedules.size(); position++) {
                assertTrue(received[position] == schedules.get(position).receives(), "all are through");
                last = Math.max(last, receivedNanos[position][received[position]]);
            }
            return last;
        }

        private boolean send(int position) {
            Schedule schedule = schedules.get(position);
            if (sent[position] == schedule.sends()) {
                return false;
            }
            schedule.send(sent[position], transfer);
            if (transfer.after() > received[position]) {
                return false;
            }
            int to = transfer.peer();
            boolean isInside = islands.leader(position) == islands.leader(to);
            double rate = isInside ? FAST : slow;
            double begins = Math.max(senderNanos[position], receivedNanos[position][(int) transfer.after()]);
            int port = isInside ? 0 : 1;
            double ends = Math.max(begins, portNanos[position][port]) + transfer.length() / rate;
            portNanos[position][port] = ends;
            senderNanos[position] = Math.max(begins, ends - 2 * SEGMENT / rate);
            arrivals.get(position).get(to).add(ends + (isInside ? FAST_NANOS : slowNanos));
            sent[position]++;
            return true;
        }

        private boolean receive(int position) {
            Schedule schedule = schedules.get(position);
            if (received[position] == schedule.receives()) {
                return false;
            }
            schedule.receive(received[position], transfer);
            int from = transfer.peer();
            List<Double> stream = arrivals.get(from).get(position);
            if (taken[from][position] == stream.size()) {
                return false;
            }
            double arrival = stream.get(taken[from][position]++);
            int next = ++received[position];
            receivedNanos[position][next] = Math.max(receivedNanos[position][next - 1], arrival);
            return true;
        }
    }

    private static double nanos(Islands islands, long count, double slow, double slowNanos) {
        Shares shares = Shares.equal(count, islands.count());
        List<Schedule> schedules = IntStream.range(0, islands.world())
                .<Schedule>mapToObj(position -> new IslandAllReduce(position, islands, shares, 4, SEGMENT))
                .toList();
        return new Timed(schedules, islands, slow, slowNanos).play();
    }

    /** Between islands, each link carries 2 (k - 1) / k of the buffer in each direction: contributions out, and results. */
    @ParameterizedTest
    @CsvSource({"2,2,100,20", "2,4,100,20", "3,2,100,20", "2,2,500,20", "2,2,100,80", "4,1,100,20", "2,2,1000,0.1"})
    void theLinksBetweenIslandsAreBusyAllTheTime(int sites, int hosts, int megabits, double millis) {
        Islands islands = Islands.byPlace(
                IntStream.range(0, sites * hosts).mapToObj(host -> host / hosts).toList());
        double slow = megabits / 8000.0;
        double bound = 64 * MIB * 2 * (sites - 1) / sites / slow;
        double took = nanos(islands, (long) (64 * MIB / 4), slow, millis * 1e6);
        assertTrue(took * 0.9 <= bound, () -> "took " + took + " ns, bound " + bound);
        assertTrue(took >= bound, "no faster than the link");
    }

    @Test
    void aSmallSumWaitsForTheNoteAndTwoHopsBetweenIslands() {
        Islands islands = Islands.byPlace(List.of("a", "a", "b", "b"));
        double took = nanos(islands, 16, 1, 20e6);
        assertTrue(took >= 60e6 && took < 61e6, () -> "took " + took + " ns");
    }
}

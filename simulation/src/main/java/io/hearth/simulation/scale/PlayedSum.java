package io.hearth.simulation.scale;

import io.hearth.collective.schedule.Schedule;
import io.hearth.collective.schedule.Transfer;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Plays the schedules of all ranks in virtual time.
 *
 * <p>Each rank has a thread that sends and one that receives, each in the order of its schedule. A segment passes the places of its path in
 * order; a place serves one segment after the other, and the next place begins with a segment when its first byte arrives. A sender goes on
 * once its stream has less than two segments to deliver, as with a socket's buffer, and needs some time for each message.
 */
final class PlayedSum {
    private static final double SECOND = 1e9; // in nanoseconds

    private final GeneratedNetwork network;
    private final List<Schedule> schedules;
    private final int[] ranks; // by position
    private final int segmentBytes;
    private final double messageNanos;
    private final Transfer transfer = new Transfer();
    private final double[] placeNanos; // when it has served all that came
    private final long[] sent;
    private final long[] received;
    private final boolean[] waits; // for a segment, before its next send
    private final int[][] arrived; // by receiver and sender: segments that came and were not taken
    private final PriorityQueue<Happening> queue = new PriorityQueue<>();
    private final double[] senderNanos; // when the thread that sends goes on
    private long order;
    private double lastNanos;

    /** A segment arrives at a position, or ({@code from} is -1) a position may send. */
    private record Happening(double atNanos, long order, int position, int from) implements Comparable<Happening> {
        @Override
        public int compareTo(Happening other) {
            int byTime = Double.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    /**
     * A sum that has not begun.
     *
     * @param schedules by position
     * @param ranks of the positions
     * @param messageNanos processor time for each message
     */
    PlayedSum(
            GeneratedNetwork network,
            List<Schedule> schedules,
            List<Integer> ranks,
            int segmentBytes,
            double messageNanos) {
        int world = schedules.size();
        this.network = network;
        this.schedules = List.copyOf(schedules);
        this.ranks = ranks.stream().mapToInt(Integer::intValue).toArray();
        this.segmentBytes = segmentBytes;
        this.messageNanos = messageNanos;
        placeNanos = new double[network.places()];
        sent = new long[world];
        received = new long[world];
        waits = new boolean[world];
        arrived = new int[world][world];
        senderNanos = new double[world];
    }

    /** Plays to the end; returns the time at which the last rank is through. */
    double nanos() {
        for (int position = 0; position < sent.length; position++) {
            add(0, position, -1);
        }
        while (!queue.isEmpty()) {
            Happening next = queue.remove();
            lastNanos = next.atNanos();
            if (next.from() < 0) {
                send(next.position(), next.atNanos());
            } else {
                arrived[next.position()][next.from()]++;
                receive(next.position(), next.atNanos());
            }
        }
        for (int position = 0; position < sent.length; position++) {
            Schedule schedule = schedules.get(position);
            if (sent[position] != schedule.sends() || received[position] != schedule.receives()) {
                throw new IllegalStateException("position " + position + " never ends: " + sent[position] + " of "
                        + schedule.sends() + " sends, " + received[position] + " of " + schedule.receives()
                        + " receives");
            }
        }
        return lastNanos;
    }

    /** Messages of the rank that sends most. */
    long messagesMax() {
        return Arrays.stream(sent).max().orElse(0);
    }

    /** Bytes of the rank that sends most. */
    long bytesMax() {
        return schedules.stream().mapToLong(Schedule::bytesSent).max().orElse(0);
    }

    /** Bytes of all ranks. */
    long bytesOfAll() {
        return schedules.stream().mapToLong(Schedule::bytesSent).sum();
    }

    private void add(double atNanos, int position, int from) {
        queue.add(new Happening(atNanos, order++, position, from));
    }

    private void send(int position, double now) {
        Schedule schedule = schedules.get(position);
        if (sent[position] == schedule.sends()) {
            return;
        }
        schedule.send(sent[position], transfer);
        if (transfer.after() > received[position]) {
            waits[position] = true;
            return;
        }
        int to = transfer.peer();
        double begins = now + messageNanos;
        double starts = begins;
        double ends = begins;
        double slowest = Double.MAX_VALUE;
        for (int place : network.path(ranks[position], ranks[to])) {
            double rate = network.rate(place);
            slowest = Math.min(slowest, rate);
            starts = Math.max(starts, placeNanos[place]);
            ends = Math.max(ends, starts + transfer.length() / rate * SECOND);
            placeNanos[place] = Math.max(placeNanos[place], starts) + transfer.length() / rate * SECOND;
        }
        sent[position]++;
        add(ends + network.latencyNanos(ranks[position], ranks[to]), to, position);
        senderNanos[position] = Math.max(begins, ends - 2.0 * segmentBytes / slowest * SECOND);
        add(senderNanos[position], position, -1);
    }

    private void receive(int position, double now) {
        Schedule schedule = schedules.get(position);
        while (received[position] < schedule.receives()) {
            schedule.receive(received[position], transfer);
            if (arrived[position][transfer.peer()] == 0) {
                break;
            }
            arrived[position][transfer.peer()]--;
            received[position]++;
        }
        if (waits[position]) {
            waits[position] = false;
            add(Math.max(now, senderNanos[position]), position, -1);
        }
    }
}

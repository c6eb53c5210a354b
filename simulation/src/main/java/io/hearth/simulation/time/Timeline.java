package io.hearth.simulation.time;

import java.util.PriorityQueue;

/** Virtual time: a queue of tasks by instant; tasks of one instant run in the order in which they were planned. */
public final class Timeline {
    public static final long MICRO = 1_000L;
    public static final long MILLI = 1_000 * MICRO;
    public static final long SECOND = 1_000 * MILLI;

    /** Has its own compareTo, because a chain of comparators took an eighth of a world's run time. */
    private record Happening(long atNanos, long order, Runnable what) implements Comparable<Happening> {
        @Override
        public int compareTo(Happening other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Happening> queue = new PriorityQueue<>();
    private long order;
    private long now;

    public long now() {
        return now;
    }

    public void after(long delayNanos, Runnable what) {
        queue.add(new Happening(now + delayNanos, order++, what));
    }

    /** Runs all tasks that are due by then. */
    public void runUntil(long instant) {
        while (!queue.isEmpty() && queue.peek().atNanos() <= instant) {
            Happening next = queue.remove();
            now = next.atNanos();
            next.what().run();
        }
        now = instant;
    }
}

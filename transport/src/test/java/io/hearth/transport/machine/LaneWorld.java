package io.hearth.transport.machine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeSet;

/**
 * A sender and a receiver over virtual lanes in virtual time. A lane is a TCP connection over a link of a fixed rate: it has a buffer, keeps
 * the order, stands still while its path is cut, and loses what is under way when the connection breaks.
 */
final class LaneWorld {
    static final long MILLI = 1_000_000L;
    private static final int BUFFER_BYTES = 256 * 1024;
    private static final int ACK_BYTES = 100;

    private record Event(long atNanos, long number, Runnable action) {}

    /** One lane. */
    final class Wire {
        private final int lane;
        private final double bytesPerSecond;
        private final long delayNanos;
        private int connection;
        private boolean open;
        private boolean cut;
        private long freeNanos; // the link is busy until then
        private long buffered;
        private final List<Runnable> held = new ArrayList<>(); // arrive after the cut
        long delivered; // bytes, copies included

        private Wire(int lane, double bytesPerSecond, long delayNanos) {
            this.lane = lane;
            this.bytesPerSecond = bytesPerSecond;
            this.delayNanos = delayNanos;
        }

        void open() {
            connection++;
            open = true;
            buffered = 0;
            freeNanos = now;
            receiver.joined(lane);
            sender.joined(lane, now);
        }

        void breakDown() {
            if (open) {
                open = false;
                held.clear();
                receiver.lost(lane);
                sender.lost(lane, "broken", now);
            }
        }

        void cut(boolean silent) {
            cut = silent;
            if (!silent) {
                List<Runnable> late = List.copyOf(held);
                held.clear();
                late.forEach(Runnable::run);
            }
        }

        boolean works() {
            return open && !cut;
        }

        private void write() {
            while (open && buffered < BUFFER_BYTES) {
                long sequence = sender.take(lane, now);
                if (sequence < 0) {
                    return;
                }
                int bytes = lengths[LaneSender.place(sequence)];
                buffered += bytes;
                freeNanos = Math.max(freeNanos, now) + (long) (bytes / bytesPerSecond * 1e9);
                int of = connection;
                at(freeNanos, () -> leave(of, sequence, bytes));
            }
        }

        private void leave(int of, long sequence, int bytes) {
            if (of != connection || !open) {
                return;
            }
            if (cut) {
                held.add(() -> at(now + delayNanos, () -> leave(of, sequence, bytes)));
                return;
            }
            buffered -= bytes;
            at(now + delayNanos, () -> arrive(of, sequence, bytes));
            write();
        }

        private void arrive(int of, long sequence, int bytes) {
            if (of != connection || !open) {
                return;
            }
            if (cut) {
                held.add(() -> arrive(of, sequence, bytes));
                return;
            }
            delivered += bytes;
            boolean isNew = receiver.arrived(lane, sequence, bytes, false, now);
            boolean wasThere = !there.add(sequence);
            if (isNew == wasThere) {
                throw new AssertionError("record " + sequence + " is new: " + isNew + ", was there: " + wasThere);
            }
            consume();
        }

        private void acknowledge() {
            if (open && receiver.isDue(lane, now)) {
                long count = receiver.count(lane);
                long taken = receiver.taken();
                receiver.told(lane);
                int of = connection;
                at(now + delayNanos + (long) (ACK_BYTES / bytesPerSecond * 1e9), () -> acknowledged(of, count, taken));
            }
        }

        private void acknowledged(int of, long count, long taken) {
            if (of != connection || !open) {
                return;
            }
            if (cut) {
                held.add(() -> acknowledged(of, count, taken));
                return;
            }
            sender.acknowledged(lane, count, taken, now);
            go();
        }
    }

    final LaneSender sender = new LaneSender();
    final LaneReceiver receiver = new LaneReceiver();
    final List<Wire> wires = new ArrayList<>();
    private final int[] lengths = new int[LaneLimits.PLACES];
    private final TreeSet<Long> there = new TreeSet<>(); // arrived at least once
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::number));
    private long numbers;
    private long toSend;
    private int recordBytes;
    long now;
    long taken;
    long takenBytes;
    long longestGapNanos;
    private long lastTakenNanos;
    boolean paused; // the receiver's user takes nothing

    LaneWorld(double[] bytesPerSecond, long[] delayNanos) {
        for (int lane = 0; lane < bytesPerSecond.length; lane++) {
            wires.add(new Wire(lane, bytesPerSecond[lane], delayNanos[lane]));
        }
        wires.forEach(Wire::open);
    }

    void at(long nanos, Runnable action) {
        events.add(new Event(nanos, numbers, action));
        numbers++;
    }

    /** Sends {@code count} records and returns when the receiver's user has them all. */
    void send(long count, int bytes) {
        toSend = count;
        recordBytes = bytes;
        lastTakenNanos = now;
        long goal = taken + count;
        tick();
        go();
        while (taken < goal) {
            Event next = events.poll();
            if (next == null || next.atNanos() > 600_000 * MILLI) {
                throw new AssertionError("stuck at record " + taken + " of " + goal + " at " + now / MILLI + " ms");
            }
            now = next.atNanos();
            next.action().run();
        }
    }

    private void tick() {
        sender.tick(now);
        go();
        at(now + LaneLimits.TICK_NANOS, this::tick);
    }

    /** Does all that can be done now. */
    private void go() {
        while (toSend > 0) {
            int lane = sender.choose(recordBytes, now);
            if (lane < 0) {
                break;
            }
            lengths[LaneSender.place(sender.next())] = recordBytes;
            sender.queue(lane, recordBytes);
            toSend--;
        }
        wires.forEach(Wire::write);
        wires.forEach(Wire::acknowledge);
    }

    void consume() {
        while (!paused && receiver.hasNext()) {
            long sequence = receiver.take(now);
            if (sequence != taken) {
                throw new AssertionError("record " + sequence + " instead of " + taken);
            }
            taken++;
            takenBytes += lengths[LaneSender.place(sequence)];
            longestGapNanos = Math.max(longestGapNanos, now - lastTakenNanos);
            lastTakenNanos = now;
        }
        go();
    }
}

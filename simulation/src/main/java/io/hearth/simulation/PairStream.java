package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MICRO;
import static io.hearth.simulation.Timeline.MILLI;

import java.util.ArrayDeque;
import java.util.Deque;

/** One stream between the two ends of a pair: what is sent comes in order and late, until it breaks or one end closes it. */
final class PairStream {
    private static final long RETRY_NANOS = 50 * MILLI;
    private static final int BREAK_ONE_IN = 40;
    private static final int LATE_ONE_IN = 20;

    private final World world;
    private final Way toSender;
    private final Way toReceiver;
    private boolean isClosed;
    private boolean isBroken;

    /** One direction. */
    private static final class Way {
        final PairEnd to;
        final Deque<PairRecord> records = new ArrayDeque<>();
        boolean isMoving;

        Way(PairEnd to) {
            this.to = to;
        }
    }

    PairStream(World world, PairOut sender, PairIn receiver) {
        this.world = world;
        this.toSender = new Way(sender);
        this.toReceiver = new Way(receiver);
    }

    void send(PairEnd from, PairRecord record) {
        if (!isClosed) {
            Way way = from == toSender.to ? toReceiver : toSender;
            way.records.add(record);
            move(way, delayNanos());
        }
    }

    /** Some tens of milliseconds in peace. */
    long delayNanos() {
        boolean isLate = world.isFaulty() && world.pairs.random.nextInt(LATE_ONE_IN) == 0;
        return 50 * MICRO
                + world.pairs.random.nextLong(
                        isLate ? 400 * MILLI : Math.min(world.profile.dataDelayNanos(), 20 * MILLI));
    }

    private void move(Way way, long delayNanos) {
        if (!way.isMoving && !way.records.isEmpty()) {
            way.isMoving = true;
            world.after(delayNanos, () -> arrive(way));
        }
    }

    private void arrive(Way way) {
        way.isMoving = false;
        NodeProcess one = toSender.to.process;
        NodeProcess other = toReceiver.to.process;
        if (isBroken || !one.isAlive() || !other.isAlive()) {
            return;
        }
        if (world.network.isCutEitherWay(one.host.index, other.host.index)) {
            move(way, RETRY_NANOS);
            return;
        }
        if (world.isFaulty()
                && world.profile.has(FaultKind.STREAM_BREAK)
                && world.pairs.random.nextInt(BREAK_ONE_IN) == 0) {
            isBroken = true;
            world.tally.fault(FaultKind.STREAM_BREAK);
            close();
            return;
        }
        PairRecord record = way.records.remove();
        way.to.process.deliver(() -> way.to.arrived(this, record));
        move(way, delayNanos());
    }

    /** Each end sees it in its own time; what is under way may still come before. */
    void close() {
        if (!isClosed) {
            isClosed = true;
            for (PairEnd end : new PairEnd[] {toSender.to, toReceiver.to}) {
                world.after(delayNanos(), () -> end.process.deliver(() -> end.broken(this)));
            }
        }
    }
}

package io.hearth.simulation.pair;

import static io.hearth.simulation.time.Timeline.MICRO;
import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayDeque;
import java.util.Deque;

/** One stream between the two ends of a pair: records arrive in order and late, until it breaks or one end closes it. */
final class PairStream {
    private static final long RETRY_NANOS = 50 * MILLI;
    private static final int BREAK_ONE_IN = 40;
    private static final int LATE_ONE_IN = 20;

    private final WorldSetting setting;
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

    PairStream(WorldSetting setting, PairOut sender, PairIn receiver) {
        this.setting = setting;
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

    /** The delay of a record: some tens of milliseconds in peace. */
    long delayNanos() {
        boolean isLate = setting.isFaulty() && setting.pairs.random.nextInt(LATE_ONE_IN) == 0;
        return 50 * MICRO
                + setting.pairs.random.nextLong(
                        isLate ? 400 * MILLI : Math.min(setting.profile.dataDelayNanos(), 20 * MILLI));
    }

    private void move(Way way, long delayNanos) {
        if (!way.isMoving && !way.records.isEmpty()) {
            way.isMoving = true;
            setting.after(delayNanos, () -> arrive(way));
        }
    }

    private void arrive(Way way) {
        way.isMoving = false;
        ProcessContext one = toSender.to.process;
        ProcessContext other = toReceiver.to.process;
        if (isBroken || !one.isAlive() || !other.isAlive()) {
            return;
        }
        if (setting.network.isCutEitherWay(one.host().index, other.host().index)) {
            move(way, RETRY_NANOS);
            return;
        }
        if (setting.isFaulty()
                && setting.profile.has(FaultKind.STREAM_BREAK)
                && setting.pairs.random.nextInt(BREAK_ONE_IN) == 0) {
            isBroken = true;
            setting.statistics.fault(FaultKind.STREAM_BREAK);
            close();
            return;
        }
        PairRecord record = way.records.remove();
        way.to.process.deliver(() -> way.to.arrived(this, record));
        move(way, delayNanos());
    }

    /** Closes it. Each end notices later; records under way may still arrive before. */
    void close() {
        if (!isClosed) {
            isClosed = true;
            for (PairEnd end : new PairEnd[] {toSender.to, toReceiver.to}) {
                setting.after(delayNanos(), () -> end.process.deliver(() -> end.broken(this)));
            }
        }
    }
}

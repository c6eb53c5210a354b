package io.hearth.collective.exchange.watch;

import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.CollectiveProgress.Report;
import io.hearth.collective.CollectiveProgress.What;
import io.hearth.collective.exchange.watch.machine.ProgressMachine;
import io.hearth.collective.exchange.watch.machine.ProgressMachine.Effect;
import io.hearth.collective.exchange.watch.machine.ProgressMachine.Event;
import io.hearth.core.Clock;
import io.hearth.core.Step;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports the progress of one transfer, as {@link ProgressMachine} decides; for one thread at a time. */
public final class ProgressReporter {
    private static final Logger LOG = LoggerFactory.getLogger(ProgressReporter.class);

    private final CollectiveProgress listener;
    private final Clock clock;
    private final What what;
    private final ProgressMachine machine = new ProgressMachine();
    private ProgressMachine.State state;
    private long bytes;
    private long bytesInAll;
    private int peers;

    /** A transfer begins. */
    public ProgressReporter(CollectiveProgress listener, Clock clock, What what) {
        this.listener = listener;
        this.clock = clock;
        this.what = what;
        this.state = ProgressMachine.State.begin(clock.nanoTime());
    }

    /** Sets the bytes of the whole transfer and the number of peers. */
    public void inAll(long ofBytes, int withPeers) {
        bytesInAll = ofBytes;
        peers = withPeers;
    }

    /** Adds {@code more} bytes; 0 only checks whether a report is due. Allocates nothing unless one is. */
    public void moved(long more) {
        bytes += more;
        long now = clock.nanoTime();
        if (machine.sleepNanos(state, now) == 0) {
            step(new Event.Moved(bytes), now);
        }
    }

    /** The transfer has ended, complete or not; idempotent. */
    public void ended() {
        step(new Event.Ended(bytes), clock.nanoTime());
    }

    private void step(Event event, long nowNanos) {
        Step<ProgressMachine.State, Effect> step = machine.step(state, event, nowNanos);
        state = step.state();
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Report(long soFar, long tookNanos, boolean ended) ->
                    report(new Report(what, soFar, bytesInAll, peers, tookNanos, ended));
            }
        }
    }

    private void report(Report report) {
        LOG.info("{}", report.text());
        try {
            listener.at(report);
        } catch (RuntimeException theirs) {
            LOG.warn("a progress listener failed: {}", theirs.toString());
        }
    }
}

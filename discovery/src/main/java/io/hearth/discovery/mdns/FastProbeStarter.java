package io.hearth.discovery.mdns;

import java.net.InetAddress;
import java.util.Timer;
import java.util.TimerTask;
import javax.jmdns.impl.DNSIncoming;
import javax.jmdns.impl.DNSTaskStarter;
import javax.jmdns.impl.JmDNSImpl;
import javax.jmdns.impl.ServiceInfoImpl;
import javax.jmdns.impl.constants.DNSConstants;
import javax.jmdns.impl.tasks.state.Announcer;
import javax.jmdns.impl.tasks.state.Prober;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts JmDNS's tasks as JmDNS does, but at the pace of RFC 6762, section 8: three probes 250 ms apart and the first announcement 250 ms
 * after the last probe. JmDNS waits a second each time. A node's records are in its first probe, at most 250 ms after its start, and it
 * answers questions after its announcement. After ten conflicts in a row JmDNS's own pace applies again, as the RFC requires.
 */
final class FastProbeStarter implements DNSTaskStarter {
    private static final Logger LOG = LoggerFactory.getLogger(FastProbeStarter.class);

    private final DNSTaskStarter usual;
    private final JmDNSImpl jmdns;
    private final Timer states;

    FastProbeStarter(JmDNSImpl jmdns) {
        this.usual = new DNSTaskStarterImpl(jmdns);
        this.jmdns = jmdns;
        this.states = new StateTimer(jmdns);
    }

    /** Runs {@code start} unless the timers are cancelled: a packet may reach a closing instance, and must not end its reader thread. */
    private static void unlessClosed(Runnable start) {
        try {
            start.run();
        } catch (IllegalStateException cancelled) {
            LOG.trace("a task of an mDNS instance that is closing was not started", cancelled);
        }
    }

    @Override
    public void startProber() {
        unlessClosed(() -> new Prober(jmdns).start(states));
    }

    @Override
    public void purgeStateTimer() {
        states.purge();
        usual.purgeStateTimer();
    }

    @Override
    public void cancelStateTimer() {
        states.cancel();
        usual.cancelStateTimer();
    }

    @Override
    public void purgeTimer() {
        usual.purgeTimer();
    }

    @Override
    public void cancelTimer() {
        usual.cancelTimer();
    }

    @Override
    public void startAnnouncer() {
        unlessClosed(() -> new Announcer(jmdns).start(states));
    }

    @Override
    public void startRenewer() {
        unlessClosed(() -> usual.startRenewer());
    }

    @Override
    public void startCanceler() {
        unlessClosed(() -> usual.startCanceler());
    }

    @Override
    public void startReaper() {
        unlessClosed(() -> usual.startReaper());
    }

    @Override
    public void startServiceInfoResolver(ServiceInfoImpl info) {
        unlessClosed(() -> usual.startServiceInfoResolver(info));
    }

    @Override
    public void startTypeResolver() {
        unlessClosed(() -> usual.startTypeResolver());
    }

    @Override
    public void startServiceResolver(String type) {
        unlessClosed(() -> usual.startServiceResolver(type));
    }

    @Override
    public void startResponder(DNSIncoming in, InetAddress address, int port) {
        unlessClosed(() -> usual.startResponder(in, address, port));
    }

    /** The timer that probers and announcers schedule themselves on; the only place where its pace can be changed. */
    private static final class StateTimer extends Timer {
        private final JmDNSImpl jmdns;

        StateTimer(JmDNSImpl jmdns) {
            super("hearth-mdns-state", true);
            this.jmdns = jmdns;
        }

        @Override
        public void schedule(TimerTask task, long delayMillis, long periodMillis) {
            if (jmdns.getThrottle() >= DNSConstants.PROBE_THROTTLE_COUNT) {
                super.schedule(task, delayMillis, periodMillis);
            } else if (task instanceof Prober) {
                // a random start, so that machines that were switched on together do not probe in step
                int startMillis = JmDNSImpl.getRandom().nextInt(DNSConstants.PROBE_WAIT_INTERVAL + 1);
                super.schedule(task, startMillis, DNSConstants.PROBE_WAIT_INTERVAL);
            } else {
                super.schedule(task, DNSConstants.PROBE_WAIT_INTERVAL, DNSConstants.ANNOUNCE_WAIT_INTERVAL);
            }
        }
    }
}

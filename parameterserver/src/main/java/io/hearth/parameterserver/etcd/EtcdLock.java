package io.hearth.parameterserver.etcd;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lock of the trainer that sets the parameters. It ends with its holder: by {@link #close}, or seconds after the holder's process. */
public final class EtcdLock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdLock.class);
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final EtcdPlace place;
    private final EtcdSession session;
    private final ScheduledThreadPoolExecutor renewals;
    private final long lease;

    private EtcdLock(EtcdPlace place, EtcdSession session, long lease) {
        this.place = place;
        this.session = session;
        this.lease = lease;
        this.renewals = new ScheduledThreadPoolExecutor(
                1,
                Thread.ofPlatform().name("hearth-parameterserver-lock").daemon().factory());
        long pause = LEASE.dividedBy(3).toMillis();
        var _ = renewals.scheduleWithFixedDelay(this::renew, pause, pause, TimeUnit.MILLISECONDS);
    }

    /**
     * Waits for the lock.
     *
     * @throws IOException with what to do, if another one has it for all of the time, or etcd does not answer
     */
    public static EtcdLock take(EtcdPlace place, Duration wait) throws IOException, InterruptedException {
        var session = new EtcdSession(place, TIMEOUT);
        EtcdLock lock = null;
        boolean isTaken = false;
        try {
            lock = new EtcdLock(place, session, session.grant(LEASE));
            session.lock(place.lockKey(), lock.lease, wait);
            isTaken = true;
            return lock;
        } catch (IOException failed) {
            throw new IOException(
                    "the lock " + place.lockKey() + " in the etcd at " + place.text() + " was not to be had ("
                            + failed.getMessage() + "): another trainer has it, or etcd does not answer",
                    failed);
        } finally {
            if (!isTaken) {
                if (lock == null) {
                    session.close();
                } else {
                    lock.close();
                }
            }
        }
    }

    private void renew() {
        try {
            if (!session.renew(lease)) {
                LOG.warn("etcd ended the lock {}: another trainer may take it", place.lockKey());
                renewals.shutdown();
            }
        } catch (IOException | RuntimeException failed) {
            LOG.warn("the lock {} could not be renewed: {}", place.lockKey(), failed.getMessage());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives the lock to the next one; idempotent. */
    @Override
    public void close() {
        boolean isFirst = !renewals.isShutdown();
        renewals.shutdownNow();
        if (isFirst) {
            try {
                session.revoke(lease);
            } catch (IOException | RuntimeException failed) {
                LOG.info("etcd keeps the lock {} for some seconds: {}", place.lockKey(), failed.getMessage());
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
        session.close();
    }
}

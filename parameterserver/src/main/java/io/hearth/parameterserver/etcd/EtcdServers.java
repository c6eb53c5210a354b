package io.hearth.parameterserver.etcd;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The servers that an etcd knows. They are looked up again each ten seconds, and when one is gone. */
public final class EtcdServers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdServers.class);
    private static final Duration TIMEOUT_MAX = Duration.ofSeconds(3);
    private static final long CHECK_SECONDS = 10;
    private static final long SOON_MILLIS = 500;

    private final EtcdPlace place;
    private final Duration timeout;
    private final ScheduledThreadPoolExecutor thread;
    private volatile @Nullable Consumer<List<InetSocketAddress>> listener;

    private final AtomicBoolean isPlanned = new AtomicBoolean();
    private volatile List<InetSocketAddress> newest = List.of();
    private boolean isWarned; // the thread's
    private @Nullable EtcdSession session; // guarded by this, also while etcd is asked

    private EtcdServers(EtcdPlace place, Duration timeout) {
        this.place = place;
        this.timeout = timeout.compareTo(TIMEOUT_MAX) < 0 ? timeout : TIMEOUT_MAX;
        this.thread = new ScheduledThreadPoolExecutor(
                1,
                Thread.ofPlatform()
                        .name("hearth-parameterserver-servers")
                        .daemon()
                        .factory());
    }

    /**
     * Finds the servers.
     *
     * @param timeout to wait for the first one
     * @throws IOException with what to do, if there is none
     */
    public static EtcdServers find(EtcdPlace place, Duration timeout) throws IOException, InterruptedException {
        var servers = new EtcdServers(place, timeout);
        boolean isFound = false;
        try {
            servers.await(timeout);
            isFound = true;
            return servers;
        } finally {
            if (!isFound) {
                servers.close();
            }
        }
    }

    private void await(Duration wait) throws IOException, InterruptedException {
        long end = System.nanoTime() + wait.toNanos();
        while (true) {
            Optional<IOException> failure = ask();
            if (failure.isEmpty() && !addresses().isEmpty()) {
                return;
            }
            if (end - System.nanoTime() <= TimeUnit.MILLISECONDS.toNanos(SOON_MILLIS)) {
                throw failure.map(why -> new IOException(
                                "the etcd at " + place.text() + " gives no parameter servers (" + why.getMessage()
                                        + "): see that etcd runs there",
                                why))
                        .orElseGet(() -> new IOException("no parameter server is registered below " + place.servers()
                                + " in the etcd at " + place.text() + " for " + wait.toMillis()
                                + " ms: start one with --etcd, and see that the prefix is the same"));
            }
            Thread.sleep(SOON_MILLIS); // a server may be about to start
        }
    }

    /** Looks the servers up; why it could not. */
    private synchronized Optional<IOException> ask() throws InterruptedException {
        try {
            EtcdSession open = session;
            if (open == null) {
                open = new EtcdSession(place, timeout);
                session = open;
            }
            newest = open.list(place.servers()).values().stream()
                    .distinct()
                    .map(HostPort::parse)
                    .flatMap(Optional::stream)
                    .toList();
            return Optional.empty();
        } catch (IOException failed) {
            drop();
            return Optional.of(failed);
        } catch (RuntimeException broken) { // an error of the library is one of etcd
            drop();
            return Optional.of(new IOException(String.valueOf(broken.getMessage()), broken));
        }
    }

    private synchronized void drop() {
        EtcdSession open = session;
        session = null;
        if (open != null) {
            open.close();
        }
    }

    /** The servers of the last look, unresolved, in the order of their indexes. */
    public List<InetSocketAddress> addresses() {
        return newest;
    }

    /** Looks them up again and again, and tells of each look that found some. */
    public void watch(Consumer<List<InetSocketAddress>> told) {
        listener = told;
        var _ = thread.scheduleWithFixedDelay(this::look, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
    }

    /** Looks them up soon, as one did not answer. */
    public void lookSoon() {
        if (isPlanned.getAndSet(true)) {
            return;
        }
        try {
            var _ = thread.schedule(
                    () -> {
                        isPlanned.set(false);
                        look();
                    },
                    SOON_MILLIS,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            // nobody asks any more
        }
    }

    private void look() {
        try {
            Optional<IOException> failure = ask();
            say(failure);
            List<InetSocketAddress> found = addresses();
            Consumer<List<InetSocketAddress>> told = listener;
            if (failure.isEmpty() && !found.isEmpty() && told != null) {
                told.accept(found);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error bug) { // the executor would swallow it, and look no more
            LOG.error("the servers in the etcd at {} are not looked up any more", place.text(), bug);
            throw bug;
        }
    }

    private void say(Optional<IOException> failure) {
        if (failure.isPresent() && !isWarned) {
            LOG.warn(
                    "the etcd at {} does not answer ({}): this trainer goes on with the parameter servers that it knows",
                    place.text(),
                    failure.get().getMessage());
        } else if (failure.isEmpty() && isWarned) {
            // at the level of the warning, so that its reader sees both
            LOG.warn("the etcd at {} is back", place.text());
        }
        isWarned = failure.isPresent();
    }

    /** Ends the looks; idempotent. */
    @Override
    public void close() {
        thread.shutdownNow();
        drop();
    }
}

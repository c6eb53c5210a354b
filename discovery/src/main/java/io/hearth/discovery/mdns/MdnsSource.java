package io.hearth.discovery.mdns;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.discovery.PeerSource;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.mdns.machine.TagEncoding;
import java.net.SocketException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the nodes of a namespace by multicast DNS, with one JmDNS instance for each usable interface, bound to the address of that
 * interface. Otherwise a machine with a VPN or containers would send on one network with its address of another.
 *
 * <p>A found node may be gone: a node that leaves without a goodbye is reported for two more minutes.
 */
public final class MdnsSource implements PeerSource {
    private static final Logger LOG = LoggerFactory.getLogger(MdnsSource.class);
    private static final long POLL_MILLIS = 2_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final TagEncoding tags;
    private final MdnsOptions options;
    private final InterfaceMonitor monitor;
    private final Clock clock;
    private final Runnable networkChanged;
    private final Consumer<Throwable> onFatal;
    private final SecureRandom random = new SecureRandom();
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread;
    private volatile List<MdnsSlot> slots = List.of(); // written by the loop, read by listeners and counters()
    private volatile boolean closing; // written by close(), read by the loop
    private volatile boolean aborted; // written by abort(), read by the loop
    private List<MdnsInstance.Closing> goodbyes = List.of();
    private Consumer<Sighting> sink = _ -> {};

    /**
     * A source that has not started.
     *
     * @param monitor used by this source alone
     * @param networkChanged called on the source's thread when usable interfaces came, went or changed, and once at the start
     * @param onFatal gets the fault that ended the source's thread, if {@link #close} did not end it
     */
    public MdnsSource(
            TagEncoding tags,
            MdnsOptions options,
            InterfaceMonitor monitor,
            Clock clock,
            Runnable networkChanged,
            Consumer<Throwable> onFatal) {
        this.tags = tags;
        this.options = options;
        this.monitor = monitor;
        this.clock = clock;
        this.networkChanged = networkChanged;
        this.onFatal = onFatal;
        this.thread = Thread.ofPlatform().daemon().name("hearth-mdns").unstarted(this::run);
    }

    @Override
    public void start(Consumer<Sighting> listener) {
        sink = listener;
        thread.start();
    }

    /** Counters of each interface in use. */
    public List<MdnsCounters> counters() {
        return slots.stream().map(MdnsSlot::counters).toList();
    }

    /** Announces this node again after a change of the tag keys, with the current one. */
    public void reannounce() {
        slots.forEach(MdnsSlot::reannounce);
        wake.release();
    }

    /** Sends goodbyes. JmDNS has a second for them, and finishes the rest on daemon threads. */
    @Override
    public void close() {
        closing = true;
        wake.release();
        new MdnsInstance.Closing(thread).await(CLOSE_TIMEOUT);
    }

    /** As {@link #close()}, without a wait for the goodbyes: they may get lost if the process ends. */
    public void abort() {
        aborted = true;
        close();
    }

    /** Waits until all sockets and threads of a closed source are gone; for tests. */
    void awaitGone(Duration timeout) {
        new MdnsInstance.Closing(thread).await(timeout);
        goodbyes.forEach(goodbye -> goodbye.await(timeout));
    }

    private void run() {
        try {
            while (!closing) {
                poll();
                var started = new ArrayList<>(goodbyes);
                started.removeIf(MdnsInstance.Closing::isOver);
                for (MdnsSlot slot : slots) {
                    started.addAll(slot.tick(clock.nanoTime(), this::owns, sink, wake::release));
                }
                goodbyes = started;
                if (wake.tryAcquire(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                    wake.drainPermits();
                }
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (Throwable fatal) { // a node that hears no joining node must not look alive
            LOG.error("mDNS stopped and finds no more peers: {}", String.valueOf(fatal), fatal);
            onFatal.accept(fatal);
        } finally {
            var last = new ArrayList<>(goodbyes);
            slots.forEach(slot -> slot.close().ifPresent(last::add));
            goodbyes = last;
            slots = List.of();
        }
        if (!aborted) {
            goodbyes.forEach(goodbye -> goodbye.await(CLOSE_TIMEOUT.dividedBy(2)));
        }
    }

    private boolean owns(Bytes nonce) {
        return slots.stream().anyMatch(slot -> slot.owns(nonce));
    }

    private void poll() {
        List<InterfaceState> states;
        try {
            var changed = monitor.poll();
            if (changed.isEmpty()) {
                return;
            }
            states = changed.get();
        } catch (SocketException unreadable) {
            LOG.debug("the interfaces cannot be read now, asking again in {} ms", POLL_MILLIS, unreadable);
            return;
        }
        List<MdnsBinding> wanted = MdnsBinding.of(states, options.policy(), options.mediumOf());
        var next = new ArrayList<MdnsSlot>();
        var gone = new ArrayList<>(goodbyes);
        boolean changed = false;
        for (MdnsSlot slot : slots) {
            if (wanted.contains(slot.binding())) {
                next.add(slot);
            } else {
                slot.close().ifPresent(gone::add);
                changed = true;
            }
        }
        for (MdnsBinding binding : wanted) {
            if (next.stream().noneMatch(slot -> slot.binding().equals(binding))) {
                next.add(new MdnsSlot(binding, tags, options, random, clock));
                LOG.info("mDNS uses interface={} address={}", binding.state().name(), binding.address());
                changed = true;
            }
        }
        goodbyes = gone;
        slots = List.copyOf(next);
        if (changed) {
            networkChanged.run();
        }
    }
}

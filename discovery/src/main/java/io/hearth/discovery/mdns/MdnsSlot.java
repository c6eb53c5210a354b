package io.hearth.discovery.mdns;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.mdns.machine.MdnsIdentity;
import io.hearth.discovery.mdns.machine.TagEncoding;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an instance for one binding: opens it, replaces it when it no longer works or is a day old, and repeats queries at intervals. The
 * source's one thread calls it; JmDNS's threads only report that an instance no longer works.
 */
final class MdnsSlot {
    private static final Logger LOG = LoggerFactory.getLogger(MdnsSlot.class);
    private static final long IDENTITY_LIFE_NANOS = TimeUnit.HOURS.toNanos(24);
    private static final long TELL_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long PAUSE_MIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** JmDNS itself asks three times in the first second. Later queries find nodes that a lost packet or a sleeping switch hid. */
    private static final List<Long> QUERY_SECONDS = List.of(3L, 8L, 20L, 60L);

    private static final long QUERY_EVERY_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final MdnsBinding binding;
    private final TagEncoding tags;
    private final MdnsOptions options;
    private final SecureRandom random;
    private final Clock clock;
    private final MdnsTraffic traffic = new MdnsTraffic();

    private volatile MdnsIdentity
            identity; // written by the source's thread, read by listener threads to recognize this node's records
    private volatile Bytes formerNonce = Bytes.EMPTY; // written and read like identity
    private volatile boolean
            isOutdated; // written by the thread that changes the tag keys, read and cleared by the source's thread
    private @Nullable MdnsInstance instance;
    private AtomicReference<String> trouble =
            new AtomicReference<>(""); // why the instance no longer works; empty while it works
    private long identitySinceNanos;
    private long openedNanos;
    private long toldNanos;
    private long nextOpenNanos;
    private int failures;
    private int queries;
    private String complaint = "";

    MdnsSlot(MdnsBinding binding, TagEncoding tags, MdnsOptions options, SecureRandom random, Clock clock) {
        this.binding = binding;
        this.tags = tags;
        this.options = options;
        this.random = random;
        this.clock = clock;
        this.identity = MdnsIdentity.fresh(tags, options.port(), options.nameplate(), random);
        this.identitySinceNanos = clock.nanoTime();
        this.nextOpenNanos = identitySinceNanos;
    }

    MdnsBinding binding() {
        return binding;
    }

    boolean owns(Bytes nonce) {
        return identity.advert().nonce().equals(nonce) || formerNonce.equals(nonce);
    }

    void reannounce() {
        isOutdated = true;
    }

    MdnsCounters counters() {
        return traffic.snapshot(binding.state().name(), binding.address(), clock.nanoTime());
    }

    /**
     * Does the work that is due, and returns the goodbyes that it started. A fault in here ends the instance, not the source.
     *
     * @param wake makes the source call again soon
     */
    List<MdnsInstance.Closing> tick(long nowNanos, Predicate<Bytes> ownNonce, Consumer<Sighting> sink, Runnable wake) {
        var closing = new ArrayList<MdnsInstance.Closing>();
        try {
            doWhatIsDue(nowNanos, ownNonce, sink, wake, closing);
        } catch (RuntimeException bug) {
            LOG.debug("mDNS failed on interface={}", binding.state().name(), bug);
            restart(nowNanos, "a bug, please report it: " + bug, closing);
        }
        return closing;
    }

    private void doWhatIsDue(
            long nowNanos,
            Predicate<Bytes> ownNonce,
            Consumer<Sighting> sink,
            Runnable wake,
            List<MdnsInstance.Closing> closing) {
        if (isOutdated || nowNanos - identitySinceNanos >= IDENTITY_LIFE_NANOS) {
            isOutdated = false;
            close().ifPresent(closing::add);
            formerNonce = identity.advert().nonce();
            identity = MdnsIdentity.fresh(tags, options.port(), options.nameplate(), random);
            identitySinceNanos = nowNanos;
            nextOpenNanos = nowNanos;
        }
        if (instance != null && instance.isDeaf()) {
            trouble.compareAndSet("", "its listener ended");
        }
        if (instance != null && !trouble.get().isEmpty()) {
            restart(nowNanos, trouble.get(), closing);
        }
        if (instance == null && nowNanos - nextOpenNanos >= 0) {
            open(nowNanos, ownNonce, sink, wake);
        }
        if (instance != null) {
            keepUp(instance, nowNanos);
        }
    }

    private void restart(long nowNanos, String why, List<MdnsInstance.Closing> closing) {
        traffic.restarted(nowNanos, why);
        LOG.warn(
                "mDNS starts again on interface={} address={}: {}",
                binding.state().name(),
                binding.address(),
                why);
        close().ifPresent(closing::add);
        pause(nowNanos);
    }

    Optional<MdnsInstance.Closing> close() {
        MdnsInstance old = instance;
        instance = null;
        return old == null ? Optional.empty() : Optional.of(old.close());
    }

    private void open(long nowNanos, Predicate<Bytes> ownNonce, Consumer<Sighting> sink, Runnable wake) {
        var fresh = new AtomicReference<>(""); // a closing instance must not stop the next one
        trouble = fresh;
        var listener = new MdnsListener(binding, tags, identity, ownNonce, traffic, sink, clock);
        try {
            instance =
                    MdnsInstance.open(binding, identity, options, traffic, listener, why -> condemn(fresh, why, wake));
            openedNanos = nowNanos;
            toldNanos = nowNanos;
            queries = 0;
        } catch (IOException refused) {
            traffic.failed(String.valueOf(refused.getMessage()));
            pause(nowNanos);
            complain(refused);
        }
    }

    private static void condemn(AtomicReference<String> trouble, String why, Runnable wake) {
        if (trouble.compareAndSet("", why)) {
            wake.run();
        }
    }

    private void keepUp(MdnsInstance running, long nowNanos) {
        long ageNanos = nowNanos - openedNanos;
        if (ageNanos >= PAUSE_MAX_NANOS) {
            failures = 0;
        }
        if (ageNanos >= queryDueNanos()) {
            queries++;
            running.query();
        }
        running.reportDelayed();
        if (nowNanos - toldNanos >= TELL_AGAIN_NANOS) {
            toldNanos = nowNanos;
            running.reportAll();
        }
    }

    private long queryDueNanos() {
        int beyond = queries - QUERY_SECONDS.size();
        return beyond < 0
                ? TimeUnit.SECONDS.toNanos(QUERY_SECONDS.get(queries))
                : TimeUnit.SECONDS.toNanos(QUERY_SECONDS.getLast()) + (beyond + 1) * QUERY_EVERY_NANOS;
    }

    private void pause(long nowNanos) {
        failures = Math.min(failures + 1, 6);
        nextOpenNanos = nowNanos + Math.min(PAUSE_MAX_NANOS, PAUSE_MIN_NANOS << (failures - 1));
    }

    private void complain(IOException refused) {
        String now = String.valueOf(refused.getMessage());
        if (!now.equals(complaint)) {
            complaint = now;
            LOG.warn(
                    "mDNS cannot use interface={} address={}: {}; trying again each minute (a BindException means that"
                            + " another program holds UDP port 5353 for itself, such as avahi with"
                            + " disallow-other-stacks=yes)",
                    binding.state().name(),
                    binding.address(),
                    refused.toString());
        }
    }
}

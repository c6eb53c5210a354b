package io.hearth.discovery;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Peers that a person named; it is enough if one of two nodes names the other. Literals are reported at once. Each name has a thread that
 * resolves it, because a resolver may hang. It resolves again as long as the source runs, because the addresses of a home change.
 */
public final class StaticPeers implements PeerSource {
    /** Most peers of one list. */
    public static final int PEERS_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(StaticPeers.class);

    /** Turns a name into addresses; may block. */
    @FunctionalInterface
    public interface Resolver {
        /** Every address of {@code name}, as literals. */
        List<String> resolve(String name) throws IOException;
    }

    /**
     * How often names are resolved.
     *
     * @param retryMin pause after the first failure; doubles with each further one
     * @param retryMax longest pause after failures
     * @param refresh pause after success
     */
    public record Pace(Duration retryMin, Duration retryMax, Duration refresh) {
        /** 1 s to 60 s, and each minute. */
        public static final Pace DEFAULT =
                new Pace(Duration.ofSeconds(1), Duration.ofSeconds(60), Duration.ofSeconds(60));

        /** The pause after {@code failures} failures in a row. */
        Duration pause(int failures) {
            if (failures == 0) {
                return refresh;
            }
            Duration doubled = retryMin.multipliedBy(1L << Math.min(failures - 1, 20));
            return doubled.compareTo(retryMax) < 0 ? doubled : retryMax;
        }
    }

    private final List<HostPort> peers;
    private final Resolver resolver;
    private final Pace pace;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();

    /**
     * A source that has not started.
     *
     * @param peers at most {@value #PEERS_MAX}
     */
    public StaticPeers(List<HostPort> peers, Resolver resolver, Pace pace) {
        if (peers.size() > PEERS_MAX) {
            throw new IllegalArgumentException("at most " + PEERS_MAX + " peers can be named, got " + peers.size());
        }
        this.peers = List.copyOf(peers);
        this.resolver = resolver;
        this.pace = pace;
    }

    /** A source that uses the resolver of this machine. */
    public static StaticPeers of(List<HostPort> peers) {
        return new StaticPeers(peers, StaticPeers::ask, Pace.DEFAULT);
    }

    @Override
    public void start(Consumer<Sighting> sink) {
        for (HostPort peer : peers) {
            peer.literal().ifPresentOrElse(address -> sink.accept(sighting(peer, List.of(address))), () -> {
                // a platform thread: a hanging getaddrinfo would hold one of few carriers
                threads.add(Thread.ofPlatform().daemon().name("hearth-resolve").start(() -> keepResolving(peer, sink)));
            });
        }
    }

    /** Stops. A thread inside a hanging resolver ends when the resolver returns, and reports nothing. */
    @Override
    public void close() {
        closed.countDown();
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        for (Thread thread : threads) {
            try {
                thread.join(Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime())));
            } catch (InterruptedException impatient) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void keepResolving(HostPort peer, Consumer<Sighting> sink) {
        int failures = 0;
        String complaint = "";
        try {
            do {
                try {
                    List<PeerAddress> addresses = resolver.resolve(peer.host()).stream()
                            .distinct()
                            .limit(Sighting.CANDIDATES_MAX)
                            .map(literal -> new PeerAddress(literal, peer.port()))
                            .toList();
                    failures = addresses.isEmpty() ? failures + 1 : 0;
                    if (closed.getCount() > 0 && !addresses.isEmpty()) {
                        sink.accept(sighting(peer, addresses));
                    }
                    complaint = "";
                } catch (IOException unknown) {
                    failures++;
                    String now = String.valueOf(unknown.getMessage());
                    if (!now.equals(complaint)) {
                        LOG.warn("peer {} cannot be resolved: {}; trying again", peer, now);
                        complaint = now;
                    }
                }
            } while (!closed.await(pace.pause(failures).toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private static Sighting sighting(HostPort peer, List<PeerAddress> addresses) {
        return new Sighting(
                "static:" + peer,
                addresses.stream()
                        .map(address -> new Candidate(address, Medium.OTHER))
                        .toList(),
                SourceKind.STATIC,
                OptionalInt.empty());
    }

    private static List<String> ask(String name) throws IOException {
        return Arrays.stream(InetAddress.getAllByName(name))
                .map(InetAddress::getHostAddress)
                .toList();
    }
}

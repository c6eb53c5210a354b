package io.hearth.discovery.names;

import io.hearth.core.Clock;
import io.hearth.discovery.Candidate;
import io.hearth.discovery.Medium;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.PeerName;
import io.hearth.discovery.PeerSource;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.SourceKind;
import io.hearth.discovery.names.machine.NameAnswer;
import io.hearth.discovery.names.machine.NameLimits;
import io.hearth.discovery.names.machine.NameMachine;
import io.hearth.discovery.names.machine.NameMachine.Effect;
import io.hearth.discovery.names.machine.NameMachine.Event;
import io.hearth.discovery.names.machine.NameQuestion;
import io.hearth.discovery.names.machine.NameReport;
import io.hearth.discovery.names.machine.NameTable;
import io.hearth.discovery.names.machine.ResolverSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Peers that a person named; it is enough if one of two nodes names the other. Literals are reported at once. Names are looked up as long
 * as the source runs, because addresses change. One thread steps the machine, and each open question has a thread of its own, because a
 * resolver may hang.
 *
 * <p>A host is one peer with several addresses. Each address of a name of DNS or Kubernetes is a peer of its own.
 */
public final class NamedPeers implements PeerSource {
    /** Most peers of one list. */
    public static final int PEERS_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(NamedPeers.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    private final List<PeerName> literals;
    private final List<PeerName> names;
    private final NameLookup lookup;
    private final Supplier<ResolverSettings> settings;
    private final NameMachine machine;
    private final Clock clock;
    private final BlockingQueue<Event> inbox;
    private final Thread thread;
    private final Map<Integer, Thread> lookups = new ConcurrentHashMap<>(); // one for each name; the loop writes
    private volatile List<NameReport> reports = List.of(); // written by the loop, read by reports()
    private volatile boolean closing; // written by close(), read by the loop
    private Consumer<Sighting> sink = _ -> {};

    /**
     * A source that has not started.
     *
     * @param peers at most {@value #PEERS_MAX}
     * @param settings of this machine, read before each round
     */
    public NamedPeers(
            List<PeerName> peers,
            NameLookup lookup,
            Supplier<ResolverSettings> settings,
            NameLimits limits,
            Clock clock) {
        if (peers.size() > PEERS_MAX) {
            throw new IllegalArgumentException("at most " + PEERS_MAX + " peers can be named, got " + peers.size());
        }
        literals = peers.stream().filter(NamedPeers::isLiteral).toList();
        names = peers.stream().filter(peer -> !isLiteral(peer)).toList();
        this.lookup = lookup;
        this.settings = settings;
        this.clock = clock;
        machine = new NameMachine(limits);
        inbox = new ArrayBlockingQueue<>(PEERS_MAX); // each name has at most one open question
        thread = Thread.ofPlatform().daemon().name("hearth-names").unstarted(this::run);
    }

    /** A source that uses the resolver of this machine. */
    public static NamedPeers of(List<PeerName> peers) {
        var files = ResolverFiles.ofThisMachine();
        return new NamedPeers(
                peers, new SystemLookup(files, Clock.system()), files, NameLimits.DEFAULT, Clock.system());
    }

    @Override
    public void start(Consumer<Sighting> listener) {
        sink = listener;
        for (PeerName literal : literals) {
            if (literal instanceof PeerName.Host(var host)) {
                sight(literal, host.literal().stream().toList());
            }
        }
        if (!names.isEmpty()) {
            thread.start();
        }
    }

    /** The results of the lookups of each name so far. Literals are not listed. */
    public List<NameReport> reports() {
        return reports;
    }

    /** Stops. A thread inside a resolver that cannot be interrupted ends when the resolver returns, and reports nothing. */
    @Override
    public void close() {
        closing = true;
        long deadlineNanos = clock.nanoTime() + CLOSE_TIMEOUT.toNanos();
        end(thread, deadlineNanos);
        lookups.values().forEach(Thread::interrupt);
        lookups.values().forEach(each -> end(each, deadlineNanos));
    }

    private void end(Thread each, long deadlineNanos) {
        each.interrupt();
        try {
            var _ = each.join(Duration.ofNanos(Math.max(1, deadlineNanos - clock.nanoTime())));
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        } catch (IllegalThreadStateException neverStarted) {
            return;
        }
    }

    private void run() {
        try {
            NameTable table = NameTable.of(names, settings.get(), clock.nanoTime());
            reports = table.entries().stream().map(NameTable.Entry::report).toList();
            while (!closing) {
                Event event = inbox.poll(machine.sleepNanos(table, clock.nanoTime()), TimeUnit.NANOSECONDS);
                ResolverSettings now = settings.get();
                if (!now.equals(table.settings())) {
                    table = step(table, new Event.Configured(now));
                }
                table = step(table, event == null ? new Event.Tick() : event);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt(); // close() was called
        } catch (Throwable fatal) {
            LOG.error("names are no longer looked up: {}", String.valueOf(fatal), fatal);
            reports = reports.stream()
                    .map(each -> new NameReport(each.name(), each.addresses(), "lookups ended by an error"))
                    .toList();
        }
    }

    private NameTable step(NameTable table, Event event) {
        var step = machine.step(table, event, clock.nanoTime());
        step.effects().forEach(this::carryOut);
        return step.state();
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Ask(int entry, NameQuestion question) ->
                lookups.put(
                        entry,
                        Thread.ofPlatform()
                                .daemon()
                                .name("hearth-resolve")
                                .start(() -> inbox.add(new Event.Answered(entry, question, answer(question)))));
            case Effect.Sight(PeerName name, List<PeerAddress> addresses) -> sight(name, addresses);
            case Effect.Report(int entry, NameReport report) -> {
                var all = new ArrayList<>(reports);
                all.set(entry, report);
                reports = List.copyOf(all);
                if (report.isAnswered()) {
                    LOG.info("{}", report.text());
                } else {
                    LOG.warn("{}; asking again", report.text());
                }
            }
        }
    }

    private NameAnswer answer(NameQuestion question) {
        try {
            return lookup.ask(question);
        } catch (RuntimeException bug) { // a question without an answer would never be asked again
            LOG.error("the lookup of {} failed by a bug", question, bug);
            return new NameAnswer.Failed("the lookup failed: " + bug);
        }
    }

    private void sight(PeerName name, List<PeerAddress> addresses) {
        if (name instanceof PeerName.Host(var host)) {
            sink.accept(sighting(
                    "static:" + host,
                    addresses.subList(0, Math.min(addresses.size(), Sighting.CANDIDATES_MAX)),
                    SourceKind.STATIC));
        } else {
            addresses.forEach(address -> sink.accept(sighting("dns:" + address, List.of(address), SourceKind.DNS)));
        }
    }

    private static Sighting sighting(String name, List<PeerAddress> addresses, SourceKind source) {
        return new Sighting(
                name,
                addresses.stream()
                        .map(address -> new Candidate(address, Medium.OTHER))
                        .toList(),
                source,
                OptionalInt.empty());
    }

    private static boolean isLiteral(PeerName peer) {
        return peer instanceof PeerName.Host(var host) && host.literal().isPresent();
    }
}

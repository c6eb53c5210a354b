package io.hearth.transport.machine;

import io.hearth.identity.PeerId;
import io.hearth.transport.Appearance;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.Endpoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Finds identities that two computers use, as after a restored snapshot of a whole disk. Nothing on such a disk shows that it is a copy.
 *
 * <p>Two starts <em>conflict</em> if they cannot both be of one computer: they name two boots of the operating system, or they are two
 * starts in one slot, whose lock only one process of a computer can hold. A conflict alone is no evidence, because a computer may boot and
 * a process may restart; but then the older start is dead. So an identity is doubled if <em>both</em> of two conflicting starts sent
 * something (a proven hello, or a frame) more than {@link #BOTH_NANOS} after the first hello of the later one.
 *
 * <p>If this node itself was paused, messages of a dead start may wait in its sockets. So after a gap both starts must be heard again.
 *
 * <p>Pure: no clock and no threads. One thread calls it and passes the time.
 */
public final class Doubles {
    /** Time for which messages of a dead start may be in flight. */
    public static final long BOTH_NANOS = 1_000_000_000L;

    /** Shortest time without a call that counts as a pause of this node itself. */
    static final long GAP_NANOS = 1_000_000_000L;

    /** Time for which an identity counts as doubled after both starts were last heard. A start without a link is heard once a minute. */
    static final long KEPT_NANOS = 120_000_000_000L;

    /** Shortest time between two reports to one start. */
    static final long REPORT_NANOS = 10_000_000_000L;

    /** Most machines known. */
    static final int MACHINES_MAX = 1_024;

    /** Most starts known of one machine. */
    static final int STARTS_MAX = 16;

    private static final class Start {
        final Endpoint endpoint;
        final long firstNanos;
        String address;
        long lastNanos;
        Optional<Long> reportedNanos = Optional.empty();

        Start(Endpoint endpoint, String address, long nowNanos) {
            this.endpoint = endpoint;
            this.address = address;
            this.firstNanos = nowNanos;
            this.lastNanos = nowNanos;
        }

        Appearance appearance() {
            return Appearance.of(endpoint, address);
        }
    }

    private static final class Machine {
        final List<Start> starts = new ArrayList<>(1);
        Optional<Found> found = Optional.empty();
    }

    /** @param bothNanos time at which both were last heard */
    private record Found(DoubledIdentity evidence, long bothNanos) {}

    private final LinkedHashMap<PeerId, Machine> machines = new LinkedHashMap<>(16, 0.75f, true);
    private long observedNanos;
    private long awakeNanos;

    public Doubles(long nowNanos) {
        observedNanos = nowNanos;
        awakeNanos = nowNanos;
    }

    /**
     * Records the hello of a node that proved itself, with or without a link.
     *
     * @return evidence to send to the node if another computer uses its identity
     */
    public Optional<DoubledIdentity> hello(Endpoint endpoint, String address, long nowNanos) {
        observe(nowNanos);
        Machine machine = machines.computeIfAbsent(endpoint.id().peer(), _ -> new Machine());
        if (machines.size() > MACHINES_MAX) {
            machines.remove(machines.firstEntry().getKey());
        }
        Start start = start(machine, endpoint, address, nowNanos);
        start.lastNanos = nowNanos;
        start.address = address;
        Optional<DoubledIdentity> evidence = judge(machine, start);
        if (evidence.isPresent()) {
            start.reportedNanos = Optional.of(nowNanos);
        }
        return evidence;
    }

    /**
     * Records a frame of a linked node.
     *
     * @return evidence to send to the node, unless it was sent lately
     */
    public Optional<DoubledIdentity> frame(Endpoint endpoint, long nowNanos) {
        observe(nowNanos);
        Machine machine = machines.get(endpoint.id().peer());
        if (machine == null) {
            return Optional.empty(); // newer starts replaced it
        }
        for (Start start : machine.starts) {
            if (start.endpoint.equals(endpoint)) {
                start.lastNanos = nowNanos;
                return machine.starts.size() == 1 ? Optional.empty() : dueEvidence(machine, start, nowNanos);
            }
        }
        return Optional.empty();
    }

    /** The identities that two computers use now, with the newest evidence. */
    public SortedMap<PeerId, DoubledIdentity> all(long nowNanos) {
        var doubled = new TreeMap<PeerId, DoubledIdentity>();
        for (Map.Entry<PeerId, Machine> entry : machines.entrySet()) {
            Machine machine = entry.getValue();
            machine.found = machine.found.filter(found -> nowNanos - found.bothNanos() < KEPT_NANOS);
            machine.found.ifPresent(found -> doubled.put(entry.getKey(), found.evidence()));
        }
        return doubled;
    }

    /** Number of known machines. */
    int machines() {
        return machines.size();
    }

    private void observe(long nowNanos) {
        if (nowNanos - observedNanos > GAP_NANOS) {
            awakeNanos = nowNanos;
        }
        observedNanos = nowNanos;
    }

    private static Start start(Machine machine, Endpoint endpoint, String address, long nowNanos) {
        for (Start known : machine.starts) {
            if (known.endpoint.equals(endpoint)) {
                return known;
            }
        }
        machine.starts.removeIf(known -> nowNanos - known.lastNanos >= KEPT_NANOS);
        if (machine.starts.size() >= STARTS_MAX) {
            machine.starts.stream()
                    .max(Comparator.comparingLong(known -> nowNanos - known.lastNanos))
                    .ifPresent(machine.starts::remove);
        }
        var fresh = new Start(endpoint, address, nowNanos);
        machine.starts.add(fresh);
        return fresh;
    }

    private Optional<DoubledIdentity> dueEvidence(Machine machine, Start start, long nowNanos) {
        Optional<DoubledIdentity> evidence = judge(machine, start);
        boolean isDue = evidence.isPresent()
                && start.reportedNanos
                        .filter(told -> nowNanos - told < REPORT_NANOS)
                        .isEmpty();
        if (isDue) {
            start.reportedNanos = Optional.of(nowNanos);
        }
        return isDue ? evidence : Optional.empty();
    }

    private Optional<DoubledIdentity> judge(Machine machine, Start start) {
        for (Start other : machine.starts) {
            if (start.endpoint.conflictsWith(other.endpoint) && wereBothThere(start, other)) {
                var evidence = new DoubledIdentity(start.endpoint.id().peer(), start.appearance(), other.appearance());
                long both = start.lastNanos - other.lastNanos < 0 ? start.lastNanos : other.lastNanos;
                machine.found = Optional.of(new Found(evidence, both));
                return Optional.of(evidence);
            }
        }
        return Optional.empty();
    }

    private boolean wereBothThere(Start one, Start other) {
        long later = one.firstNanos - other.firstNanos > 0 ? one.firstNanos : other.firstNanos;
        long since = (awakeNanos - later > 0 ? awakeNanos : later) + BOTH_NANOS;
        return one.lastNanos - since > 0 && other.lastNanos - since > 0;
    }
}

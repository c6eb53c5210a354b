package io.hearth.simulation.roster;

import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Signatures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * A home as its parts share it: the machines and the links between them, virtual time, random numbers, and what persons and the thief
 * did.
 */
final class RosterHome {
    static final long MILLI = 1_000_000L;
    static final long SECOND = 1_000 * MILLI;

    /** Until then there are faults; afterwards all are up and connected. */
    static final long TROUBLE_NANOS = 60 * SECOND;

    /** The name of its namespace. */
    static final String HOME = "home";

    final SplittableRandom random;
    final RosterBug bug;
    final Signatures signatures;
    final Kind kind;

    /** One change at a time, with time to agree between them. */
    final boolean isLight;

    final List<RosterNode> nodes = new ArrayList<>();
    final List<RosterWire> wires = new ArrayList<>();
    final SortedSet<PeerId> removedByOwners = new TreeSet<>();

    /** Removed machines of which a machine forgot the removal, and died before it could report it. */
    final Set<PeerId> untold = new TreeSet<>();

    /** The stolen machine; empty in a world without one. */
    Optional<PeerId> thief = Optional.empty();

    /** Secrets that the stolen machine knows. */
    final List<NetworkNamespace> thiefKnows = new ArrayList<>();

    /** By machine, the part of the network in which it is. */
    int[] sides;

    long now;
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::number));
    private long numbers;
    private int secrets;

    /** The actions of persons in a world. */
    enum Kind {
        /** Changes at any time. */
        ANY,
        /** Each side of a cut removes one machine; one side removes the signer of the other's removal. */
        CROSSED,
        /** Two machines founded a roster each and paired others, before they met. */
        TWO_FOUNDERS
    }

    private record Task(long atNanos, long number, Runnable what) {}

    RosterHome(long seed, RosterBug bug, Kind kind) {
        this.kind = kind;
        this.random = new SplittableRandom(seed);
        this.bug = bug;
        this.signatures = bug == RosterBug.ANY_SIGNATURE ? (_, _, _) -> true : DigestSignatures.HONEST;
        this.isLight = kind == Kind.ANY && seed % 2 == 0;
        int count = kind != Kind.ANY ? 4 + random.nextInt(3) : 3 + random.nextInt(4);
        this.sides = new int[count];
    }

    /** A number that no other link or task has. */
    long number() {
        return numbers++;
    }

    void after(long nanos, Runnable what) {
        tasks.add(new Task(now + nanos, numbers++, what));
    }

    /** Does what comes next. */
    void advance() {
        Task next = tasks.remove();
        now = next.atNanos();
        next.what().run();
    }

    NetworkNamespace secret(int generation) {
        byte[] bytes = new byte[NetworkNamespace.SECRET_BYTES];
        bytes[0] = (byte) ++secrets;
        bytes[1] = (byte) (secrets >>> 8);
        bytes[2] = (byte) random.nextInt();
        return NetworkNamespace.closed(HOME, generation, bytes);
    }

    void cut(int parts) {
        if (now >= TROUBLE_NANOS) {
            return;
        }
        for (int i = 0; i < sides.length; i++) {
            sides[i] = random.nextInt(parts);
        }
        cutWires();
    }

    void cutWires() {
        List.copyOf(wires).stream()
                .filter(wire -> !isReachable(wire.one, wire.other))
                .forEach(RosterWire::cut);
    }

    void heal() {
        sides = new int[nodes.size()];
    }

    boolean isReachable(RosterNode one, RosterNode other) {
        return sides[one.index] == sides[other.index];
    }

    String name(PeerId peer) {
        for (RosterNode node : nodes) {
            if (node.peer.equals(peer)) {
                return "m" + (node.index + 1);
            }
        }
        return peer.shortText();
    }
}

package io.hearth.collective.exchange;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.group.GroupLayout;
import io.hearth.collective.schedule.Islands;
import io.hearth.collective.schedule.Shares;
import io.hearth.identity.NodeId;
import io.hearth.topology.plan.Plan;
import io.hearth.transport.Arrivals;
import io.hearth.transport.DataStream;
import io.hearth.transport.StreamId;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * This rank's streams in one group epoch: one duplex stream to each other member, opened when a call first needs it.
 *
 * <p>Schedules use positions: in hop order for schedules around a ring, by rank for schedules between all pairs. Messages and scripts use
 * ranks.
 */
public final class Mesh {
    private static final Duration OPEN_AT_ONCE_MAX = Duration.ofSeconds(2);
    private static final long RETRY_MILLIS = 50;

    private final GroupLayout layout; // its plan is the first one
    private final NodeId self;
    private final int rank;
    private final boolean isOnOneMachine;
    private final Optional<Islands> machines;
    private final RankOrder byRank;
    private volatile Ways ways; // replaced between two numbers, read by the data threads of the later ones
    private final AtomicReferenceArray<@Nullable DataStream>
            streams; // by rank; set by openers, read by all data threads
    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch abandoned = new CountDownLatch(1);
    private final Set<Runnable> ends = ConcurrentHashMap.newKeySet(); // added by calling threads, run by abandon()
    private final List<Thread> openers = new ArrayList<>(); // under the lock
    private final Set<Integer> opening = new ConcurrentSkipListSet<>(); // ranks, by their openers

    private boolean ciphersTimed; // accessed by the driving thread
    private volatile @Nullable NodeId awaited; // written by data threads, read for error texts
    private volatile String waitingFor = "a view"; // used if it is not a member; written and read likewise

    /** The mesh of a layout that contains {@code self}. */
    public Mesh(GroupLayout layout, NodeId self) {
        this.layout = layout;
        this.self = self;
        this.rank = rank(self);
        this.isOnOneMachine =
                layout.members().stream().map(NodeId::peer).distinct().count() == 1;
        this.machines = hierarchy(
                Islands.byPlace(layout.members().stream().map(NodeId::peer).toList()));
        this.byRank = new RankOrder(IntStream.range(0, layout.members().size()).toArray());
        this.streams = new AtomicReferenceArray<>(layout.members().size());
        this.ways = ways(layout);
    }

    /** The ways of the bytes by a plan. */
    private record Ways(Plan plan, RankOrder byHop, boolean hopsAreRanks, Optional<Islands> islands) {}

    private Ways ways(GroupLayout planned) {
        Plan plan = planned.plan();
        List<NodeId> ring = planned.ring();
        return new Ways(
                plan,
                new RankOrder(ring.stream().mapToInt(this::rank).toArray()),
                ring.equals(members()),
                hierarchy(plan.islands().isEmpty() ? Islands.alone(world()) : new Islands(plan.islands())));
    }

    /** Follows the plan of the layout from the next number on. No call may run. */
    public void replan(GroupLayout planned) {
        ways = ways(planned);
    }

    /** The plan of the present number. */
    public Plan plan() {
        return ways.plan;
    }

    /** The planned shares of {@code count} elements in a direct sum. */
    public Shares shares(long count) {
        List<Integer> weights = ways.plan.weights();
        return weights.isEmpty() ? Shares.equal(count, world()) : shares(count, weights);
    }

    /** The planned shares of {@code count} elements among the leaders of these islands. */
    public Shares shares(long count, Islands islands) {
        List<Integer> weights = ways.plan.leaderWeights();
        boolean arePlanned =
                weights.size() == islands.count() && islands.leaders().equals(ways.plan.islands());
        return arePlanned ? shares(count, weights) : Shares.equal(count, islands.count());
    }

    private static Shares shares(long count, List<Integer> weights) {
        return Shares.weighted(count, weights.stream().map(Integer::doubleValue).toList());
    }

    private static Optional<Islands> hierarchy(Islands islands) {
        return islands.isHierarchy() ? Optional.of(islands) : Optional.empty();
    }

    public String fence() {
        return layout.fence();
    }

    public String lineage() {
        return layout.lineage();
    }

    public NodeId self() {
        return self;
    }

    public int world() {
        return layout.members().size();
    }

    /** By rank. */
    public List<NodeId> members() {
        return layout.members();
    }

    public int rank() {
        return rank;
    }

    /** Positions in the order in which bytes travel around the ring. */
    public RankOrder byHop() {
        return ways.byHop;
    }

    /** Positions that are ranks. */
    public RankOrder byRank() {
        return byRank;
    }

    /** Whether all members have the identity of one machine; the same on all of them. */
    public boolean isOnOneMachine() {
        return isOnOneMachine;
    }

    /** Number of members on this rank's machine, this one included. */
    public int ranksHere() {
        return (int) members().stream()
                .filter(member -> member.peer().equals(self.peer()))
                .count();
    }

    /**
     * The islands, by rank, that a sum with that strategy may use; the same on all ranks. {@code HIERARCHICAL} uses the planned ones, else
     * the members' machines. {@code AUTO} uses the planned ones only.
     */
    public Optional<Islands> islands(AllReduceStrategy asked) {
        return switch (asked) {
            case HIERARCHICAL -> ways.islands.isPresent() ? ways.islands : machines;
            case AUTO -> ways.islands;
            case RING, DIRECT, TREE, CENTRALIZED -> Optional.empty();
        };
    }

    public boolean hopsAreRanks() {
        return ways.hopsAreRanks;
    }

    /** The member before this one on the ring. */
    public NodeId previous() {
        RankOrder byHop = ways.byHop;
        return members().get(byHop.ranks()[Math.floorMod(byHop.position(rank) - 1, world())]);
    }

    /** Rank of a member; -1 for other nodes. */
    public int rank(NodeId member) {
        return layout.members().indexOf(member);
    }

    /** {@code rank 2 (ab12cd34)}. */
    public String name(NodeId member) {
        return "rank " + rank(member) + " (" + member.shortText() + ")";
    }

    /** Text that says what a call waits for at present. */
    public String waitingFor() {
        NodeId member = awaited;
        return member == null ? waitingFor : name(member) + " to send";
    }

    public void waitsFor(String what) {
        waitingFor = what;
        awaited = null;
    }

    /** Called by a data thread, once per segment: creates no text. */
    public void waitsFor(NodeId member) {
        awaited = member;
    }

    /** The open stream to a rank. */
    DataStream stream(int toRank) throws IOException {
        check();
        DataStream stream = streams.get(toRank);
        if (stream == null) {
            throw new IllegalStateException("the stream to rank " + toRank + " of " + fence() + " is not open");
        }
        return stream;
    }

    /** Switches the timing of the streams' ciphers; called by the driving thread once its streams are open. */
    void timeCiphers(boolean wanted) {
        if (wanted || ciphersTimed) {
            ciphersTimed = wanted;
            for (int other = 0; other < streams.length(); other++) {
                DataStream stream = streams.get(other);
                if (stream != null) {
                    stream.timeCipher(wanted);
                }
            }
        }
    }

    /** Bytes that this rank has sent in this mesh so far. */
    public long bytesSent() {
        long sum = 0;
        for (int other = 0; other < streams.length(); other++) {
            DataStream stream = streams.get(other);
            sum += stream == null ? 0 : stream.bytesSent();
        }
        return sum;
    }

    /** What arrived in this mesh so far from each member whose stream is open. */
    public SortedMap<NodeId, Arrivals> arrivals() {
        var byMember = new TreeMap<NodeId, Arrivals>();
        for (int other = 0; other < streams.length(); other++) {
            DataStream stream = streams.get(other);
            if (stream != null) {
                byMember.put(members().get(other), stream.arrivals());
            }
        }
        return byMember;
    }

    /** Whether the streams to all other ranks are open, and their bytes travel through shared memory. */
    public boolean isInMemory() {
        for (int other = 0; other < streams.length(); other++) {
            DataStream stream = streams.get(other);
            if (other != rank && (stream == null || !stream.isInMemory())) {
                return false;
            }
        }
        return true;
    }

    /** Whether the stream to a rank is open; false for this rank. */
    boolean isOpen(int ofRank) {
        return streams.get(ofRank) != null;
    }

    /**
     * Opens the streams to these ranks, all at once, and retries until the other ranks open them too.
     *
     * @throws IOException the mesh was abandoned
     */
    void open(StreamSource source, String group, List<Integer> wanted) throws IOException, InterruptedException {
        var failures = new ConcurrentLinkedQueue<Throwable>();
        var threads = new ArrayList<Thread>();
        for (int other : wanted) {
            if (other != rank && !isOpen(other)) {
                threads.add(Thread.ofPlatform().daemon().name("hearth-open").unstarted(() -> {
                    try {
                        open(source, group, other);
                    } catch (IOException | InterruptedException | RuntimeException | Error failed) {
                        failures.add(failed);
                    }
                }));
            }
        }
        lock.lock();
        try {
            openers.addAll(threads);
        } finally {
            lock.unlock();
        }
        try {
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
        } finally {
            threads.forEach(Thread::interrupt);
            lock.lock();
            try {
                openers.removeAll(threads);
            } finally {
                lock.unlock();
            }
            if (isAbandoned()) {
                closeStreams();
            }
        }
        check();
        Throwable failure = failures.peek();
        if (failure != null) {
            throw ReceiverThread.rethrown("opening streams failed", failure);
        }
    }

    private void open(StreamSource source, String group, int toRank) throws IOException, InterruptedException {
        var id = new StreamId(group, fence(), 0);
        NodeId member = members().get(toRank);
        opening.add(toRank);
        waitsForNextToOpen();
        while (true) {
            check();
            try {
                streams.set(toRank, source.open(member, id, OPEN_AT_ONCE_MAX));
                opening.remove(toRank);
                waitsForNextToOpen();
                return;
            } catch (IOException notYet) {
                if (abandoned.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw notYet;
                }
            }
        }
    }

    /** Names a rank whose stream is not open yet: a rank with an open stream has made the same call. */
    private void waitsForNextToOpen() {
        opening.stream()
                .findFirst()
                .ifPresent(other -> waitsFor(name(members().get(other)) + " to make the same call"));
    }

    public boolean isAbandoned() {
        return abandoned.getCount() == 0;
    }

    /**
     * Checks that the mesh is in use.
     *
     * @throws IOException it was abandoned
     */
    public void check() throws IOException {
        if (isAbandoned()) {
            throw new IOException("the streams of " + fence() + " were abandoned");
        }
    }

    /** Registers {@code end} to run when this mesh is abandoned, or at once if it already is; it must be idempotent and must not block. */
    public void adopt(Runnable end) {
        ends.add(end);
        if (isAbandoned()) {
            end.run();
        }
    }

    /** Removes an action that {@link #adopt} registered. */
    public void release(Runnable end) {
        ends.remove(end);
    }

    /** Ends every use of this mesh, from any thread; idempotent. */
    public void abandon() {
        abandoned.countDown();
        ends.forEach(Runnable::run);
        lock.lock();
        try {
            openers.forEach(Thread::interrupt);
        } finally {
            lock.unlock();
        }
        closeStreams();
    }

    private void closeStreams() {
        for (int other = 0; other < streams.length(); other++) {
            DataStream stream = streams.get(other);
            if (stream != null) {
                stream.close();
            }
        }
    }
}

package io.hearth.collective.state;

import io.hearth.accel.select.Engines;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.Signature;
import io.hearth.collective.StepStart;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.engine.ForwardingStream;
import io.hearth.collective.engine.MemoryFabric;
import io.hearth.collective.engine.TestGroup;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Exchange;
import io.hearth.collective.exchange.Gate;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.MeshDriver;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupLayout;
import io.hearth.core.Clock;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReport;
import io.hearth.topology.plan.Plan;
import io.hearth.transport.DataStream;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Ranks of one process that run boundaries over a {@link MemoryFabric}; a test can change the records that they send. */
public final class BoundaryGroup implements AutoCloseable {
    public static final int CHUNK_BYTES = 1024;
    private static final int SMALL_MAX = 1 << 20;
    private static final int SEGMENT_BYTES = 64;
    private static final Signature SIGNATURE =
            Signature.allReduce(ReduceOp.SUM, DataType.UINT8, StateClaim.BYTES, Signature.PLAIN);

    public final MemoryFabric fabric = new MemoryFabric();
    /** Time of all ranks; only the test advances it. */
    public final AtomicLong nowNanos = new AtomicLong();

    public LinkReport measured = LinkReport.NONE;
    /** The plan that each rank would propose if it led the group. */
    public Plan proposal = Plan.NONE;

    public Duration budget = Duration.ofMinutes(1);
    /** Progress reports of all ranks' fetches. */
    public final Queue<CollectiveProgress.Report> reports = new ConcurrentLinkedQueue<>();

    private final List<Rank> ranks = new ArrayList<>();
    private final AtomicInteger epoch = new AtomicInteger();
    private long number = 1;

    /** Changes a record of state that a rank sends, or throws. */
    public interface Meddler {
        public void meddle(RecordHeader header, byte[] bytes) throws IOException;
    }

    /** Outcome of an attempt on one rank: a start or an exception. */
    public record Outcome(
            @Nullable StepStart begun, @Nullable Throwable thrown, boolean interrupted, Optional<Plan> plan) {
        Outcome(@Nullable StepStart begun, @Nullable Throwable thrown, boolean interrupted) {
            this(begun, thrown, interrupted, Optional.empty());
        }

        public StepStart start() {
            if (begun == null) {
                throw new AssertionError("no start", thrown);
            }
            return begun;
        }
    }

    private static final int IN_TURN_BYTES_MAX = CollectiveConfig.DEFAULTS.inTurnBytesMax();

    private final class Rank {
        final NodeId node;
        final Buffers buffers = new Buffers();
        final Gate gate = new Gate();
        final AtomicInteger chunksSent = new AtomicInteger();
        final MeshDriver driver;
        volatile Meddler meddler = (_, _) -> {}; // written before an attempt, read by its threads
        volatile @Nullable Runnable refusal; // written before an attempt, read by its threads
        volatile CountDownLatch end = new CountDownLatch(1); // written before an attempt, read by its threads
        volatile @Nullable Thread thread; // written before an attempt, read by its threads
        byte[] bytes = {};
        SharedState state = new SharedState();
        boolean joined;

        @Nullable
        StepBoundary boundary;

        @Nullable
        Mesh ring;

        private final StreamSource plain;

        Rank(NodeId node, StreamSource plain, int size) {
            this.node = node;
            this.plain = plain;
            driver = new MeshDriver("digits", plain, Engines.best().newReducer(), gate, CollectiveConfig.DEFAULTS);
            share(size);
        }

        void share(int size) {
            bytes = new byte[size];
            state = size > SMALL_MAX ? new SharedState() : new SharedState(CHUNK_BYTES);
            if (size > 0) {
                state.share("weights", List.of(MemorySegment.ofArray(bytes)));
            }
        }

        private StreamSource streams() {
            return (peer, id, timeout) -> {
                Runnable refuse = refusal;
                if (refuse != null) {
                    refuse.run();
                    throw new IOException("no link");
                }
                return new Meddled(plain.open(peer, id, timeout), this);
            };
        }

        Outcome attempt(Mesh on, StepBoundary now) {
            Buffers.Buffer work = buffers.take(StateClaim.BYTES);
            try {
                var call = new Call(SIGNATURE, new Call.Memory(work.bytes(), null, work, work.bytes()), now, 0);
                call.number = number;
                Optional<CallRejection> refused = driver.drive(
                        on,
                        () -> now.attempt(new OperationContext(
                                Exchange.ofCall(driver, on, number, SIGNATURE, Optional.empty()),
                                on,
                                CollectiveConfig.DEFAULTS.cut(SEGMENT_BYTES, IN_TURN_BYTES_MAX),
                                call)));
                return refused.isEmpty()
                        ? new Outcome(now.pass(work.bytes()), null, false, now.plan())
                        : new Outcome(null, new AssertionError(refused.get()), false);
            } catch (Throwable thrown) {
                abandon(); // as the following view change does
                return new Outcome(null, thrown, Thread.interrupted());
            } finally {
                end.countDown();
                buffers.give(work);
            }
        }
    }

    /** A stream whose records pass through the sender's meddler. */
    private static final class Meddled extends ForwardingStream {
        private final Rank rank;

        Meddled(DataStream plain, Rank rank) {
            super(plain);
            this.rank = rank;
        }

        @Override
        public void send(
                int kind,
                int chunk,
                long collective,
                long offset,
                MemorySegment prefix,
                MemorySegment bytes,
                long from,
                int length)
                throws IOException {
            byte[] meddled = bytes.asSlice(from, length).toArray(ValueLayout.JAVA_BYTE);
            rank.meddler.meddle(new RecordHeader(length, kind, chunk, collective, offset), meddled);
            stream.send(kind, chunk, collective, offset, prefix, MemorySegment.ofArray(meddled), 0, length);
            if (kind == StateServer.CHUNK) {
                rank.chunksSent.incrementAndGet();
            }
        }
    }

    /** Creates {@code world} ranks that share {@code size} bytes each, in one ring. */
    public BoundaryGroup(int world, int size) {
        for (int rank = 0; rank < world; rank++) {
            NodeId node = TestGroup.node(rank);
            ranks.add(new Rank(node, fabric.of(node), size));
        }
        form(IntStream.range(0, world).boxed().toList());
    }

    /** Creates ranks over other streams. */
    public BoundaryGroup(SortedMap<NodeId, StreamSource> streams, int size) {
        streams.forEach((node, source) -> ranks.add(new Rank(node, source, size)));
        form(IntStream.range(0, ranks.size()).boxed().toList());
    }

    public int world() {
        return ranks.size();
    }

    public NodeId node(int rank) {
        return ranks.get(rank).node;
    }

    public SharedState state(int rank) {
        return ranks.get(rank).state;
    }

    public byte[] bytes(int rank) {
        return ranks.get(rank).bytes;
    }

    public Thread thread(int rank) {
        Thread thread = ranks.get(rank).thread;
        if (thread == null) {
            throw new IllegalStateException("rank " + rank + " has not begun");
        }
        return thread;
    }

    /** State content drawn from a seed. */
    public static byte[] content(long seed, int size) {
        byte[] bytes = new byte[size];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    public void hold(int rank, long seed, long revision, boolean joined) {
        Rank one = ranks.get(rank);
        System.arraycopy(content(seed, one.bytes.length), 0, one.bytes, 0, one.bytes.length);
        one.state.revision(revision);
        one.joined = joined;
    }

    public void flip(int rank, int index) {
        ranks.get(rank).bytes[index] ^= 4;
    }

    /** Gives a rank's state another size than the others'. */
    public void reshare(int rank, int size) {
        ranks.get(rank).share(size);
    }

    public void meddle(int rank, Meddler meddler) {
        ranks.get(rank).meddler = meddler;
    }

    /** Holds chunks back until each of these ranks has a request for one. */
    public void serveTogether(Integer... servers) {
        var asked = new CountDownLatch(servers.length);
        for (int rank : servers) {
            var isFirst = new AtomicBoolean(true);
            meddle(rank, (header, bytes) -> {
                if (header.kind() == StateServer.CHUNK && isFirst.getAndSet(false)) {
                    asked.countDown();
                    await(asked);
                }
            });
        }
    }

    /** From now on a rank gets no stream for state; {@code then} runs at each attempt to open one. */
    public void refuseStreams(int rank, Runnable then) {
        ranks.get(rank).refusal = then;
    }

    public void allowStreams(int rank) {
        ranks.get(rank).refusal = null;
    }

    /** Waits for the end of a rank's attempt. */
    public void awaitEnd(int rank) throws IOException {
        await(ranks.get(rank).end);
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("what was awaited did not happen");
            }
        } catch (InterruptedException stop) {
            throw new IOException(stop);
        }
    }

    public int chunksSent(int rank) {
        return ranks.get(rank).chunksSent.get();
    }

    public int chunksSent() {
        return ranks.stream().mapToInt(rank -> rank.chunksSent.get()).sum();
    }

    /** Installs the next view: these ranks in a new ring. */
    public void form(List<Integer> members) {
        List<NodeId> nodes = members.stream().map(this::node).toList();
        var layout = new GroupLayout("1", "1/" + epoch.incrementAndGet(), nodes, Plan.NONE);
        for (int rank = 0; rank < ranks.size(); rank++) {
            ranks.get(rank).ring = members.contains(rank) ? new Mesh(layout, node(rank)) : null;
            ranks.get(rank).meddler =
                    members.contains(rank) && epoch.get() > 1 ? ranks.get(rank).meddler : (_, _) -> {};
        }
    }

    public void abandon() {
        for (Rank rank : ranks) {
            Mesh ring = rank.ring;
            if (ring != null) {
                ring.abandon();
            }
        }
    }

    /** Begins the application's next call, with the current state of the ranks. */
    public void nextCall() {
        number++;
        ranks.forEach(rank -> rank.boundary = null);
    }

    /** Runs one attempt of the current call on all members of the ring. Returns outcomes by rank, empty ones for other ranks. */
    public List<Outcome> attempt() throws InterruptedException {
        var outcomes = new ArrayList<Outcome>(Collections.nCopies(ranks.size(), new Outcome(null, null, false)));
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < ranks.size(); i++) {
            int index = i;
            Rank rank = ranks.get(i);
            Mesh ring = rank.ring;
            if (ring == null) {
                continue;
            }
            StepBoundary boundary = rank.boundary == null ? boundary(rank) : rank.boundary;
            rank.boundary = boundary;
            rank.end = new CountDownLatch(1);
            Thread thread = Thread.ofPlatform()
                    .daemon(true)
                    .name("rank-" + i)
                    .unstarted(() -> outcomes.set(index, rank.attempt(ring, boundary)));
            rank.thread = thread;
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(60));
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " hangs");
            }
        }
        return outcomes;
    }

    private StepBoundary boundary(Rank rank) {
        var clock = new Clock() {
            @Override
            public long nanoTime() {
                return nowNanos.get();
            }

            @Override
            public long epochMillis() {
                return 0;
            }
        };
        if (rank.joined) {
            rank.state.left();
        } else {
            rank.state.passed("1", rank.state.revision() - 1, false);
        }
        return new StepBoundary(
                rank.state,
                new StepBoundary.Means(
                        "digits", rank.streams(), rank.buffers, clock, measured, () -> proposal, budget, reports::add));
    }

    @Override
    public void close() {
        abandon();
        for (Rank rank : ranks) {
            rank.driver.close();
            rank.state.close();
            rank.buffers.close();
        }
    }
}

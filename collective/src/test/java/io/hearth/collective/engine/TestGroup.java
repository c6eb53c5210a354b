package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.Reducer;
import io.hearth.accel.select.Engines;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.choice.CodecCost;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.CollectiveResolver;
import io.hearth.collective.group.GroupDecision;
import io.hearth.collective.group.Resolution;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.GroupPhase;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.topology.LinkReport;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.PlanCosts;
import io.hearth.transport.StreamSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Members of one group in one process with their engines, and the part of a view change that concerns collectives. */
public final class TestGroup implements AutoCloseable {
    public static final String GROUP = "digits";

    /** Number of requests for the costs of codecs. */
    public final AtomicInteger costsAsked = new AtomicInteger();

    public final MemoryFabric fabric = new MemoryFabric();
    public final List<NodeId> nodes = new ArrayList<>();
    public final Map<NodeId, CollectiveEngine> engines = new HashMap<>();
    /** Events of the engines' listeners, one line each. */
    public final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    /** Measured round trips of a node, by peer. */
    public Function<NodeId, LinkReport> measured = node -> LinkReport.NONE;

    private final CollectiveResolver resolver = new CollectiveResolver();
    private final Lineage lineage;
    private View view;

    public TestGroup(int world, EngineOptions options) {
        this(world, options, List.of());
    }

    /** Creates a group with a hop order for its first ring. */
    public TestGroup(int world, EngineOptions options, List<Integer> order) {
        this(world, options, order, rank -> Engines.best().newReducer());
    }

    /** Creates a group with a reducer for each rank. */
    public TestGroup(int world, EngineOptions options, List<Integer> order, IntFunction<Reducer> reducers) {
        this(
                IntStream.range(0, world).mapToObj(TestGroup::node).toList(),
                options,
                order,
                reducers,
                null,
                Clock.system());
    }

    /** Creates a group of these nodes, by rank. */
    public TestGroup(List<NodeId> members, EngineOptions options, List<Integer> order) {
        this(members, options, order, rank -> Engines.best().newReducer(), null, Clock.system());
    }

    /** Creates a group with options for each rank. */
    public TestGroup(int world, IntFunction<EngineOptions> options, List<Integer> order) {
        this(
                IntStream.range(0, world).mapToObj(TestGroup::node).toList(),
                options,
                order,
                rank -> Engines.best().newReducer(),
                null,
                Clock.system());
    }

    /** Creates a group with one clock for all ranks. */
    public TestGroup(int world, EngineOptions options, Clock clock) {
        this(
                IntStream.range(0, world).mapToObj(TestGroup::node).toList(),
                options,
                List.of(),
                rank -> Engines.best().newReducer(),
                null,
                clock);
    }

    /** Creates a group of these nodes, by rank, over these streams; null for those of {@link #fabric}. */
    public TestGroup(
            List<NodeId> members,
            EngineOptions options,
            List<Integer> order,
            IntFunction<Reducer> reducers,
            @Nullable Function<NodeId, StreamSource> streams,
            Clock clock) {
        this(members, rank -> options, order, reducers, streams, clock);
    }

    private TestGroup(
            List<NodeId> members,
            IntFunction<EngineOptions> options,
            List<Integer> order,
            IntFunction<Reducer> reducers,
            @Nullable Function<NodeId, StreamSource> streams,
            Clock clock) {
        nodes.addAll(members);
        lineage = new Lineage(false, 1, nodes.getFirst(), 1, 0);
        view = view(
                1,
                1,
                nodes,
                CollectiveMessages.encode(Resolution.NOTHING.planned(
                        new Plan(fromZero(order), List.of(), List.of(), PlanCosts.UNKNOWN))));
        for (NodeId node : nodes) {
            Reducer reducer = reducers.apply(nodes.indexOf(node));
            var engine = new CollectiveEngine(
                    GROUP,
                    node,
                    streams == null ? fabric.of(node) : streams.apply(node),
                    reducer,
                    options.apply(nodes.indexOf(node)),
                    listener(node),
                    clock,
                    codecs -> {
                        costsAsked.incrementAndGet();
                        return codecs.stream().map(TestGroup::cost).toList();
                    });
            engines.put(node, engine);
            engine.install(lineage.shortText(), view);
        }
    }

    /** Roughly the costs on a current processor, so that the choice of {@code auto} does not depend on the machine. */
    private static CodecCost cost(CompressionStrategy.Coded codec) {
        return codec instanceof CompressionStrategy.TopK topk
                ? new CodecCost(false, 3 * topk.fraction(), 0.9, 0.1, 0.05)
                : new CodecCost(true, codec instanceof CompressionStrategy.Fp16 ? 2 : 1.0625, 0.3, 0.15, 0.17);
    }

    /** The same ring, beginning with rank 0 as in a plan. */
    private static List<Integer> fromZero(List<Integer> ring) {
        var turned = new ArrayList<>(ring);
        Collections.rotate(turned, -Math.max(0, ring.indexOf(0)));
        return turned;
    }

    public static NodeId node(int number) {
        return node(number, 0);
    }

    /** One of several nodes of a machine. */
    private static NodeId node(int machine, int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        Arrays.fill(key, (byte) (machine + 1));
        return new NodeId(PeerId.of(key), "trainer-" + number);
    }

    /** Nodes by rank, {@code perMachine} of them on each machine; the last one may have fewer. */
    public static List<NodeId> nodes(int world, int perMachine) {
        return IntStream.range(0, world)
                .mapToObj(rank -> node(rank / perMachine, rank % perMachine))
                .toList();
    }

    private CollectiveListener listener(NodeId node) {
        return new CollectiveListener() {
            @Override
            public void progress(long doneUpTo, GroupPhase phase) {
                told.add("progress " + nodes.indexOf(node) + " " + doneUpTo + " " + phase);
            }

            @Override
            public void streamBroken(NodeId peer, String why) {
                told.add("broken " + nodes.indexOf(node) + " " + why);
            }

            @Override
            public void gaveUp(String why) {
                told.add("gaveUp " + nodes.indexOf(node) + " " + why);
            }

            @Override
            public void failed(Throwable why) {
                told.add("failed " + nodes.indexOf(node) + " " + why);
            }
        };
    }

    private View view(long epoch, long groupEpoch, List<NodeId> members, Bytes resolution) {
        List<Member> list = members.stream()
                .map(node -> new Member(node, 1, 1, Role.TRAINER, GROUP, 1))
                .toList();
        return new View(lineage, epoch, list, List.of(new GroupView(GROUP, groupEpoch, resolution)));
    }

    /** The text form of the group's lineage. */
    String lineage() {
        return lineage.shortText();
    }

    public CollectiveEngine engine(int rank) {
        return of(nodes.get(rank));
    }

    public CollectiveEngine of(NodeId node) {
        return Optional.ofNullable(engines.get(node)).orElseThrow();
    }

    public List<Resolver.Report> freeze(List<NodeId> kept) {
        List<Resolver.Report> reports = new ArrayList<>();
        for (NodeId node : kept) {
            reports.add(new Resolver.Report(
                    view.member(node).orElseThrow(),
                    of(node).freeze(lineage.shortText(), view.epoch(), measured.apply(node))));
        }
        return reports;
    }

    /** The group's part of {@link #decideAll}. */
    public Resolution decide(List<Resolver.Report> reports) {
        return decideAll(reports).group();
    }

    /** The decision that a view change makes from these reports. */
    GroupDecision decideAll(List<Resolver.Report> reports) {
        List<NodeId> kept =
                reports.stream().map(report -> report.member().node()).toList();
        boolean isNew = !kept.equals(view.members().stream().map(Member::node).toList())
                || resolver.broken(GROUP, reports).isPresent();
        GroupView before = view.groupView(GROUP).orElseThrow();
        Bytes resolution = isNew
                ? resolver.resolve(
                        GROUP, reports.stream().map(Resolver.Report::member).toList(), reports)
                : before.resolution();
        view = view(view.epoch() + 1, isNew ? view.epoch() + 1 : before.epoch(), kept, resolution);
        try {
            return CollectiveMessages.decision(resolution);
        } catch (MalformedMessageException bug) {
            throw new AssertionError(bug);
        }
    }

    public void install(List<NodeId> kept) {
        for (NodeId node : kept) {
            of(node).install(lineage.shortText(), view);
        }
    }

    /** Runs a whole view change that keeps these nodes. They install the view one after the other, with {@code between} in between. */
    public void change(List<NodeId> kept, Runnable between) {
        decide(freeze(kept));
        for (NodeId node : kept) {
            install(List.of(node));
            between.run();
        }
    }

    /** Runs a whole view change that keeps these nodes. */
    public Resolution change(List<NodeId> kept) {
        Resolution resolution = decide(freeze(kept));
        install(kept);
        return resolution;
    }

    /** Installs a view of the same members with a forged resolution. */
    void lie(Resolution resolution) {
        freeze(nodes);
        view = view(view.epoch() + 1, view.epoch() + 1, nodes, CollectiveMessages.encode(resolution));
        install(nodes);
    }

    /** Returns when each of these has begun its first collective: until then its ranks are those of the newest view. */
    void awaitFirstCall(List<NodeId> members) {
        for (NodeId member : members) {
            while (of(member).phase() == GroupPhase.FRESH) {
                Thread.onSpinWait();
            }
        }
    }

    /** Admits a removed node again: the same node, as a new member. */
    public void admit(NodeId node) {
        freeze(view.members().stream().map(Member::node).toList());
        List<Member> members = new ArrayList<>(view.members());
        members.add(new Member(node, 1, view.epoch() + 1, Role.TRAINER, GROUP, 1));
        view = new View(
                lineage,
                view.epoch() + 1,
                members,
                List.of(new GroupView(GROUP, view.epoch() + 1, CollectiveMessages.encode(Resolution.NOTHING))));
        install(members.stream().map(Member::node).toList());
    }

    /** Installs a view with this node alone; it must not be in the group's view. */
    public void alone(NodeId node) {
        of(node).freeze(lineage.shortText(), view.epoch(), LinkReport.NONE);
        var own = new Lineage(false, 1, node, 1, 0);
        var list = List.of(new Member(node, 1, 1, Role.TRAINER, GROUP, 1));
        var groups = List.of(new GroupView(GROUP, 1, CollectiveMessages.encode(Resolution.NOTHING)));
        of(node).install(own.shortText(), new View(own, 1, list, groups));
    }

    /** Admits a node that was {@link #alone}, when it and all others wait at the beginning of a step. */
    public void enter(NodeId node) {
        for (NodeId member : nodes) {
            while (of(member).phase() != GroupPhase.BOUNDARY) {
                Thread.onSpinWait();
            }
        }
        List<Resolver.Report> reports =
                freeze(view.members().stream().map(Member::node).toList());
        List<Member> members = new ArrayList<>(view.members());
        members.add(new Member(node, 1, view.epoch() + 1, Role.TRAINER, GROUP, 1));
        Bytes resolution = resolver.resolve(GROUP, members, reports);
        view = new View(
                lineage, view.epoch() + 1, members, List.of(new GroupView(GROUP, view.epoch() + 1, resolution)));
        install(members.stream().map(Member::node).toList());
    }

    public List<NodeId> without(NodeId node) {
        return nodes.stream().filter(other -> !other.equals(node)).toList();
    }

    /** Waits until a line with each of these prefixes was reported, in any order. Returns the last line. */
    public String awaitTold(String... prefixes) {
        var missing = new ArrayList<>(List.of(prefixes));
        String line = "";
        while (!missing.isEmpty()) {
            line = awaitOne(missing.toArray(String[]::new));
            missing.removeIf(line::startsWith);
        }
        return line;
    }

    /** Waits until a line with one of these prefixes is reported. */
    public String awaitOne(String... prefixes) {
        try {
            while (true) {
                String line = told.poll(30, TimeUnit.SECONDS);
                if (line == null) {
                    throw new AssertionError("no line starts with " + String.join(" or ", prefixes));
                }
                if (Arrays.stream(prefixes).anyMatch(line::startsWith)) {
                    return line;
                }
            }
        } catch (InterruptedException stop) {
            throw new AssertionError(stop);
        }
    }

    /** The work of one rank. */
    public interface Work {
        void run(int rank, DistributedContext context) throws Exception;
    }

    /** Started work of all ranks; {@link #join()} waits for it. */
    public static final class Run {
        private final List<Thread> threads = new ArrayList<>();
        private final Map<Integer, Optional<Throwable>> ends = new ConcurrentHashMap<>();

        private void end(int rank, Optional<Throwable> how) {
            ends.put(rank, how);
        }

        /** Waits for these ranks and returns their exceptions. */
        public Map<Integer, Throwable> join(List<Integer> ranks) throws InterruptedException {
            var thrown = new HashMap<Integer, Throwable>();
            for (int rank : ranks) {
                threads.get(rank).join(TimeUnit.SECONDS.toMillis(60));
                assertTrue(!threads.get(rank).isAlive(), "rank " + rank + " hangs");
                ends.getOrDefault(rank, Optional.empty()).ifPresent(error -> thrown.put(rank, error));
            }
            return thrown;
        }

        public Map<Integer, Throwable> join() throws InterruptedException {
            return join(IntStream.range(0, threads.size()).boxed().toList());
        }

        /** Waits for all ranks and expects no error. */
        public void joinWell() throws InterruptedException {
            for (Map.Entry<Integer, Throwable> error : join().entrySet()) {
                throw new AssertionError("rank " + error.getKey(), error.getValue());
            }
        }
    }

    /** Starts one thread for each node. */
    public Run start(Work work) {
        var run = new Run();
        for (int rank = 0; rank < nodes.size(); rank++) {
            int self = rank;
            Thread thread = Thread.ofPlatform()
                    .daemon(true)
                    .name("rank-" + rank)
                    .unstarted(() -> {
                        try {
                            work.run(self, new DistributedContext(engine(self)));
                            run.end(self, Optional.empty());
                        } catch (Throwable error) {
                            run.end(self, Optional.of(error));
                        }
                    });
            run.threads.add(thread);
        }
        run.threads.forEach(Thread::start);
        return run;
    }

    public void end(NodeId node) {
        of(node).removed(new CollectiveException("dead"));
    }

    @Override
    public void close() {
        engines.values().forEach(CollectiveEngine::close);
    }
}

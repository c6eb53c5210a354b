package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.collective.LossPolicy;
import io.hearth.election.ElectionConfig;
import io.hearth.election.Lineage;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One seed: some hosts, their processes and the network between them, through a time of faults and then in {@link Quiescence}.
 *
 * <p>Rules of safety are checked at every event.
 */
final class World {
    /** A disk that is slower needs more than a network that is well. */
    private static final long SLOW_DISK_NANOS_IN_PEACE = 700 * MILLI;

    private static final long EXTREMES = 0x5DEECE66DL;

    private static final long LIARS = 0x4C49_4553;
    private static final long GOSSIPS = 0x474F_5353;
    private static final long EXPULSIONS = 0x4558_504C;
    private static final int OUT_OF_SIGHT_ONE_IN = 8;
    private static final int PUT_OUT_ONE_IN = 10;

    /** Between two pauses of one process that together are no death. */
    static final long WELL_NANOS = 2 * SECOND;

    /** Most that a wall clock is wrong: more than a year. */
    static final long CLOCK_MILLIS_MAX = 40_000_000_000L;

    private static final int LIES_ONE_IN = 8;

    /** What goes on. */
    private enum Phase {
        FAULTS,
        PEACE,
        LAST_TRAINING
    }

    final Timeline timeline = new Timeline();
    final Tally tally = new Tally(timeline::now);
    final ViewChecker viewChecker;
    final CollectiveChecker results = new CollectiveChecker(this);
    final SplittableRandom random;
    final Spans spans;
    final FaultProfile profile;
    final Cluster cluster;
    final Network network;
    final MessageBus bus = new MessageBus(this);
    final FaultInjector injector;
    final Outages outages;
    final Removals removals = new Removals(this);
    final Dissolutions dissolutions = new Dissolutions(this);
    final Expulsion expulsion;
    final ByzantineNode byzantine;
    final Liar liar;
    final BugHooks hooks;
    final ElectionConfig config;
    final LossPolicy policy;
    final int depth;

    /** Whether scripts begin steps, so that trainers enter running groups. */
    final boolean hasSteps;

    /** Whether scripts broadcast, too. */
    final boolean hasBroadcasts;

    final boolean hasSumsInPlace;

    /** Whether scripts reduce, gather, scatter and reduce-scatter, too. */
    final boolean hasParts;

    /** Whether trainers send to each other from rank to rank, too. */
    final boolean hasPairs;

    final PairChecker pairs;

    /** How long news of addresses travel. */
    final SplittableRandom gossips;

    final Narrator narrator;

    private final @Nullable Consumer<String> trace;
    private final long transferNanosMax;
    private Phase phase = Phase.FAULTS;

    World(long seed, BugHooks hooks, @Nullable Consumer<String> trace) {
        this(seed, hooks, trace, Optional.empty());
    }

    /** {@code lies} are told by a member in any case; else only where the weather has it. */
    World(long seed, BugHooks hooks, @Nullable Consumer<String> trace, Optional<Liar.Plan> lies) {
        this.random = new SplittableRandom(seed);
        var rarities =
                new SplittableRandom(~seed); // of its own: worlds without them stay as they are when one is added
        this.hooks = hooks;
        this.trace = trace;
        var extremes = new SplittableRandom(seed ^ EXTREMES); // of its own, too: what no span of some seconds reaches
        this.spans = Spans.draw(extremes);
        FaultProfile drawn = FaultProfile.draw(random, rarities).widened(extremes, spans);
        var liars = new SplittableRandom(seed ^ LIARS); // of its own, too
        boolean hasLiar = liars.nextInt(LIES_ONE_IN) == 0 || lies.isPresent();
        Liar.Plan plan = lies.orElseGet(() -> hasLiar ? Liar.Plan.draw(liars) : Liar.Plan.NONE);
        FaultProfile told = hasLiar ? drawn.withLies(plan.isAlone()) : drawn;
        this.gossips = new SplittableRandom(seed ^ GOSSIPS); // of its own, too
        FaultProfile seen = gossips.nextInt(OUT_OF_SIGHT_ONE_IN) == 0 ? told.with(FaultKind.OUT_OF_SIGHT) : told;
        var expulsions = new SplittableRandom(seed ^ EXPULSIONS); // of its own, too
        boolean isPutOut = expulsions.nextInt(PUT_OUT_ONE_IN) == 0 && !hasLiar;
        this.profile = isPutOut ? seen.with(FaultKind.PUT_OUT) : seen;
        this.expulsion = new Expulsion(this, expulsions);
        this.cluster = new Cluster(this, random, rarities, extremes);
        this.narrator = new Narrator(this::name);
        this.network = new Network(cluster.hosts().size(), profile, random, tally, timeline);
        this.injector = new FaultInjector(this, profile, random);
        this.outages = new Outages(this, random);
        this.byzantine = new ByzantineNode(this, random);
        this.liar = new Liar(this, plan, liars);
        this.viewChecker = new ViewChecker(this::committed, removals::committed, timeline::now);
        var onPartition =
                random.nextInt(4) == 0 ? ElectionConfig.OnPartition.CONTINUE : ElectionConfig.OnPartition.STALL;
        this.config = hooks.config(spans.election().onPartition(onPartition));
        this.policy = random.nextInt(5) == 0 ? LossPolicy.FAIL_FAST : LossPolicy.RETRY;
        this.hasSteps = random.nextBoolean() || plan.isAlone();
        this.depth = !hasSteps && random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1;
        this.hasBroadcasts = depth == 1 && rarities.nextBoolean();
        this.hasSumsInPlace = rarities.nextBoolean();
        this.hasParts = new SplittableRandom(seed ^ 0x5041_5254).nextBoolean(); // of its own, as above
        this.pairs = new PairChecker(new SplittableRandom(seed ^ 0x5041_4952));
        this.hasPairs = pairs.random.nextBoolean();
        this.transferNanosMax = random.nextInt(3) == 0 ? 3 * SECOND : 200 * MILLI;
    }

    /** Plays it to the end, or to the first violation. */
    void play() {
        note("spans: " + spans.name() + ", weather: "
                + profile.kinds().stream().map(FaultKind::text).toList() + ", hosts "
                + cluster.hosts().stream().map(Host::name).toList() + ", " + (hasSteps ? "steps" : "depth " + depth)
                + (hasBroadcasts ? ", broadcasts" : "")
                + (hasSumsInPlace ? ", sums in place" : "")
                + (hasParts ? ", parts" : "")
                + (hasPairs ? ", pairs" : "")
                + ", " + policy + ", "
                + config.stalling().onPartition());
        cluster.hosts().forEach(host -> after(random.nextLong(2 * SECOND), () -> cluster.start(host)));
        injector.plan();
        expulsion.plan();
        byzantine.begin();
        liar.begin();
        if (liar.forges()) {
            viewChecker.turnOff();
        }
        timeline.runUntil(profile.faultyNanos());
        note("PEACE");
        phase = Phase.PEACE;
        injector.end();
        liar.end();
        outages.end();
        expulsion.end();
        network.heal();
        cluster.hosts().forEach(host -> host.home.heal(SLOW_DISK_NANOS_IN_PEACE));
        List<Host> down = cluster.hosts().stream()
                .filter(host -> !cluster.isGivenUp(host))
                .toList();
        down.forEach(host -> after(random.nextLong(300 * MILLI), () -> cluster.start(host)));
        var quiescence = new Quiescence(this);
        quiescence.settle();
        if (profile.has(FaultKind.OUTAGE)) {
            timeline.runUntil(outages.inPeace());
            quiescence = new Quiescence(this);
            quiescence.settle();
        }
        if (liar.goes()) {
            note("PEACE without the liar");
            quiescence = new Quiescence(this);
            quiescence.settle();
        }
        if (cluster.loseProcess(random)) {
            note("PEACE without one process of a machine");
            quiescence = new Quiescence(this);
            quiescence.settle();
        }
        note("the last training");
        phase = Phase.LAST_TRAINING;
        quiescence.trainOnceMore();
    }

    private void committed(View view) {
        dissolutions.committed(view);
        results.committed(view);
    }

    // ---- time and chance

    long now() {
        return timeline.now();
    }

    void after(long delayNanos, Runnable what) {
        timeline.after(delayNanos, what);
    }

    /** What a wall clock says, which may be anything. */
    long wallMillis(Home home) {
        long jump = 0;
        if (profile.has(FaultKind.CLOCK_JUMP)) {
            tally.fault(FaultKind.CLOCK_JUMP);
            jump = random.nextLong(-CLOCK_MILLIS_MAX, CLOCK_MILLIS_MAX);
        }
        return 2_000_000_000_000L + home.clockStepMillis() + jump + now() / MILLI + random.nextInt(500);
    }

    // ---- what applications do when

    boolean isFaulty() {
        return phase == Phase.FAULTS;
    }

    /** Jobs with steps go on in peace: whoever comes enters them. */
    boolean beginsJobs() {
        return phase == Phase.FAULTS || hasSteps;
    }

    boolean endsJobs() {
        return hasSteps ? phase == Phase.FAULTS && !liar.isAlone() : phase != Phase.LAST_TRAINING;
    }

    /** In numbers. */
    long jobLength() {
        return 4 + random.nextLong(25);
    }

    /** What a script does between two calls. */
    long workNanos() {
        return hasSteps ? 10 * MILLI + random.nextLong(100 * MILLI) : random.nextLong(30 * MILLI);
    }

    /** How long one vote takes on its way to the disk. */
    long diskNanos() {
        return 100_000 + random.nextLong(MILLI);
    }

    /** How long the data threads take to stop. */
    long freezeNanos() {
        return random.nextInt(4) == 0 ? random.nextLong(300 * MILLI) : 0;
    }

    /** Until when a script that got an error does something else; where spans are scaled, longer than records are kept. */
    long restsUntil() {
        return spans.areScaled() && random.nextInt(3) == 0 ? now() + random.nextLong(spans.absenceNanos()) : now();
    }

    /** How long it takes to hand a whole state over. */
    long transferNanos() {
        return random.nextLong(isFaulty() ? transferNanosMax : 200 * MILLI);
    }

    /** In peace nothing but the protocol itself may end a wait. */
    boolean hasDeadlines() {
        return phase == Phase.FAULTS;
    }

    long deadlineNanos() {
        return 3 * SECOND + random.nextLong(4 * SECOND);
    }

    // ---- words

    /** Names a lineage in fences as the agent does: founder, incarnation and counter are never used twice. */
    static String text(Lineage lineage) {
        return lineage.founder().text() + "#" + lineage.incarnation() + "." + lineage.counter();
    }

    String name(NodeId node) {
        return cluster.host(node).map(Host::name).orElse("hostile");
    }

    void note(String what) {
        if (trace != null) {
            trace.accept(stamp() + what);
        }
    }

    void trace(NodeProcess process, Supplier<String> what) {
        if (trace != null) {
            trace.accept(stamp() + process.host.name() + "." + process.incarnation + " " + readable(what.get()));
        }
    }

    private String stamp() {
        return String.format(Locale.ROOT, "%9.3f ms  ", now() / 1e6);
    }

    private String readable(String text) {
        String named = text;
        for (Host host : cluster.hosts()) {
            named = named.replace(host.id.shortText(), host.name());
        }
        return named;
    }

    boolean isTraced() {
        return trace != null;
    }
}

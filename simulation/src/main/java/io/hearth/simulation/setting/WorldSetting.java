package io.hearth.simulation.setting;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.collective.LossPolicy;
import io.hearth.election.ElectionConfig;
import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import io.hearth.simulation.host.Home;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.host.Population;
import io.hearth.simulation.plant.BugHooks;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.report.WorldStatistics;
import io.hearth.simulation.rule.PairChecker;
import io.hearth.simulation.rule.SubgroupChecker;
import io.hearth.simulation.rule.ViewChecker;
import io.hearth.simulation.time.Spans;
import io.hearth.simulation.time.Timeline;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What one seed draws before anything happens, and what all parts of its world share: time, chance, the network and the trace. */
public final class WorldSetting {
    private static final long EXTREMES = 0x5DEECE66DL;
    private static final long LIARS = 0x4C49_4553;
    private static final long GOSSIPS = 0x474F_5353;
    private static final long EXPULSIONS = 0x4558_504C;
    private static final int OUT_OF_SIGHT_ONE_IN = 8;
    private static final int PUT_OUT_ONE_IN = 10;
    private static final long DISTANCES = 0x4449_5354;
    private static final long IDLENESS = 0x1d1eL << 40;
    private static final int MEASURED_ONE_IN = 4;
    private static final int IDLE_ONE_IN = 3;
    private static final int FAR_ONE_IN = 3;
    private static final int SUBGROUPS_ONE_IN = 3;
    private static final int LIES_ONE_IN = 8;
    private static final int FLOODS_ONE_IN = 16;

    /** Between two pauses of one process that together are no death. */
    public static final long WELL_NANOS = 2 * SECOND;

    /** Most that a wall clock is wrong: more than a year. */
    public static final long CLOCK_MILLIS_MAX = 40_000_000_000L;

    /** The part of a world's time. */
    public enum Phase {
        FAULTS,
        PEACE,
        LAST_TRAINING
    }

    public final Timeline timeline = new Timeline();
    public final WorldStatistics statistics = new WorldStatistics(timeline::now);
    public final ViewChecker viewChecker = new ViewChecker(timeline::now);
    public final SplittableRandom random;
    public final SplittableRandom liars;
    public final SplittableRandom expulsions;

    /** How long news of addresses travel. */
    public final SplittableRandom gossips;

    /** How far hosts are from one another, and when. */
    private final SplittableRandom distances;

    public final Spans spans;
    public final FaultProfile profile;
    public final Population population;
    public final Network network;
    public final LiePlan lies;

    /** Whether the hostile node floods one process: once, and not in every world, since it costs as much as the rest of one. */
    public final boolean hasFlood;

    public final BugHooks hooks;
    public final ElectionConfig config;
    public final LossPolicy policy;
    public final int depth;

    /** Whether scripts begin steps, so that trainers enter running groups. */
    public final boolean hasSteps;

    /** Whether scripts broadcast, too. */
    public final boolean hasBroadcasts;

    public final boolean hasSumsInPlace;

    /** Whether scripts reduce, gather, scatter and reduce-scatter, too. */
    public final boolean hasParts;

    /** Whether trainers send to each other from rank to rank, too. */
    public final boolean hasPairs;

    /** Whether scripts sum among some ranks, too. */
    public final boolean hasSubgroups;

    /** Whether the leads of groups propose plans. */
    public final boolean hasPlans;

    /** Draws the plans and their times. */
    public final SplittableRandom plans;

    public final PairChecker pairs;
    public final SubgroupChecker subgroups;
    public final Narrator narrator = new Narrator(this::name);

    private final @Nullable Consumer<String> trace;
    private final Map<NodeId, String> names = new TreeMap<>();
    private final long transferNanosMax;
    private Phase phase = Phase.FAULTS;

    /**
     * Draws a world. Kinds of faults that came later have random sources of their own, so that worlds without them stay the same.
     *
     * @param lies of a member in this world; if empty, only some worlds have a liar
     */
    public WorldSetting(long seed, BugHooks hooks, @Nullable Consumer<String> trace, Optional<LiePlan> lies) {
        this.random = new SplittableRandom(seed);
        this.hooks = hooks;
        this.trace = trace;
        var rarities = new SplittableRandom(~seed);
        var extremes = new SplittableRandom(seed ^ EXTREMES);
        this.distances = new SplittableRandom(seed ^ DISTANCES);
        boolean isMeasured = distances.nextInt(MEASURED_ONE_IN) == 0;
        Spans drawn = Spans.draw(extremes);
        Spans known = isMeasured ? drawn.measured(distances) : drawn;
        boolean isIdle = new SplittableRandom(seed ^ IDLENESS).nextInt(IDLE_ONE_IN) == 0;
        this.spans = isIdle ? known.idle() : known;
        FaultProfile usual = FaultProfile.draw(random, rarities).widened(extremes, spans);
        this.liars = new SplittableRandom(seed ^ LIARS);
        boolean hasLiar = liars.nextInt(LIES_ONE_IN) == 0 || lies.isPresent();
        this.lies = lies.orElseGet(() -> hasLiar ? LiePlan.draw(liars) : LiePlan.NONE);
        FaultProfile withLies = hasLiar ? usual.withLies(this.lies.isAlone()) : usual;
        this.gossips = new SplittableRandom(seed ^ GOSSIPS);
        FaultProfile withSight =
                gossips.nextInt(OUT_OF_SIGHT_ONE_IN) == 0 ? withLies.with(FaultKind.OUT_OF_SIGHT) : withLies;
        this.expulsions = new SplittableRandom(seed ^ EXPULSIONS);
        boolean isPutOut = expulsions.nextInt(PUT_OUT_ONE_IN) == 0 && !hasLiar;
        this.profile = isPutOut ? withSight.with(FaultKind.PUT_OUT) : withSight;
        this.population = Population.draw(random, rarities, extremes);
        this.network = new Network(population.hosts().size(), profile, random, statistics, timeline);
        if (isMeasured) {
            putApart();
        }
        this.hasFlood = random.nextInt(FLOODS_ONE_IN) == 0;
        var onPartition =
                random.nextInt(4) == 0 ? ElectionConfig.OnPartition.CONTINUE : ElectionConfig.OnPartition.STALL;
        this.config = hooks.config(spans.election().onPartition(onPartition));
        this.policy = random.nextInt(5) == 0 ? LossPolicy.FAIL_FAST : LossPolicy.RETRY;
        this.hasSteps = random.nextBoolean() || this.lies.isAlone();
        this.depth = !hasSteps && random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1;
        this.hasBroadcasts = depth == 1 && rarities.nextBoolean();
        this.hasSumsInPlace = rarities.nextBoolean();
        this.hasParts = new SplittableRandom(seed ^ 0x5041_5254).nextBoolean();
        this.pairs = new PairChecker(new SplittableRandom(seed ^ 0x5041_4952));
        this.hasPairs = pairs.random.nextBoolean();
        this.subgroups = new SubgroupChecker(new SplittableRandom(seed ^ 0x5355_4247));
        this.hasSubgroups = subgroups.random.nextInt(SUBGROUPS_ONE_IN) == 0 && depth == 1 && !hasLiar;
        this.plans = new SplittableRandom(seed ^ 0x504C_414E);
        this.hasPlans = plans.nextBoolean();
        this.transferNanosMax = random.nextInt(3) == 0 ? 3 * SECOND : 200 * MILLI;
        hosts().forEach(host -> names.put(host.id, host.name()));
    }

    /** Some pairs are far from one another from some time on, some of them only for a while. */
    private void putApart() {
        int hosts = population.hosts().size();
        for (int one = 0; one < hosts; one++) {
            for (int other = 0; other < one; other++) {
                if (distances.nextInt(FAR_ONE_IN) == 0) {
                    putApart(one, other);
                }
            }
        }
    }

    private void putApart(int one, int other) {
        long nanos = 5 * MILLI + distances.nextLong(70 * MILLI);
        long from = distances.nextLong(10 * SECOND);
        timeline.after(from, () -> network.far(one, other, nanos));
        if (distances.nextBoolean()) {
            timeline.after(from + distances.nextLong(20 * SECOND), () -> network.far(one, other, 0));
        }
    }

    public List<Host> hosts() {
        return population.hosts();
    }

    public Optional<Host> host(NodeId node) {
        return hosts().stream().filter(host -> host.id.equals(node)).findFirst();
    }

    /** In one line, for the trace. */
    public String text() {
        return "spans: " + spans.name() + ", weather: "
                + profile.kinds().stream().map(FaultKind::text).toList() + ", hosts "
                + hosts().stream().map(Host::name).toList() + ", " + (hasSteps ? "steps" : "depth " + depth)
                + (hasBroadcasts ? ", broadcasts" : "")
                + (hasSumsInPlace ? ", sums in place" : "")
                + (hasParts ? ", parts" : "")
                + (hasPairs ? ", pairs" : "")
                + (hasSubgroups ? ", subgroups" : "")
                + (hasPlans ? ", plans" : "")
                + ", " + policy + ", "
                + config.stalling().onPartition();
    }

    // ---- time and chance

    public void enter(Phase next) {
        phase = next;
    }

    public long now() {
        return timeline.now();
    }

    public void after(long delayNanos, Runnable what) {
        timeline.after(delayNanos, what);
    }

    /** The time of a wall clock, which may be wrong by any span. */
    public long wallMillis(Home home) {
        long jump = 0;
        if (profile.has(FaultKind.CLOCK_JUMP)) {
            statistics.fault(FaultKind.CLOCK_JUMP);
            jump = random.nextLong(-CLOCK_MILLIS_MAX, CLOCK_MILLIS_MAX);
        }
        return 2_000_000_000_000L + home.clockStepMillis() + jump + now() / MILLI + random.nextInt(500);
    }

    // ---- what applications do when

    public boolean isFaulty() {
        return phase == Phase.FAULTS;
    }

    /** Jobs with steps go on in peace: a trainer that comes then enters them. */
    public boolean beginsJobs() {
        return phase == Phase.FAULTS || hasSteps;
    }

    public boolean endsJobs() {
        return hasSteps ? phase == Phase.FAULTS && !lies.isAlone() : phase != Phase.LAST_TRAINING;
    }

    /** In numbers. */
    public long jobLength() {
        return 4 + random.nextLong(25);
    }

    /** What a script does between two calls. */
    public long workNanos() {
        return hasSteps ? 10 * MILLI + random.nextLong(100 * MILLI) : random.nextLong(30 * MILLI);
    }

    /** How long one vote takes on its way to the disk. */
    public long diskNanos() {
        return 100_000 + random.nextLong(MILLI);
    }

    /** How long the data threads take to stop. */
    public long freezeNanos() {
        return random.nextInt(4) == 0 ? random.nextLong(300 * MILLI) : 0;
    }

    /** Until when a script that got an error does something else; where spans are scaled, longer than records are kept. */
    public long restsUntil() {
        return spans.areScaled() && random.nextInt(3) == 0 ? now() + random.nextLong(spans.absenceNanos()) : now();
    }

    /** How long it takes to hand a whole state over. */
    public long transferNanos() {
        return random.nextLong(isFaulty() ? transferNanosMax : 200 * MILLI);
    }

    /** In peace only the protocol itself may end a wait. */
    public boolean hasDeadlines() {
        return phase == Phase.FAULTS;
    }

    public long deadlineNanos() {
        return 3 * SECOND + random.nextLong(4 * SECOND);
    }

    // ---- words

    /** Names a lineage in fences as the agent does: founder, incarnation and counter are never used twice. */
    public static String text(Lineage lineage) {
        return lineage.founder().text() + "#" + lineage.incarnation() + "." + lineage.counter();
    }

    public String name(NodeId node) {
        return names.getOrDefault(node, "hostile");
    }

    public boolean isTraced() {
        return trace != null;
    }

    public void note(String what) {
        if (trace != null) {
            trace.accept(stamp() + what);
        }
    }

    public void trace(Host host, long incarnation, Supplier<String> what) {
        if (trace != null) {
            trace.accept(stamp() + host.name() + "." + incarnation + " " + readable(what.get()));
        }
    }

    private String stamp() {
        return String.format(Locale.ROOT, "%9.3f ms  ", now() / 1e6);
    }

    private String readable(String text) {
        String named = text;
        for (Host host : hosts()) {
            named = named.replace(host.id.shortText(), host.name());
        }
        return named;
    }
}

package io.hearth.agent;

import io.hearth.accel.EngineName;
import io.hearth.collective.RankBounds;
import io.hearth.compression.CompressionStrategy;
import io.hearth.election.Role;
import io.hearth.election.ViewRules;
import io.hearth.election.health.HealthConfig;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * What a node may be told. Everything has a default; a method with an argument gives a copy with that one thing changed, and the
 * one of the same name without an argument tells it. Holds no secrets.
 */
public final class HearthConfig {
    /** The group of trainers that name none. */
    public static final String DEFAULT_GROUP = "default";

    private static final int LISTED_MAX = 64;

    private final Values values;

    private HearthConfig(Values values) {
        this.values = values;
    }

    /** A trainer of the default group in the only namespace that this machine knows, on all usable interfaces. */
    public static HearthConfig defaults() {
        return new HearthConfig(new Values());
    }

    /** A node that is always on: coordinates and observes, trains nothing. */
    public HearthConfig agent(String slot) {
        return with(copy -> {
            copy.role = Role.AGENT;
            copy.slot = slot;
        });
    }

    /** Folder of identity and state; empty for {@code $HEARTH_HOME}, else {@code ~/.hearth}. */
    public Optional<Path> home() {
        return values.home;
    }

    /** A copy with another {@link #home()}. */
    public HearthConfig home(Path folder) {
        return with(copy -> copy.home = Optional.of(folder));
    }

    /** Name of the namespace whose secret must be known here; empty for the only one that is. */
    public Optional<String> namespace() {
        return values.namespace;
    }

    /** A copy with another {@link #namespace()}. */
    public HearthConfig namespace(String name) {
        return with(copy -> copy.namespace = Optional.of(name));
    }

    /** Whether to take part in the open namespace of that name, which anybody on the LAN may join. */
    public boolean open() {
        return values.open;
    }

    /** A copy with another {@link #open()}. */
    public HearthConfig open(boolean anybody) {
        return with(copy -> copy.open = anybody);
    }

    /** What people call this machine; empty for the computer's own name. */
    public Optional<String> label() {
        return values.label;
    }

    /** A copy with another {@link #label()}. */
    public HearthConfig label(String text) {
        return with(copy -> copy.label = Optional.of(text));
    }

    /** Agent or trainer. */
    public Role role() {
        return values.role;
    }

    /** Slot of an agent; trainers take the first free one. */
    public String slot() {
        return values.slot;
    }

    /** The job that a trainer joins, {@code [a-z0-9-]{1,63}}. */
    public String group() {
        return values.group;
    }

    /** A copy with another {@link #group()}. */
    public HearthConfig group(String job) {
        return with(copy -> copy.group = checkedGroup(job));
    }

    /** Exactly this port for links; empty for the usual ones of the role. */
    public OptionalInt port() {
        return values.port;
    }

    /** A copy with another {@link #port()}. */
    public HearthConfig port(int number) {
        return with(copy -> copy.port = OptionalInt.of(checkedPort(number)));
    }

    /** Exactly these network interfaces, by name; empty for all usable ones. */
    public List<String> interfaces() {
        return values.interfaces;
    }

    /** A copy with another {@link #interfaces()}. */
    public HearthConfig interfaces(List<String> names) {
        return with(copy -> copy.interfaces = bounded("interfaces", names));
    }

    /** Network interfaces to leave out. */
    public List<String> excludedInterfaces() {
        return values.excludedInterfaces;
    }

    /** A copy with another {@link #excludedInterfaces()}. */
    public HearthConfig excludedInterfaces(List<String> names) {
        return with(copy -> copy.excludedInterfaces = bounded("excluded interfaces", names));
    }

    /** Addresses {@code host[:port]} to try besides discovery. */
    public List<String> peers() {
        return values.peers;
    }

    /** A copy with another {@link #peers()}. */
    public HearthConfig peers(List<String> addresses) {
        return with(copy -> copy.peers = bounded("peers", addresses));
    }

    /** What all-reduce sends; the same on all members of the group. */
    public CompressionStrategy compression() {
        return values.compression;
    }

    /** A copy with another {@link #compression()}. */
    public HearthConfig compression(CompressionStrategy strategy) {
        return with(copy -> copy.compression = strategy);
    }

    /** The engine that reduces. */
    public EngineName engine() {
        return values.engine;
    }

    /** A copy with another {@link #engine()}. */
    public HearthConfig engine(EngineName name) {
        return with(copy -> copy.engine = name);
    }

    /** How gradients travel between nodes of this machine. */
    public DataTransport transport() {
        return values.transport;
    }

    /** A copy with another {@link #transport()}. */
    public HearthConfig transport(DataTransport way) {
        return with(copy -> copy.transport = way);
    }

    /** How soon silence is suspicious. */
    public HealthConfig health() {
        return values.health;
    }

    /** A copy with another {@link #health()}. */
    public HearthConfig health(HealthConfig config) {
        return with(copy -> copy.health = config);
    }

    /** Whether to go on alone when the quorum is lost for long, and to yield later. */
    public boolean continueOnPartition() {
        return values.continueOnPartition;
    }

    /** A copy with another {@link #continueOnPartition()}. */
    public HearthConfig continueOnPartition(boolean alone) {
        return with(copy -> copy.continueOnPartition = alone);
    }

    /** Whether the loss of a member ends running collectives with an error instead of repeating them. */
    public boolean failFast() {
        return values.failFast;
    }

    /** A copy with another {@link #failFast()}. */
    public HearthConfig failFast(boolean fail) {
        return with(copy -> copy.failFast = fail);
    }

    /**
     * Fewest ranks that this trainer goes on with, 1 unless said otherwise. With fewer, {@code context()} and the next step wait;
     * in a script without steps, the next collective does. At its deadline each rank gets a {@link
     * io.hearth.core.NotEnoughRanksException}. Where ranks say different numbers the largest counts.
     */
    public int minimumRanks() {
        return values.ranks.least();
    }

    /** A copy with another {@link #minimumRanks()}; and with as many {@link #maximumRanks()} if those were fewer. */
    public HearthConfig minimumRanks(int least) {
        return with(copy -> copy.ranks = new RankBounds(least, Math.max(least, copy.ranks.most())));
    }

    /**
     * Most ranks that the group trains with, as many as a cluster has unless said otherwise. A trainer that comes later is a spare:
     * it waits in {@code context()} or {@code beginStep()}, says so, and takes a place when one becomes free. The same on all ranks.
     */
    public int maximumRanks() {
        return values.ranks.most();
    }

    /** A copy with another {@link #maximumRanks()}, not below {@link #minimumRanks()}. */
    public HearthConfig maximumRanks(int most) {
        return with(copy -> copy.ranks = new RankBounds(copy.ranks.least(), most));
    }

    /** How long a collective may take. */
    public Duration deadline() {
        return values.deadline;
    }

    /** A copy with another {@link #deadline()}. */
    public HearthConfig deadline(Duration longest) {
        return with(copy -> copy.deadline = checkedSpan("deadline", longest));
    }

    /** How long the group may be kept waiting while this node takes over its shared state. */
    public Duration stateBudget() {
        return values.stateBudget;
    }

    /** A copy with another {@link #stateBudget()}; more than the default 10 s where the state is large and the link slow. */
    public HearthConfig stateBudget(Duration longest) {
        return with(copy -> copy.stateBudget = checkedSpan("state budget", longest));
    }

    private HearthConfig with(Consumer<Values> change) {
        var copy = new Values(values);
        change.accept(copy);
        return new HearthConfig(copy);
    }

    private static String checkedGroup(String job) {
        if (job.isEmpty() || !ViewRules.isGroupName(job)) {
            throw new IllegalArgumentException("a group is 1 to 63 of a-z, 0-9 and '-'");
        }
        return job;
    }

    private static int checkedPort(int number) {
        if (number < 1 || number > 65_535) {
            throw new IllegalArgumentException("a port is 1 to 65535, got " + number);
        }
        return number;
    }

    private static Duration checkedSpan(String what, Duration longest) {
        if (!longest.isPositive()) {
            throw new IllegalArgumentException("a " + what + " is longer than nothing, got " + longest);
        }
        return longest;
    }

    private static List<String> bounded(String what, List<String> entries) {
        if (entries.size() > LISTED_MAX) {
            throw new IllegalArgumentException("at most " + LISTED_MAX + " " + what + ", got " + entries.size());
        }
        return List.copyOf(entries);
    }

    /** Changed only while a copy is made. */
    private static final class Values {
        private Optional<Path> home = Optional.empty();
        private Optional<String> namespace = Optional.empty();
        private boolean open = false;
        private Optional<String> label = Optional.empty();
        private Role role = Role.TRAINER;
        private String slot = NodeId.AGENT;
        private String group = DEFAULT_GROUP;
        private OptionalInt port = OptionalInt.empty();
        private List<String> interfaces = List.of();
        private List<String> excludedInterfaces = List.of();
        private List<String> peers = List.of();
        private CompressionStrategy compression = CompressionStrategy.NONE;
        private EngineName engine = EngineName.AUTO;
        private DataTransport transport = DataTransport.AUTO;
        private HealthConfig health = HealthConfig.lan();
        private boolean continueOnPartition = false;
        private boolean failFast = false;
        private RankBounds ranks = RankBounds.ANY;
        private Duration deadline = Duration.ofMinutes(5);
        private Duration stateBudget = Duration.ofSeconds(10);

        private Values() {}

        private Values(Values from) {
            home = from.home;
            namespace = from.namespace;
            open = from.open;
            label = from.label;
            role = from.role;
            slot = from.slot;
            group = from.group;
            port = from.port;
            interfaces = from.interfaces;
            excludedInterfaces = from.excludedInterfaces;
            peers = from.peers;
            compression = from.compression;
            engine = from.engine;
            transport = from.transport;
            health = from.health;
            continueOnPartition = from.continueOnPartition;
            failFast = from.failFast;
            ranks = from.ranks;
            deadline = from.deadline;
            stateBudget = from.stateBudget;
        }
    }
}

package io.hearth.agent;

import io.hearth.accel.EngineName;
import io.hearth.agent.settings.Setting;
import io.hearth.agent.settings.Settings;
import io.hearth.collective.RankBounds;
import io.hearth.compression.CompressionStrategy;
import io.hearth.discovery.PeerName;
import io.hearth.election.Role;
import io.hearth.election.ViewRules;
import io.hearth.election.health.HealthConfig;
import io.hearth.election.health.Preset;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Settings of a node. Each setting has a default, and some can be set for the whole machine ({@link Setting}). A method with an argument
 * returns a copy with that setting changed; the method of the same name without an argument returns the setting. Contains no secrets.
 */
public final class HearthConfig {
    /** The group of trainers without a configured group. */
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

    /**
     * Reads the settings of a trainer, for programs that are not written in Java. What the text does not name has its default.
     *
     * @param text lines {@code key=value}. The keys are {@code home}, {@code namespace}, {@code open} (true or false), {@code label},
     *     {@code group}, {@code port}, {@code interfaces}, {@code exclude_interfaces} and {@code peers} (lists with commas),
     *     {@code compression}, {@code engine}, {@code transport}, {@code health}, {@code on_partition} (stall or continue),
     *     {@code on_loss} (retry or fail-fast), {@code ranks} (MIN or MIN:MAX), {@code deadline} and {@code state_budget} (times such as
     *     60s). Values have the form of the command line's options and of {@code config.toml}
     * @throws IllegalArgumentException if a line has another form, a key is not known or comes twice, or a value is wrong; its text names
     *     the key and says what the value must be
     */
    public static HearthConfig parse(String text) {
        return ConfigKey.read(text, defaults());
    }

    /** A copy for an agent: it is always on, coordinates and observes, and trains nothing. */
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

    /** Name of the namespace whose secret must be known here; empty for the only one. */
    public Optional<String> namespace() {
        return values.namespace;
    }

    /** A copy with another {@link #namespace()}. */
    public HearthConfig namespace(String name) {
        return with(copy -> copy.namespace = Optional.of(name));
    }

    /** Whether to take part in the open namespace of that name, which any computer on the LAN may join. */
    public boolean open() {
        return values.open;
    }

    /** A copy with another {@link #open()}. */
    public HearthConfig open(boolean anybody) {
        return with(copy -> copy.open = anybody);
    }

    /** Name of this machine for people; empty for the computer's own name. */
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

    /** Slot of an agent; a trainer takes the first free one. */
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

    /** Port of links, without alternatives; empty for the usual ones of the role. */
    public OptionalInt port() {
        return values.port;
    }

    /** A copy with another {@link #port()}. */
    public HearthConfig port(int number) {
        return with(copy -> copy.port = OptionalInt.of(checkedPort(number)));
    }

    /** Names of the network interfaces to use; empty for all usable ones. */
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

    /** Peers besides those that mDNS finds: each a text that {@link PeerName} reads. Those of the machine's settings are added. */
    public List<String> peers() {
        return values.peers;
    }

    /**
     * A copy with other {@link #peers()}. Checks their form; nothing is resolved.
     *
     * @throws IllegalArgumentException if a text has none of the forms of {@link PeerName}, or they are too many
     */
    public HearthConfig peers(List<String> names) {
        names.forEach(PeerName::parse);
        return with(copy -> copy.peers = bounded("peers", names));
    }

    /** Compression of all-reduce; the same on all members of the group. */
    public CompressionStrategy compression() {
        return values.compression;
    }

    /** A copy with another {@link #compression()}. */
    public HearthConfig compression(CompressionStrategy strategy) {
        return with(copy -> copy.compression = strategy);
    }

    /** The engine that reduces. */
    public EngineName engine() {
        return values.engine.orElse(EngineName.AUTO);
    }

    /** A copy with another {@link #engine()}. */
    public HearthConfig engine(EngineName name) {
        return with(copy -> copy.engine = Optional.of(name));
    }

    /** Transport of data streams, such as shared memory within this machine. */
    public DataTransport transport() {
        return values.transport;
    }

    /** A copy with another {@link #transport()}. */
    public HearthConfig transport(DataTransport way) {
        return with(copy -> copy.transport = way);
    }

    /**
     * Settings of the failure detector; empty for those of the machine, else for a {@link Preset} by measured round trips. The
     * longest silence that a node of the cluster wishes applies to all, up to that of {@link Preset#WAN}.
     */
    public Optional<HealthConfig> health() {
        return values.health;
    }

    /** A copy with another {@link #health()}. */
    public HearthConfig health(HealthConfig config) {
        return with(copy -> copy.health = Optional.of(config));
    }

    /** Whether this node continues alone after a long loss of the quorum, and yields to the others later. */
    public boolean continueOnPartition() {
        return values.continueOnPartition.orElse(false);
    }

    /** A copy with another {@link #continueOnPartition()}. */
    public HearthConfig continueOnPartition(boolean alone) {
        return with(copy -> copy.continueOnPartition = Optional.of(alone));
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
     * Fewest ranks with which this trainer continues, 1 by default. With fewer, {@code context()} and the next step wait; in a script
     * without steps, the next collective does. At its deadline each rank gets a {@link io.hearth.core.NotEnoughRanksException}. If ranks
     * have different numbers, the largest applies.
     */
    public int minimumRanks() {
        return values.ranks.least();
    }

    /** A copy with another {@link #minimumRanks()}; raises {@link #maximumRanks()} to the same number if it was smaller. */
    public HearthConfig minimumRanks(int least) {
        return with(copy -> copy.ranks = new RankBounds(least, Math.max(least, copy.ranks.most())));
    }

    /**
     * Most ranks with which the group trains, by default the most that a cluster can have. A trainer that comes later is a spare: it waits
     * in {@code context()} or {@code beginStep()}, logs that, and takes a place when one becomes free. The same on all ranks.
     */
    public int maximumRanks() {
        return values.ranks.most();
    }

    /** A copy with another {@link #maximumRanks()}, not below {@link #minimumRanks()}. */
    public HearthConfig maximumRanks(int most) {
        return with(copy -> copy.ranks = new RankBounds(copy.ranks.least(), most));
    }

    /** Time limit of a collective. */
    public Duration deadline() {
        return values.deadline;
    }

    /** A copy with another {@link #deadline()}. */
    public HearthConfig deadline(Duration longest) {
        return with(copy -> copy.deadline = checkedSpan("deadline", longest));
    }

    /** Time for which the group may wait while this node fetches its shared state. */
    public Duration stateBudget() {
        return values.stateBudget;
    }

    /** A copy with another {@link #stateBudget()}; use more than the default 10 s for a large state and a slow link. */
    public HearthConfig stateBudget(Duration longest) {
        return with(copy -> copy.stateBudget = checkedSpan("state budget", longest));
    }

    /**
     * A copy that has the machine's settings where this one has none; only {@link #peers()} are those of both. A port is for the machine's
     * agent.
     */
    public HearthConfig completed(Settings settings) {
        boolean isTheAgent = values.role == Role.AGENT && values.slot.equals(NodeId.AGENT);
        return with(copy -> {
            copy.namespace = copy.namespace.or(() -> settings.value(Setting.NAMESPACE));
            copy.label = copy.label.or(() -> settings.value(Setting.LABEL));
            copy.engine = copy.engine.or(() -> settings.value(Setting.ENGINE).map(EngineName::parse));
            copy.health = copy.health.or(() -> settings.value(Setting.HEALTH).flatMap(Setting::health));
            copy.continueOnPartition = copy.continueOnPartition.or(
                    () -> settings.value(Setting.ON_PARTITION).map(Setting::continuesOnPartition));
            if (copy.interfaces.isEmpty()) { // interfaces named here are used, even if a setting excludes them
                copy.interfaces = settings.values(Setting.INTERFACES);
                if (copy.excludedInterfaces.isEmpty()) {
                    copy.excludedInterfaces = settings.values(Setting.EXCLUDE_INTERFACES);
                }
            }
            if (isTheAgent && copy.port.isEmpty()) {
                copy.port = settings.value(Setting.LISTEN_PORT)
                        .map(port -> OptionalInt.of(Integer.parseInt(port)))
                        .orElse(OptionalInt.empty());
            }
            copy.peers = Stream.concat(settings.values(Setting.PEERS).stream(), copy.peers.stream())
                    .distinct()
                    .toList();
        });
    }

    private HearthConfig with(Consumer<Values> change) {
        var copy = new Values(values);
        change.accept(copy);
        return new HearthConfig(copy);
    }

    private static String checkedGroup(String job) {
        if (job.isEmpty() || !ViewRules.isGroupName(job)) {
            throw new IllegalArgumentException(
                    "group must be 1 to 63 characters of a-z, 0-9 and '-', got '" + job + "'");
        }
        return job;
    }

    private static int checkedPort(int number) {
        if (number < 1 || number > 65_535) {
            throw new IllegalArgumentException("port must be 1 to 65535, got " + number);
        }
        return number;
    }

    private static Duration checkedSpan(String what, Duration longest) {
        if (!longest.isPositive()) {
            throw new IllegalArgumentException(what + " must be positive, got " + longest);
        }
        return longest;
    }

    private static List<String> bounded(String what, List<String> entries) {
        if (entries.size() > LISTED_MAX) {
            throw new IllegalArgumentException("at most " + LISTED_MAX + " " + what + ", got " + entries.size());
        }
        return List.copyOf(entries);
    }

    /** The values of a configuration; changed only while a copy is made. */
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
        private Optional<EngineName> engine = Optional.empty();
        private DataTransport transport = DataTransport.AUTO;
        private Optional<HealthConfig> health = Optional.empty();
        private Optional<Boolean> continueOnPartition = Optional.empty();
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

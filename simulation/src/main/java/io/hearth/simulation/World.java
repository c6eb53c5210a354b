package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.collective.GroupMachine;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.ElectionConfig;
import io.hearth.election.HealthConfig;
import io.hearth.election.Lineage;
import io.hearth.election.Message;
import io.hearth.election.MessageCodec;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewMachine;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One seed: some hosts, their processes and the network between them, through a time of faults and then in peace.
 *
 * <p>Rules of safety are checked at every event. In peace every training has to end, all nodes have to come into one view, and
 * a training of all has to run to its end there.
 */
final class World {
    static final HealthConfig HEALTH = HealthConfig.lan();

    /** Has the secret and belongs to no machine of the world. */
    static final NodeId STRANGER = Nodes.agent(Nodes.MACHINES_MAX);

    /** Between two pauses of one process that together are no death. */
    static final long WELL_NANOS = 2 * SECOND;

    private static final long PEACE_NANOS = 60 * SECOND;
    private static final long CALM_NANOS = SECOND;
    private static final long LAST_TRAINING_NANOS = 10 * SECOND;
    private static final long LAST_TRAINING_LENGTH = 3;
    private static final long WATCH_NANOS = 100 * MILLI;
    private static final int WIRE_SAMPLE = 100;

    /** What goes on. */
    private enum Phase {
        FAULTS,
        PEACE,
        LAST_TRAINING
    }

    final Timeline timeline = new Timeline();
    final Tally tally = new Tally();
    final Ledger ledger;
    final Results results = new Results(this);
    final SplittableRandom random;
    final Weather weather;
    final Network network;
    final Chaos chaos;
    final Sabotage sabotage;
    final ElectionConfig config;
    final GroupMachine.Policy policy;
    final int depth;

    private final List<Host> hosts = new ArrayList<>();
    private final Map<NodeId, Host> byId = new TreeMap<>();
    private final @Nullable Consumer<String> trace;
    private final Narrator narrator = new Narrator(this::name);
    private Phase phase = Phase.FAULTS;
    private boolean isDamaged;

    World(long seed, Sabotage sabotage, @Nullable Consumer<String> trace) {
        this.random = new SplittableRandom(seed);
        this.sabotage = sabotage;
        this.trace = trace;
        this.weather = Weather.draw(random);
        populate();
        this.network = new Network(hosts.size(), weather, random, tally);
        this.chaos = new Chaos(this, weather, random);
        this.ledger = new Ledger(results::committed);
        var onPartition =
                random.nextInt(4) == 0 ? ElectionConfig.OnPartition.CONTINUE : ElectionConfig.OnPartition.STALL;
        this.config = sabotage.config(ElectionConfig.DEFAULTS.onPartition(onPartition));
        this.policy = random.nextInt(5) == 0 ? GroupMachine.Policy.FAIL_FAST : GroupMachine.Policy.RETRY;
        this.depth = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1;
    }

    private void populate() {
        int count = 2 + random.nextInt(4);
        boolean hasTwoGroups = random.nextInt(6) == 0;
        int machine = 0;
        for (int i = 0; i < count; i++) {
            boolean sharesMachine = i > 0 && hosts.getLast().role == Role.AGENT && random.nextInt(3) == 0;
            machine += sharesMachine ? 0 : 1;
            boolean isAgent = !sharesMachine && random.nextInt(3) == 0;
            String group = hasTwoGroups && random.nextBoolean() ? "beta" : "alpha";
            Host host = isAgent
                    ? new Host(i, Nodes.agent(machine), Role.AGENT, "")
                    : new Host(i, Nodes.trainer(machine, i % Nodes.TRAINERS_MAX), Role.TRAINER, group);
            hosts.add(host);
            byId.put(host.id, host);
        }
    }

    /** Plays it to the end, or to the first violation. */
    void play() {
        note("weather: " + weather.kinds().stream().map(FaultKind::text).toList() + ", hosts "
                + hosts.stream().map(Host::name).toList() + ", depth " + depth + ", " + policy + ", "
                + config.stalling().onPartition());
        hosts.forEach(host -> after(random.nextLong(2 * SECOND), () -> start(host)));
        chaos.plan();
        timeline.runUntil(weather.faultyNanos());
        makePeace();
        settle();
        trainOnceMore();
    }

    private void makePeace() {
        note("PEACE");
        phase = Phase.PEACE;
        chaos.end();
        network.heal();
        hosts.forEach(host -> after(random.nextLong(300 * MILLI), () -> start(host)));
    }

    /** L1, and nobody waits for ever. */
    private void settle() {
        long begin = now();
        boolean helped = false;
        long settled = isSettled() ? now() : Long.MAX_VALUE; // what was heard before peace may still remove somebody
        while (now() - settled < CALM_NANOS) {
            long waited = now() - begin;
            Violation.unless(
                    waited < PEACE_NANOS, "L1", "not settled " + waited / SECOND + " s after the faults:" + describe());
            if (isDamaged && !helped && waited > 12 * SECOND) {
                helped = true; // where voters lost their records, a person has to start the rest anew
                hosts.forEach(host -> host.process().ifPresent(this::exit));
            }
            processes().forEach(this::followFellows);
            timeline.runUntil(now() + WATCH_NANOS);
            settled = isSettled() ? Math.min(settled, now()) : Long.MAX_VALUE;
        }
    }

    /** Where one of a job began, the rest of its scripts begin as well. */
    private void followFellows(NodeProcess process) {
        boolean hasBegun = processes().stream()
                .anyMatch(other -> other.host.group.equals(process.host.group)
                        && other.state()
                                .view()
                                .lineage()
                                .equals(process.state().view().lineage())
                        && other.trainer().filter(trainer -> !trainer.isOpen()).isPresent());
        if (hasBegun && !process.isPaused()) {
            process.trainer().ifPresent(trainer -> trainer.work(jobLength()));
        }
    }

    private void trainOnceMore() {
        note("the last training");
        phase = Phase.LAST_TRAINING;
        View view = processes().getFirst().state().view();
        List<Trainer> trainers = processes().stream()
                .flatMap(process -> process.trainer().stream())
                .toList();
        trainers.forEach(trainer -> trainer.work(LAST_TRAINING_LENGTH));
        long begin = now();
        while (!trainers.stream().allMatch(Trainer::isFinished)) {
            Violation.unless(
                    now() - begin < LAST_TRAINING_NANOS, "L1", "numbers do not advance in peace:" + describe());
            timeline.runUntil(now() + WATCH_NANOS);
        }
        Violation.unless(
                processes().size() == hosts.size()
                        && processes().stream()
                                .allMatch(process -> process.state().view().equals(view)),
                "L1",
                "the view changes in peace:" + describe());
    }

    private boolean isSettled() {
        View view = null;
        for (Host host : hosts) {
            NodeProcess process = host.process().orElse(null);
            if (process == null
                    || process.isPaused()
                    || process.isLeaving()
                    || process.state().isFrozen()) {
                return false;
            }
            view = view == null ? process.state().view() : view;
            if (view.members().size() != hosts.size()
                    || !process.state().view().equals(view)
                    || process.trainer().filter(trainer -> !trainer.isOpen()).isPresent()) {
                return false;
            }
        }
        return true;
    }

    // ---- time and chance

    long now() {
        return timeline.now();
    }

    void after(long delayNanos, Runnable what) {
        timeline.after(delayNanos, what);
    }

    /** What a wall clock says, which may be anything. */
    long wallMillis() {
        long jump = 0;
        if (weather.has(FaultKind.CLOCK_JUMP)) {
            tally.fault(FaultKind.CLOCK_JUMP);
            jump = random.nextLong(-1_000_000_000, 1_000_000_000);
        }
        return 2_000_000_000L + jump + now() / MILLI + random.nextInt(500);
    }

    // ---- what applications do when

    boolean beginsJobs() {
        return phase == Phase.FAULTS;
    }

    boolean endsJobs() {
        return phase != Phase.LAST_TRAINING;
    }

    long jobLength() {
        return 4 + random.nextLong(25);
    }

    /** In peace nothing but the protocol itself may end a wait; where voters are lost, only a deadline can. */
    boolean hasDeadlines() {
        return phase == Phase.FAULTS || isDamaged;
    }

    long deadlineNanos() {
        return 3 * SECOND + random.nextLong(4 * SECOND);
    }

    long wanted(String group) {
        return hosts.stream().filter(host -> host.group.equals(group)).count();
    }

    // ---- processes

    List<Host> hosts() {
        return hosts;
    }

    List<NodeProcess> processes() {
        var running = new ArrayList<NodeProcess>();
        for (Host host : hosts) {
            host.process().ifPresent(running::add);
        }
        return running;
    }

    private void start(Host host) {
        if (host.isUp()) {
            return;
        }
        var process = new NodeProcess(this, host);
        host.started(process);
        trace(process, () -> "starts");
        process.begin();
        process.trainer().ifPresent(trainer -> trainer.beginAfterPatience(SECOND + random.nextLong(6 * SECOND)));
        for (Host other : hosts) {
            if (other != host) {
                other.process().ifPresent(peer -> linkLater(process, peer, MILLI + random.nextLong(20 * MILLI)));
            }
        }
    }

    private void linkLater(NodeProcess one, NodeProcess other, long delay) {
        after(delay, () -> {
            if (!one.isAlive() || !other.isAlive()) {
                return;
            }
            if (network.isCutEitherWay(one.host.index, other.host.index)) {
                linkLater(one, other, 500 * MILLI);
                return;
            }
            one.deliver(() -> one.linked(other.host.id, other.incarnation));
            other.deliver(() -> other.linked(one.host.id, one.incarnation));
        });
    }

    /** A control link closes; a re-dial makes a new one. */
    boolean dropLink(Host one, Host other) {
        if (!one.isUp() || !other.isUp()) {
            return false;
        }
        NodeProcess first = one.process().orElseThrow();
        NodeProcess second = other.process().orElseThrow();
        note("the link of " + one.name() + " and " + other.name() + " drops");
        first.deliver(() -> first.unlinked(other.id, second.incarnation, false));
        second.deliver(() -> second.unlinked(one.id, first.incarnation, false));
        linkLater(first, second, 10 * MILLI + random.nextLong(900 * MILLI));
        return true;
    }

    /** The process dies; {@code silently} as by a pulled plug, else its sockets close. */
    boolean crash(NodeProcess process, boolean silently) {
        if (!process.isAlive()) {
            return false;
        }
        trace(process, () -> silently ? "UNPLUGGED" : "KILLED");
        if (weather.has(FaultKind.DAMAGED_RECORD) && random.nextInt(4) == 0 && process.host.disk.damage(random)) {
            isDamaged = true;
            tally.fault(FaultKind.DAMAGED_RECORD);
            trace(process, () -> "a record is damaged");
        }
        end(process, silently);
        if (random.nextInt(4) > 0) {
            after(50 * MILLI + random.nextLong(3 * SECOND), () -> start(process.host));
        }
        return true;
    }

    /** The process ends by itself; a new one may follow. */
    void exit(NodeProcess process) {
        if (!process.isAlive()) {
            return;
        }
        trace(process, () -> "exits");
        end(process, false);
        after(50 * MILLI + random.nextLong(500 * MILLI), () -> start(process.host));
    }

    private void end(NodeProcess process, boolean silently) {
        process.host.died();
        if (silently) {
            return;
        }
        for (NodeProcess other : processes()) {
            if (!network.isCutEitherWay(process.host.index, other.host.index)) {
                after(
                        random.nextLong(2 * MILLI),
                        () -> other.deliver(() -> other.unlinked(process.host.id, process.incarnation, true)));
            }
        }
    }

    /** The others went on without a process, or its lineage ended. */
    void removed(NodeProcess process, View before) {
        boolean isOver =
                ledger.newest(before.lineage()).filter(View::isTombstone).isPresent();
        Violation.unless(isOver || !weather.isMild(), "L1", process.host.name() + " was removed though it was well");
    }

    // ---- messages

    void send(NodeProcess from, NodeId to, Message message) {
        if (message instanceof Message.Commit(View view)) {
            ledger.committed(view);
        }
        Host host = byId.get(to);
        NodeProcess target = host == null ? null : host.process().orElse(null);
        if (host == null || target == null) {
            return;
        }
        if (random.nextInt(WIRE_SAMPLE) == 0) {
            travels(message);
        }
        int copies = network.copies(from.host.index, host.index);
        for (int i = 0; i < copies; i++) {
            after(
                    network.delay(from.host.index, host.index),
                    () -> target.deliver(() -> target.receive(from.host.id, from.incarnation, message)));
        }
    }

    private static void travels(Message message) {
        try {
            Message arrived = MessageCodec.decode(MessageCodec.kind(message), MessageCodec.encode(message));
            Violation.unless(message.equals(arrived), "wire", "a message changed on its way: " + message);
        } catch (MalformedMessageException wrong) {
            throw new Violation("wire", "a message is refused as malformed: " + wrong.getMessage());
        }
    }

    /** On a stream of both processes: late, but not lost while both live and use it. */
    void stream(NodeProcess from, NodeId to, Frame frame) {
        Host host = byId.get(to);
        NodeProcess target = host == null ? null : host.process().orElse(null);
        if (target != null) {
            after(network.dataDelay(from.host.index, target.host.index), () -> arrive(from, target, frame));
        }
    }

    private void arrive(NodeProcess from, NodeProcess target, Frame frame) {
        if (!network.isCutEitherWay(from.host.index, target.host.index)) {
            target.deliver(() -> target.trainer().ifPresent(trainer -> trainer.receive(frame)));
        } else if (from.isAlive()
                && target.isAlive()
                && from.trainer()
                        .filter(trainer -> trainer.state().formation().fence().equals(frame.fence()))
                        .isPresent()) {
            after(50 * MILLI, () -> arrive(from, target, frame));
        }
    }

    // ---- words

    /** Names a lineage in fences as the agent does: founder, incarnation and counter are never used twice. */
    static String text(Lineage lineage) {
        return lineage.founder().text() + "#" + lineage.incarnation() + "." + lineage.counter();
    }

    String text(Trainer.Ending ending) {
        return ending.sum()
                .map(sum ->
                        sum.contributors().stream().map(this::name).toList() + " of group epoch " + sum.groupEpoch())
                .orElse("no result");
    }

    String name(NodeId node) {
        Host host = byId.get(node);
        return host == null ? "stranger" : host.name();
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

    void trace(NodeProcess process, ViewMachine.Effect effect) {
        if (trace != null) {
            narrator.line(effect).ifPresent(line -> trace(process, () -> line));
        }
    }

    private String stamp() {
        return String.format(Locale.ROOT, "%9.3f ms  ", now() / 1e6);
    }

    private String readable(String text) {
        String named = text;
        for (Host host : hosts) {
            named = named.replace(host.id.shortText(), host.name());
        }
        return named;
    }

    private String describe() {
        var text = new StringBuilder();
        for (Host host : hosts) {
            text.append("\n  ").append(host.name());
            host.process()
                    .ifPresentOrElse(
                            process -> text.append(' ')
                                    .append(process.state().election())
                                    .append(' ')
                                    .append(narrator.text(process.state().view()))
                                    .append(process.state().isFrozen() ? " frozen" : "")
                                    .append(process.trainer()
                                            .map(trainer -> ", called "
                                                    + (trainer.state().next() - 1) + ", ended " + trainer.doneUpTo())
                                            .orElse("")),
                            () -> text.append(" down"));
        }
        return text.toString();
    }
}

package io.hearth.simulation.lie;

import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.Status;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Ballot;
import io.hearth.election.DamagedRecordException;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Presence;
import io.hearth.election.Proposal;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.protobuf.MessageEncoding;
import io.hearth.election.protobuf.RecordEncoding;
import io.hearth.identity.NodeId;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.LieKind;
import io.hearth.simulation.setting.LiePlan;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A lying member: one host of some worlds, agent or trainer. It is a real node that joins, votes and trains, but some of its outgoing
 * and incoming messages are changed, and it sends more messages than a node does.
 *
 * <p>The claim that is checked: no other process ends, the memory of the others stays bounded, and they can read every record that they
 * write. Except for forgeries and wrong resolutions, the others come into one view and train on, both with an honest process in its
 * place and without one. Its lies go through the codec; a malformed one costs it the link.
 */
public final class Liar {
    private static final int CHANGE_ONE_IN = 3;
    private static final int WEIGH_EVERY = 1_024;
    private static final int WEIGHT_MAX =
            4_000_000; // characters of a node's whole state with a thousand peers and joining nodes
    private static final int PEERS_MAX = 1_024;
    private static final int LINEAGES_MAX = 64;
    private static final long VIEWS_A_SECOND_MAX = 3;
    private static final long ROUNDS_A_STEP = 1_000; // the others follow one such step in a second
    private static final List<GroupPhase> PHASES = List.of(GroupPhase.values());
    private static final Set<LieKind> TOLD = EnumSet.of(
            LieKind.HIGH_BALLOTS,
            LieKind.LEAVE_AND_ANSWER,
            LieKind.LEAVE_NUMBERS,
            LieKind.OTHER_ROLE,
            LieKind.STRAY_ANSWERS,
            LieKind.FORGED_COMMIT);

    private final WorldSetting setting;
    private final Cluster cluster;
    private final SplittableRandom random;
    private final LiePlan plan;
    private final List<LieKind> told;
    private final Map<View, Climb> climbs = new HashMap<>();
    private @Nullable Host host;
    private boolean isOver;
    private long lies;
    private long viewsBefore;

    /** The highest round that it climbed to by steps, and when it began. */
    private record Climb(long round, long sinceNanos) {
        Climb higher() {
            return new Climb(round + ROUNDS_A_STEP, sinceNanos);
        }
    }

    public Liar(WorldSetting setting, Cluster cluster) {
        this.setting = setting;
        this.cluster = cluster;
        this.random = setting.liars;
        this.plan = setting.lies;
        this.told = plan.kinds().stream().filter(TOLD::contains).toList();
    }

    /** Chooses one whose machine has no other node, in a world of at least three machines. */
    public void begin() {
        List<Host> hosts = cluster.hosts();
        long machines = hosts.stream().mapToInt(Host::machine).distinct().count();
        List<Host> alone = hosts.stream()
                .filter(one -> hosts.stream()
                                .filter(other -> other.machine() == one.machine())
                                .count()
                        == 1)
                .toList();
        if (plan.kinds().isEmpty() || machines < 3 || alone.isEmpty()) {
            return;
        }
        host = alone.get(random.nextInt(alone.size()));
        String name = host.name();
        setting.note(
                name + " is a liar: " + plan.kinds().stream().map(LieKind::text).toList());
        setting.after(5 * SECOND, () -> viewsBefore = setting.viewChecker.views());
        tellLater();
    }

    /** For the text of a violation; empty if no member lies. */
    public String text() {
        return host == null
                ? ""
                : "; " + host.name() + " lied "
                        + plan.kinds().stream().map(LieKind::text).toList();
    }

    public boolean is(ProcessContext process) {
        return !isOver && process.host() == host;
    }

    /** Whether the others may agree on anything from now on. */
    public boolean forges() {
        return host != null && plan.kinds().stream().anyMatch(LieKind::isForgery);
    }

    /** Whether it asks to leave so often that it earns the longest readmission delay. */
    public boolean resigns() {
        return host != null
                && (plan.kinds().contains(LieKind.LEAVE_AND_ANSWER)
                        || plan.kinds().contains(LieKind.LEAVE_NUMBERS));
    }

    /**
     * The time that a machine which missed the liar's ballots needs to follow their rounds: as long as the lies went on. Where the others
     * are a quorum without the liar, they put it out and soon leave such a view.
     */
    public long climbNanos() {
        return cluster.processes().stream()
                .map(process -> climbs.get(process.state().view()))
                .filter(Objects::nonNull)
                .mapToLong(
                        climb -> Math.min(climb.round() / ROUNDS_A_STEP * SECOND, setting.now() - climb.sinceNanos()))
                .max()
                .orElse(0);
    }

    /** Whether others may believe in an invented lineage and end theirs for it. */
    public boolean boasts() {
        return host != null && plan.kinds().contains(LieKind.BIG_LINEAGES);
    }

    /** Whether results of collectives may be anything from now on. */
    public boolean spoilsResults() {
        return host != null && plan.kinds().stream().anyMatch(LieKind::isAboutResults);
    }

    private boolean does(LieKind kind) {
        return plan.kinds().contains(kind) && random.nextInt(CHANGE_ONE_IN) < (isRare(kind) ? CHANGE_ONE_IN - 1 : 1);
    }

    /** Whether this kind appears only during view changes. */
    private static boolean isRare(LieKind kind) {
        return kind == LieKind.STATUS_NUMBERS || kind == LieKind.HIGH_REFUSALS || kind == LieKind.FORGED_ACCEPTANCE;
    }

    // ---- changed messages

    /** The message that it sends in place of {@code message}; empty if that is malformed and costs it the link. */
    public Optional<Message> says(ProcessContext self, NodeId to, Message message) {
        Message lie = altered(self, message);
        boolean isOfViews = message instanceof Message.Commit || message instanceof Message.Accept;
        byte[] bytes = MessageEncoding.encode(lie);
        if (!isOfViews && does(LieKind.ANY_NUMBER)) {
            bytes = WireNumbers.changed(bytes, random);
        } else if (lie.equals(message)) {
            return Optional.of(message);
        }
        Optional<Message> heard = arrived(self, to, MessageEncoding.kind(lie), bytes);
        heard.ifPresent(said -> lied(kind(message), said, to));
        return heard;
    }

    /** The first kind that explains the change. */
    private LieKind kind(Message message) {
        return switch (message) {
            case Message.Heartbeat _ when plan.kinds().contains(LieKind.BIG_LINEAGES) -> LieKind.BIG_LINEAGES;
            case Message.Heartbeat _ when plan.kinds().contains(LieKind.BROKEN_PAIRS) -> LieKind.BROKEN_PAIRS;
            case Message.Promise _ when plan.kinds().contains(LieKind.HIGH_REFUSALS) -> LieKind.HIGH_REFUSALS;
            case Message.Here _ when plan.kinds().contains(LieKind.STATUS_NUMBERS) -> LieKind.STATUS_NUMBERS;
            case Message.Promise _ when plan.kinds().contains(LieKind.FORGED_ACCEPTANCE) -> LieKind.FORGED_ACCEPTANCE;
            default -> LieKind.ANY_NUMBER;
        };
    }

    /** The message as the receiver decodes it; a malformed one costs the link. */
    private Optional<Message> arrived(ProcessContext self, NodeId to, int kind, byte[] bytes) {
        try {
            return Optional.of(MessageEncoding.decode(kind, bytes));
        } catch (MalformedMessageException malformed) {
            setting.note("a lie is malformed: " + malformed.getMessage());
            setting.host(to).ifPresent(other -> cluster.dropLink(self.host(), other));
            return Optional.empty();
        }
    }

    private Message altered(ProcessContext self, Message message) {
        return switch (message) {
            case Message.Heartbeat beat -> heartbeat(self, beat);
            case Message.Promise promise -> promise(self, promise);
            case Message.Here here -> here(here);
            case Message.Prepare _,
                    Message.Gone _,
                    Message.Accept _,
                    Message.Accepted _,
                    Message.Refuse _,
                    Message.Commit _,
                    Message.Join _,
                    Message.NotYet _,
                    Message.Leave _ -> message;
        };
    }

    private Message heartbeat(ProcessContext self, Message.Heartbeat beat) {
        Presence said = beat.presence();
        if (does(LieKind.BIG_LINEAGES)) {
            Lineage lineage = random.nextBoolean()
                    ? said.lineage()
                    : new Lineage(false, random.nextInt(1_000), self.id(), 1 + random.nextInt(4), random.nextInt(4));
            said = new Presence(
                    lineage,
                    1 + random.nextLong(Math.max(1, said.epoch())),
                    View.MEMBERS_MAX,
                    false,
                    said.group(),
                    GroupPhase.BOUNDARY,
                    said.doneUpTo(),
                    List.of());
        }
        if (does(LieKind.BROKEN_PAIRS)) {
            List<NodeId> others = cluster.hosts().stream()
                    .map(other -> other.id)
                    .filter(other -> !other.equals(self.id()))
                    .toList();
            said = new Presence(
                    said.lineage(),
                    said.epoch(),
                    said.memberCount(),
                    said.stalled(),
                    said.group(),
                    said.phase(),
                    said.doneUpTo(),
                    others);
        }
        return said.equals(beat.presence())
                ? beat
                : new Message.Heartbeat(said, beat.sequence(), beat.echo(), beat.echoHeldNanos());
    }

    private Message promise(ProcessContext self, Message.Promise promise) {
        if (does(LieKind.HIGH_REFUSALS)) {
            return new Message.Refuse(
                    promise.lineage(),
                    promise.epoch(),
                    new Ballot(highRound(self.state().view()), self.id()));
        }
        if (does(LieKind.FORGED_ACCEPTANCE)) {
            View view = self.state().view();
            var accepted = new Proposal(new Ballot(round(), self.id()), invented(self, view.epoch() + 1));
            return new Message.Promise(promise.lineage(), promise.epoch(), promise.ballot(), Optional.of(accepted));
        }
        return promise;
    }

    private Message here(Message.Here here) {
        if (here.status().isEmpty() || !does(LieKind.STATUS_NUMBERS)) {
            return here;
        }
        Message.Status status = here.status().get();
        byte[] bytes = random.nextBoolean() ? hugeStatus() : status.collective().toArray();
        for (int changes = random.nextInt(3); changes > 0; changes--) {
            bytes = WireNumbers.changed(bytes, random);
        }
        return new Message.Here(
                here.lineage(),
                here.epoch(),
                here.ballot(),
                Optional.of(new Message.Status(status.leaving(), Bytes.of(bytes))));
    }

    /** A status far ahead of all others with a broken stream, so that it decides the next group epoch. */
    private byte[] hugeStatus() {
        long far = Math.clamp(WireNumbers.any(random), 0, Status.NUMBER_MAX);
        return CollectiveMessages.encode(new Status(far, far, List.of(), Optional.of("streams broke")))
                .toArray();
    }

    /** Changes a message that it receives. */
    public Message hears(ProcessContext self, Message message) {
        if (message instanceof Message.Join join && plan.kinds().contains(LieKind.ADMITS_OTHERWISE)) {
            lied(LieKind.ADMITS_OTHERWISE, message, self.id());
            return random.nextBoolean()
                    ? new Message.Join(join.lineage(), join.seat(), Role.AGENT, "", GroupPhase.FRESH)
                    : new Message.Join(join.lineage(), join.seat(), Role.TRAINER, "nobodys", join.phase());
        }
        return message;
    }

    /** Its resolution of the reports of a group. */
    public Resolver resolver(Host of, Resolver honest) {
        if (of != host || !plan.kinds().contains(LieKind.RESOLUTIONS)) {
            return honest;
        }
        record Bent(Liar liar, Resolver honest) implements Resolver {
            @Override
            public Optional<String> refusal(String group, List<Report> kept) {
                return honest.refusal(group, kept);
            }

            @Override
            public Optional<String> broken(String group, List<Report> kept) {
                return honest.broken(group, kept);
            }

            @Override
            public Bytes resolve(String group, List<Member> members, List<Report> kept) {
                Bytes right = honest.resolve(group, members, kept);
                if (liar.isOver || members.size() < 2) {
                    return right;
                }
                liar.setting.statistics.fault(FaultKind.LIES);
                liar.setting.note("a lie of kind resolutions about group " + group);
                return Bytes.of(WireNumbers.changed(right.toArray(), liar.random));
            }
        }
        return new Bent(this, honest);
    }

    // ---- messages of its own

    private void tellLater() {
        setting.after(1 + random.nextLong(plan.pauseNanos()), () -> {
            NodeProcess self = host == null ? null : cluster.process(host).orElse(null);
            if (isOver) {
                return;
            }
            if (self != null && !self.isPaused() && !told.isEmpty()) {
                List<NodeProcess> others = cluster.processes().stream()
                        .filter(other -> other != self && cluster.areLinked(self, other))
                        .toList();
                if (!others.isEmpty()) {
                    NodeProcess to = others.get(random.nextInt(others.size()));
                    to.deliver(() -> tell(self, to));
                }
            }
            tellLater();
        });
    }

    private void tell(ProcessContext self, NodeProcess to) {
        for (int i = 0; i < plan.atOnce() && to.isAlive() && self.isAlive(); i++) {
            LieKind kind = told.get(random.nextInt(told.size()));
            Message lie = unasked(kind, self, to);
            Optional<Message> heard = arrived(self, to.id(), MessageEncoding.kind(lie), MessageEncoding.encode(lie));
            heard.ifPresent(message -> {
                lied(kind, message, to.id());
                to.receive(self.id(), self.incarnation(), message);
            });
        }
    }

    private long round() {
        return switch (random.nextInt(4)) {
            case 0 -> Ballot.ROUND_MAX;
            case 1 -> Ballot.ROUND_MAX - random.nextInt(3);
            case 2 -> 1 + random.nextLong(Ballot.ROUND_MAX);
            default -> 1 + random.nextInt(3_000);
        };
    }

    /** Any round, or the next round of a climb that the others follow. */
    private long highRound(View view) {
        if (random.nextInt(3) > 0) {
            return round();
        }
        Climb climb = climbs.getOrDefault(view, new Climb(0, setting.now())).higher();
        climbs.put(view, climb);
        return climb.round();
    }

    private Message unasked(LieKind kind, ProcessContext self, NodeProcess to) {
        View view = to.state().view();
        Lineage lineage = view.lineage();
        return switch (kind) {
            case HIGH_BALLOTS -> new Message.Prepare(view, new Ballot(highRound(view), self.id()));
            case LEAVE_AND_ANSWER -> new Message.Leave(lineage, entryEpoch(self, view), random.nextInt(4) == 0);
            case LEAVE_NUMBERS -> new Message.Leave(lineage, WireNumbers.any(random), random.nextBoolean());
            case OTHER_ROLE ->
                random.nextInt(3) == 0
                        ? new Message.Join(lineage, seat(self, view), Role.AGENT, "", GroupPhase.FRESH)
                        : new Message.Join(lineage, seat(self, view), Role.TRAINER, group(), phase());
            case STRAY_ANSWERS -> stray(self, to, view);
            case FORGED_COMMIT -> new Message.Commit(forged(to, view));
            case ANY_NUMBER,
                    STATUS_NUMBERS,
                    RESOLUTIONS,
                    HIGH_REFUSALS,
                    ADMITS_OTHERWISE,
                    BIG_LINEAGES,
                    BROKEN_PAIRS,
                    FORGED_ACCEPTANCE -> throw new AssertionError("not told unasked: " + kind);
        };
    }

    private String group() {
        return random.nextInt(3) == 0 ? "alpha" : "job-" + random.nextInt(100_000);
    }

    private GroupPhase phase() {
        return PHASES.get(random.nextInt(PHASES.size()));
    }

    private static long entryEpoch(ProcessContext self, View view) {
        return view.member(self.id()).map(Member::entryEpoch).orElse(1L);
    }

    private long seat(ProcessContext self, View view) {
        return view.member(self.id()).map(Member::seat).orElseGet(() -> 1 + random.nextLong(1_000));
    }

    private Message stray(ProcessContext self, NodeProcess to, View view) {
        long epoch = random.nextBoolean() ? view.epoch() : 1 + random.nextLong(1L << 48);
        var ballot = new Ballot(random.nextBoolean() ? round() : 1_000_000 + random.nextInt(8), to.id());
        return switch (random.nextInt(3)) {
            case 0 -> new Message.Accepted(view.lineage(), epoch, ballot);
            case 1 ->
                new Message.Here(
                        view.lineage(),
                        epoch,
                        ballot,
                        Optional.of(new Message.Status(random.nextBoolean(), Bytes.EMPTY)));
            default ->
                new Message.Promise(
                        view.lineage(),
                        epoch,
                        ballot,
                        Optional.of(new Proposal(new Ballot(round(), self.id()), invented(self, view.epoch() + 1))));
        };
    }

    /** A valid successor with all present members and itself as the most junior one. */
    private static View invented(ProcessContext self, long epoch) {
        View view = self.state().view();
        return new View(view.lineage(), epoch, view.members(), view.groups());
    }

    private View forged(NodeProcess to, View view) {
        long epoch = switch (random.nextInt(5)) {
            case 0 -> 1L << 53;
            case 1 -> (1L << 53) - 1;
            case 2 -> view.epoch() + 1_000_000;
            case 3 -> view.epoch() + 1 + random.nextLong(1L << 40);
            default -> view.epoch() + 1;
        };
        var members = new ArrayList<>(view.members());
        if (random.nextInt(3) == 0) {
            members.removeIf(member -> member.node().equals(to.id()));
        }
        var names = new TreeSet<String>();
        members.forEach(member -> names.add(member.group()));
        return random.nextInt(6) == 0
                ? new View(view.lineage(), epoch, List.of(), List.of())
                : new View(
                        view.lineage(),
                        epoch,
                        members,
                        view.groups().stream()
                                .filter(group -> names.contains(group.name()))
                                .toList());
    }

    // ---- what must hold all the same

    private void lied(LieKind kind, Message message, NodeId to) {
        setting.statistics.fault(FaultKind.LIES);
        lies++;
        if (setting.isTraced()) {
            setting.note(
                    "a lie of kind " + kind.text() + " to " + setting.name(to) + ": " + setting.narrator.text(message));
        }
        if (lies % WEIGH_EVERY == 0) {
            weigh();
        }
    }

    /** The memory of the others is bounded, whatever they received. */
    private void weigh() {
        for (NodeProcess process : cluster.processes()) {
            int weight = process.state().toString().length();
            Violation.unless(
                    is(process)
                            || (weight <= WEIGHT_MAX
                                    && process.state().peers().size() <= PEERS_MAX
                                    && process.state().lineages().size() <= LINEAGES_MAX),
                    "memory",
                    () -> process.host().name() + " remembers " + weight + " characters, "
                            + process.state().peers().size() + " peers, "
                            + process.state().lineages().size() + " lineages");
        }
    }

    /** A node can read every record that it wrote. */
    public void wrote(LineageRecord record) {
        if (host == null) {
            return;
        }
        try {
            LineageRecord read = RecordEncoding.decode(RecordEncoding.encode(record));
            Violation.unless(read.equals(record), "unreadable", () -> "a record is read as another: " + record);
        } catch (DamagedRecordException damaged) {
            throw new Violation("unreadable", "a record that was written cannot be read: " + damaged.getMessage());
        }
    }

    /** Whether these lies may break that rule. */
    public boolean mayBreak(String rule) {
        boolean isClaimed = switch (rule) {
            case "memory", "unreadable", "views" -> true;
            case "L1", "L2", "L3", "state" -> !forges();
            default -> !spoilsResults();
        };
        return host != null && !isClaimed;
    }

    /** The lies end: an honest process starts in its place. */
    public void end() {
        if (host == null) {
            return;
        }
        weigh();
        isOver = true;
        long views = setting.viewChecker.views() - viewsBefore;
        Violation.unless(
                !plan.isAlone() || forges() || views <= VIEWS_A_SECOND_MAX * setting.now() / SECOND,
                "views",
                () -> views + " views in " + setting.now() / SECOND + " s");
        setting.note(host.name() + " is honest from now on");
        cluster.end(host, false);
    }

    /** Ends its host for good, if there is a liar; its machine is one of at least three. */
    public boolean goes() {
        if (host != null) {
            setting.note(host.name() + " is gone for good");
            cluster.end(host, true);
        }
        return host != null;
    }
}

package io.hearth.simulation.lie;

import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.GroupPhase;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.election.protobuf.MessageEncoding;
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
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
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
    private static final int WEIGH_EVERY = 1_024;
    private static final long VIEWS_A_SECOND_MAX = 3;
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
    private final BallotRounds rounds;
    private final AlteredMessages altered;
    private final InventedMessages invented;
    private @Nullable Host host;
    private boolean isOver;
    private long lies;
    private long viewsBefore;

    public Liar(WorldSetting setting, Cluster cluster) {
        this.setting = setting;
        this.cluster = cluster;
        this.random = setting.liars;
        this.plan = setting.lies;
        this.rounds = new BallotRounds(setting);
        this.altered = new AlteredMessages(setting, cluster, rounds);
        this.invented = new InventedMessages(setting, rounds);
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
        return rounds.climbNanos(cluster);
    }

    /** Whether others may believe in an invented lineage and end theirs for it. */
    public boolean boasts() {
        return host != null && plan.kinds().contains(LieKind.BIG_LINEAGES);
    }

    /** Whether results of collectives may be anything from now on. */
    public boolean spoilsResults() {
        return host != null && plan.kinds().stream().anyMatch(LieKind::isAboutResults);
    }

    // ---- changed messages

    /** The message that it sends in place of {@code message}; empty if that is malformed and costs it the link. */
    public Optional<Message> says(ProcessContext self, NodeId to, Message message) {
        Message lie = altered.altered(self, message);
        boolean isOfViews = message instanceof Message.Commit || message instanceof Message.Accept;
        byte[] bytes = MessageEncoding.encode(lie);
        if (!isOfViews && altered.does(LieKind.ANY_NUMBER)) {
            bytes = WireNumbers.changed(bytes, random);
        } else if (lie.equals(message)) {
            return Optional.of(message);
        }
        Optional<Message> heard = arrived(self, to, MessageEncoding.kind(lie), bytes);
        heard.ifPresent(said -> lied(altered.kind(message), said, to));
        return heard;
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
            Message lie = invented.of(kind, self, to);
            Optional<Message> heard = arrived(self, to.id(), MessageEncoding.kind(lie), MessageEncoding.encode(lie));
            heard.ifPresent(message -> {
                lied(kind, message, to.id());
                to.receive(self.id(), self.incarnation(), message);
            });
        }
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

    private void weigh() {
        cluster.processes().stream().filter(process -> !is(process)).forEach(LiarRules::requireBounded);
    }

    /** A node can read every record that it wrote. */
    public void wrote(LineageRecord record) {
        if (host != null) {
            LiarRules.requireReadable(record);
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

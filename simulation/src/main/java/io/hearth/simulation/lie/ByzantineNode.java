package io.hearth.simulation.lie;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.core.MalformedMessageException;
import io.hearth.election.Beat;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.Presence;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.protobuf.MessageEncoding;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.identity.NodeId;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.host.NodeIds;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One more node in some worlds. It has the secret, so each node has a link with it; it is in no view, and it lies. It goes on in
 * peace, where its messages must not even delay a node.
 */
public final class ByzantineNode {
    private static final NodeId SELF = NodeIds.agent(NodeIds.MACHINES_MAX);
    private static final int JOINERS = 520; // more than a node remembers
    private static final byte[] MILLION_MEMBERS = millionMembers();

    private final WorldSetting setting;
    private final Cluster cluster;
    private final SplittableRandom random;
    private long incarnation = 2;
    private long sequence;
    private boolean mayFlood;

    public ByzantineNode(WorldSetting setting, Cluster cluster) {
        this.setting = setting;
        this.cluster = cluster;
        this.random = setting.random;
        this.mayFlood = setting.hasFlood;
    }

    /** A view of a million empty members, as bytes: more than any record can hold. */
    private static byte[] millionMembers() {
        byte[] view = new byte[2_000_000];
        for (int i = 0; i < view.length; i += 2) {
            view[i] = 3 << 3 | 2; // an entry of the field "members", and no byte of it
        }
        return view;
    }

    public void link(NodeProcess process) {
        if (setting.profile.has(FaultKind.NONSENSE)) {
            process.linked(SELF, incarnation);
        }
    }

    public void begin() {
        if (setting.profile.has(FaultKind.NONSENSE)) {
            speakLater();
        }
    }

    private void speakLater() {
        setting.after(50 * MILLI + random.nextLong(400 * MILLI), () -> {
            List<NodeProcess> all = cluster.processes();
            if (!all.isEmpty()) {
                NodeProcess process = all.get(random.nextInt(all.size()));
                process.deliver(() -> speak(process));
            }
            speakLater();
        });
    }

    private void speak(NodeProcess process) {
        setting.statistics.fault(FaultKind.NONSENSE);
        switch (random.nextInt(12)) {
            case 0 -> bytes();
            case 1 -> restart(process);
            case 2 -> heartbeat(process);
            case 3 -> tell(process, new Message.NotYet(process.state().view().lineage(), "never"));
            case 4 ->
                tell(
                        process,
                        new Message.Leave(
                                process.state().view().lineage(), 1 + random.nextInt(40), random.nextBoolean()));
            case 5 -> flood(process);
            default ->
                new ByzantineMessages(random, SELF, incarnation, process, cluster.processes())
                        .draw()
                        .ifPresent(lie -> refused(process, incarnation, lie.message(), lie.refusal()));
        }
    }

    private void tell(NodeProcess process, Message message) {
        setting.note("the hostile node tells " + process.host().name() + " " + setting.narrator.text(message));
        process.receive(SELF, incarnation, message);
    }

    /**
     * Sends a lie and checks that the node counted it as rejected. If the view changes at the same instant, the lie is about a former view
     * and need not be counted. If the node believed the lie, the checker sees a view that no quorum accepted.
     */
    private void refused(NodeProcess process, long sender, Message message, MessageRejection refusal) {
        if (!process.isAlive()) {
            return;
        }
        setting.note("the hostile node tells " + process.host().name() + " " + setting.narrator.text(message));
        long before = process.state().refusals().count(refusal);
        View view = process.state().view();
        process.receive(SELF, sender, message);
        Violation.unless(
                !process.isAlive()
                        || !process.state().view().equals(view)
                        || process.state().refusals().count(refusal) > before,
                "refusal",
                () -> "not counted as " + refusal + ": " + setting.narrator.text(message));
    }

    /** A message from before its restart arrives after the restart. */
    private void restart(NodeProcess process) {
        incarnation++;
        process.linked(SELF, incarnation);
        refused(
                process,
                incarnation - 1 - random.nextLong(2),
                new Message.Leave(process.state().view().lineage(), 1, random.nextBoolean()),
                MessageRejection.OLD_INCARNATION);
    }

    /** Claims to live in any lineage. It claims a lineage that is better than all others only while there are faults. */
    private void heartbeat(NodeProcess process) {
        View view = process.state().view();
        boolean boasts = setting.isFaulty() && random.nextInt(4) == 0;
        var lineage = random.nextBoolean() ? view.lineage() : new Lineage(false, 1, SELF, incarnation, 0);
        var presence = new Presence(
                lineage,
                1 + random.nextInt(1_000),
                boasts ? View.MEMBERS_MAX : 0,
                !boasts,
                "alpha",
                random.nextBoolean() ? GroupPhase.BUSY : GroupPhase.BOUNDARY,
                random.nextBoolean() ? ViewRules.NUMBER_MAX : -1,
                List.of(view.members().getFirst().node(), process.id()));
        tell(
                process,
                new Message.Heartbeat(presence, new Beat(++sequence, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE)));
    }

    /** More nodes ask for entry than a node remembers; they are gone before any member could admit them. */
    private void flood(NodeProcess process) {
        if (!mayFlood || !setting.isFaulty()) {
            return;
        }
        mayFlood = false;
        setting.note("the hostile node floods " + process.host().name());
        Lineage lineage = process.state().view().lineage();
        var join = new Message.Join(lineage, 1, Role.TRAINER, "alpha", GroupPhase.BOUNDARY);
        for (int i = 0; i < JOINERS && process.isAlive(); i++) {
            var joiner = new NodeId(SELF.peer(), "trainer-" + i);
            process.view(new ViewEvent.Linked(joiner, 1));
            process.view(new ViewEvent.Unlinked(joiner, 1));
            process.view(new ViewEvent.Received(joiner, 1, join));
        }
        Violation.unless(
                !process.isAlive()
                        || !process.state().view().lineage().equals(lineage)
                        || process.state().refusals().count(MessageRejection.TOO_MANY_JOINERS) > 0,
                "refusal",
                "more nodes ask for entry than can be remembered, and none is refused");
    }

    /** The codec rejects a message that is larger than any record while it reads it. */
    private void bytes() {
        try {
            int kind = MessageEncoding.HEARTBEAT + random.nextInt(MessageEncoding.GONE - MessageEncoding.HEARTBEAT + 1);
            MessageEncoding.decode(kind, MILLION_MEMBERS);
            throw new Violation("wire", "two million bytes were read as a message of kind " + kind);
        } catch (MalformedMessageException expected) {
            setting.note("the hostile node sends two million bytes: " + expected.getMessage());
        }
    }
}

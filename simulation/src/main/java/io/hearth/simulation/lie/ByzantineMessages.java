package io.hearth.simulation.lie;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.Proposal;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.simulation.process.ProcessContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * False messages that a node outside the view can send to {@code process}, each with the reason for its rejection.
 *
 * <p>Messages that a member could have sent truthfully are left out, because no node could reject them: a newer view for a node that
 * hears no quorum, or an admission for a node that asks for entry.
 */
final class ByzantineMessages {
    private static final Bytes GARBAGE = Bytes.of(new byte[] {(byte) 0xff, 7, 0, (byte) 0x80, 1});

    private final SplittableRandom random;
    private final NodeId liar;
    private final long incarnation;
    private final ProcessContext process;
    private final List<? extends ProcessContext> all;
    private final View view;

    /** {@code refusal} is the reason under which the node must count the message. */
    record Lie(Message message, MessageRejection refusal) {}

    ByzantineMessages(
            SplittableRandom random,
            NodeId liar,
            long incarnation,
            ProcessContext process,
            List<? extends ProcessContext> all) {
        this.random = random;
        this.liar = liar;
        this.incarnation = incarnation;
        this.process = process;
        this.all = all;
        this.view = process.state().view();
    }

    /** A random lie; empty if the node would have to believe it. */
    Optional<Lie> draw() {
        return switch (random.nextInt(5)) {
            case 0 -> Optional.of(ballot());
            case 1 -> Optional.of(answer());
            case 2 -> Optional.of(badView());
            case 3 ->
                process.state().hearsQuorum()
                        ? Optional.of(new Lie(news(), MessageRejection.OUTSIDER))
                        : Optional.empty();
            default -> ofAnotherLineage();
        };
    }

    private Ballot own() {
        return new Ballot(1 + random.nextLong(Ballot.ROUND_MAX), liar);
    }

    private Member anyMember() {
        return view.members().get(random.nextInt(view.members().size()));
    }

    /** A ballot of a node outside the view, or in the name of another node. */
    private Lie ballot() {
        var next = new View(view.lineage(), view.epoch() + 1, view.members(), view.groups());
        Message message = switch (random.nextInt(4)) {
            case 0 -> new Message.Prepare(view, own());
            case 1 ->
                new Message.Prepare(
                        view, new Ballot(Ballot.ROUND_MAX, anyMember().node()));
            case 2 -> new Message.Accept(view, own(), next);
            default -> new Message.Accept(view, new Ballot(1, anyMember().node()), next);
        };
        return new Lie(message, MessageRejection.FOREIGN_BALLOT);
    }

    /** An answer without a question, as if {@code process} had begun that ballot. */
    private Lie answer() {
        Lineage lineage = view.lineage();
        var ballot = new Ballot(1 + random.nextInt(3), process.id());
        var accepted = new Proposal(own(), view(view.epoch() + 1, List.of(process.id())));
        Message message = switch (random.nextInt(4)) {
            case 0 -> new Message.Accepted(lineage, view.epoch(), ballot);
            case 1 -> new Message.Refuse(lineage, view.epoch(), new Ballot(Ballot.ROUND_MAX, liar));
            case 2 -> new Message.Promise(lineage, view.epoch(), ballot, Optional.of(accepted));
            default ->
                new Message.Here(
                        lineage, view.epoch(), ballot, Optional.of(new Message.Status(random.nextBoolean(), GARBAGE)));
        };
        return new Lie(message, MessageRejection.STRAY_ANSWER);
    }

    /** An invalid view, or one that cannot follow the known one. */
    private Lie badView() {
        long later = view.epoch() + 1 + random.nextInt(40);
        var members = new ArrayList<>(view.members());
        Member member = anyMember();
        View bad = switch (random.nextInt(6)) {
            case 0 -> {
                members.add(member);
                yield new View(view.lineage(), later, members, view.groups());
            }
            case 1 -> new View(view.lineage(), Long.MAX_VALUE, members, view.groups());
            case 2 -> {
                members.replaceAll(known -> known.equals(member) ? started(known, known.incarnation() + 1) : known);
                yield new View(view.lineage(), later, members, view.groups());
            }
            case 3 -> {
                members.replaceAll(known -> known.equals(member) ? started(known, Long.MAX_VALUE) : known);
                yield new View(view.lineage(), later, members, view.groups());
            }
            case 4 -> {
                members.addFirst(new Member(liar, incarnation, 1, Role.AGENT, "", 1));
                members.sort(Member.ORDER);
                yield new View(view.lineage(), later, members, view.groups());
            }
            default -> new View(view.lineage(), later, members, List.of(new GroupView("nobody's", later, GARBAGE)));
        };
        return new Lie(new Message.Commit(bad), MessageRejection.BAD_VIEW);
    }

    private static Member started(Member member, long incarnation) {
        return new Member(
                member.node(), incarnation, member.entryEpoch(), member.role(), member.group(), member.seat());
    }

    /** A valid successor that no quorum accepted. It lists the liar, and lists {@code process} or not. */
    private Message news() {
        long epoch = view.epoch() + 1 + random.nextInt(40);
        if (random.nextInt(4) == 0) {
            return new Message.Commit(new View(view.lineage(), epoch, List.of(), List.of()));
        }
        View invented = view(epoch, random.nextBoolean() ? List.of() : List.of(process.id()));
        return switch (random.nextInt(3)) {
            case 0 -> new Message.Prepare(invented, own());
            case 1 ->
                new Message.Accept(
                        invented, own(), new View(view.lineage(), epoch + 1, invented.members(), invented.groups()));
            default -> new Message.Commit(invented);
        };
    }

    /** Some of the known members and the liar; the resolutions are garbage. */
    private View view(long epoch, List<NodeId> without) {
        var members = new ArrayList<>(view.members());
        members.removeIf(member -> without.contains(member.node()));
        members.add(new Member(liar, incarnation, epoch, Role.AGENT, "", 1));
        members.sort(Member.ORDER);
        var groups = new ArrayList<GroupView>();
        for (GroupView group : view.groups()) {
            if (members.stream().anyMatch(member -> member.group().equals(group.name()))) {
                groups.add(new GroupView(group.name(), epoch, GARBAGE));
            }
        }
        return new View(view.lineage(), epoch, members, groups);
    }

    /** A view of a lineage in which {@code process} has no record, or never heard of a view. */
    private Optional<Lie> ofAnotherLineage() {
        View other = all.get(random.nextInt(all.size())).state().view();
        boolean isKnown = process.state().knows(other.lineage());
        var invented = new View(
                other.lineage(),
                other.epoch() + 1,
                List.of(new Member(liar, incarnation, other.epoch() + 1, Role.AGENT, "", 1)),
                List.of());
        if (!isKnown) {
            return Optional.of(new Lie(new Message.Commit(invented), MessageRejection.NO_RECORD));
        }
        return process.state().newest(other.lineage()).isEmpty()
                ? Optional.of(new Lie(new Message.Commit(invented), MessageRejection.OUTSIDER))
                : Optional.empty();
    }
}

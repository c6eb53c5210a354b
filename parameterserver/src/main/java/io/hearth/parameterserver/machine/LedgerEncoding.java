package io.hearth.parameterserver.machine;

import com.google.protobuf.ByteString;
import io.hearth.core.BoundedDecoder;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.parameterserver.ServerSettings;
import io.hearth.parameterserver.Sizes;
import io.hearth.parameterserver.wire.AssignmentFrame;
import io.hearth.parameterserver.wire.CommandFrame;
import io.hearth.parameterserver.wire.LedgerFrame;
import io.hearth.parameterserver.wire.NodeFrame;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Ledgers and commands as bytes. */
final class LedgerEncoding {
    private static final BoundedDecoder.Limits LIMITS = new BoundedDecoder.Limits(
            1 << 20, 4, Math.max(ServerSettings.PARTS_MAX, Sizes.TRAINERS_MAX), 4 * Sizes.TRAINER_CHARACTERS_MAX);

    private LedgerEncoding() {}

    static Bytes found(int parts) {
        return bytes(CommandFrame.newBuilder().setFound(parts));
    }

    static Bytes assign(Assignment assignment) {
        return bytes(CommandFrame.newBuilder().setAssign(frame(assignment)));
    }

    static Bytes join(String trainer, long leaseNanos) {
        return bytes(CommandFrame.newBuilder().setJoin(trainer).setLeaseNanos(leaseNanos));
    }

    /** A lease as a machine may have it, whatever bytes say. */
    static long lease(long nanos) {
        return Math.clamp(nanos, RegistryMachine.LEASE_NANOS_MIN, RegistryMachine.LEASE_NANOS_MAX);
    }

    static Bytes leave(String trainer) {
        return bytes(CommandFrame.newBuilder().setLeave(trainer));
    }

    private static Bytes bytes(CommandFrame.Builder frame) {
        return Bytes.of(frame.build().toByteArray());
    }

    static CommandFrame command(Bytes bytes) throws MalformedMessageException {
        return BoundedDecoder.parse(CommandFrame.parser(), CommandFrame.getDescriptor(), bytes.toArray(), LIMITS);
    }

    private static AssignmentFrame frame(Assignment assignment) {
        var frame = AssignmentFrame.newBuilder()
                .setPart(assignment.part())
                .setTerm(assignment.term())
                .setPrimary(frame(assignment.primary()))
                .setFromCheckpoint(assignment.isFromCheckpoint());
        assignment.holder().ifPresent(holder -> frame.setHolder(frame(holder)));
        return frame.build();
    }

    private static NodeFrame frame(Assignment.Seat seat) {
        return NodeFrame.newBuilder()
                .setPeer(ByteString.copyFrom(seat.node().peer().publicKey()))
                .setSlot(seat.node().slot())
                .setBoot(seat.boot())
                .build();
    }

    /** @throws IllegalArgumentException if a part or a machine is not valid */
    static Assignment assignment(AssignmentFrame frame) {
        if (frame.getPart() < 0 || frame.getPart() >= ServerSettings.PARTS_MAX || frame.getTerm() < 1) {
            throw new IllegalArgumentException("no assignment: part " + frame.getPart() + ", term " + frame.getTerm());
        }
        return new Assignment(
                frame.getPart(),
                frame.getTerm(),
                seat(frame.getPrimary()),
                frame.hasHolder() ? Optional.of(seat(frame.getHolder())) : Optional.empty(),
                frame.getFromCheckpoint());
    }

    private static Assignment.Seat seat(NodeFrame frame) {
        return new Assignment.Seat(
                new NodeId(PeerId.of(frame.getPeer().toByteArray()), frame.getSlot()), frame.getBoot());
    }

    static Bytes encode(PartLedger ledger) {
        var frame = LedgerFrame.newBuilder().setParts(ledger.parts());
        ledger.leases().forEach((trainer, nanos) -> frame.addTrainers(trainer).addLeaseNanos(nanos));
        ledger.assignments().values().forEach(assignment -> frame.addAssignments(frame(assignment)));
        return Bytes.of(frame.build().toByteArray());
    }

    static PartLedger decode(Bytes bytes) {
        try {
            LedgerFrame frame =
                    BoundedDecoder.parse(LedgerFrame.parser(), LedgerFrame.getDescriptor(), bytes.toArray(), LIMITS);
            SortedMap<Integer, Assignment> assignments = new TreeMap<>();
            for (AssignmentFrame each : frame.getAssignmentsList()) {
                assignments.put(each.getPart(), assignment(each));
            }
            SortedMap<String, Long> leases = new TreeMap<>();
            for (int i = 0; i < frame.getTrainersCount(); i++) {
                leases.put(frame.getTrainers(i), lease(i < frame.getLeaseNanosCount() ? frame.getLeaseNanos(i) : 0));
            }
            return new PartLedger(frame.getParts(), assignments, leases);
        } catch (MalformedMessageException broken) {
            throw new IllegalArgumentException("no ledger of parts: " + broken.getMessage(), broken);
        }
    }
}

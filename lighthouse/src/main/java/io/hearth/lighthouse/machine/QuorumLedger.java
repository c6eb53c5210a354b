package io.hearth.lighthouse.machine;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.hearth.core.BoundedDecoder;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.lighthouse.wire.FormFrame;
import io.hearth.lighthouse.wire.LedgerFrame;
import io.hearth.replicated.Application;
import io.hearth.replicated.Content;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * What survives the machine of a lighthouse: the number of the newest quorum, and who was in it.
 *
 * @param quorumId 0 before the first
 * @param members ids in order; empty if the next quorum has to have a new number in any case
 */
public record QuorumLedger(long quorumId, List<String> members) {
    /** Nothing was formed yet. */
    public static final QuorumLedger EMPTY = new QuorumLedger(0, List.of());

    /** The ledger as replicated state. A command's answer is the number of the quorum, 8 bytes, big-endian; 0 if the command is unreadable. */
    public static final Application<QuorumLedger> APPLICATION = new LedgerApplication();

    public QuorumLedger {
        members = List.copyOf(members);
    }

    /** Upper bound of {@link #formBytes} of all members of a quorum. */
    static final int FORM_BYTES_MAX = Content.COMMAND_BYTES_MAX - 64;

    /**
     * The command that forms a quorum.
     *
     * @param first the quorum's number if the ledger is empty: above all numbers of ledgers that are lost, as the milliseconds of the wall
     *     clock are while there is less than one quorum per millisecond
     */
    public static Bytes form(List<String> members, boolean hasFailed, long first) {
        return Bytes.of(FormFrame.newBuilder()
                .addAllMembers(members)
                .setFailed(hasFailed)
                .setFirst(first)
                .build()
                .toByteArray());
    }

    /** Bytes of a member's id in the command that forms a quorum. */
    static int formBytes(String id) {
        return CodedOutputStream.computeStringSize(FormFrame.MEMBERS_FIELD_NUMBER, id);
    }

    /** The number in a command's answer. */
    public static long quorumId(Bytes answer) {
        return ByteBuffer.wrap(answer.toArray()).getLong();
    }

    /** Whether a quorum of these members has a new number. */
    public boolean isNews(List<String> next, boolean hasFailed) {
        return hasFailed || !members.equals(next);
    }

    /** A ledger is as large as the command that made it. */
    private static final BoundedDecoder.Limits LIMITS = new BoundedDecoder.Limits(
            Content.COMMAND_BYTES_MAX + 16, 1, Content.COMMAND_BYTES_MAX, Content.COMMAND_BYTES_MAX);

    private static final class LedgerApplication implements Application<QuorumLedger> {
        @Override
        public QuorumLedger empty() {
            return EMPTY;
        }

        @Override
        public Outcome<QuorumLedger> apply(QuorumLedger state, Bytes command) {
            FormFrame form;
            try {
                form = FormFrame.parseFrom(command.toArray());
            } catch (InvalidProtocolBufferException unreadable) {
                return new Outcome<>(state, answer(0));
            }
            long id = state.quorumId;
            if (id == 0) {
                id = Math.max(1, form.getFirst());
            } else if (state.isNews(form.getMembersList(), form.getFailed())) {
                id++;
            }
            return new Outcome<>(new QuorumLedger(id, form.getMembersList()), answer(id));
        }

        private static Bytes answer(long id) {
            return Bytes.of(ByteBuffer.allocate(Long.BYTES).putLong(id).array());
        }

        /** Numbers go on above both; whoever was in either quorum gets a new one. */
        @Override
        public QuorumLedger merge(QuorumLedger better, QuorumLedger worse) {
            return new QuorumLedger(Math.max(better.quorumId, worse.quorumId), List.of());
        }

        @Override
        public Bytes encode(QuorumLedger state) {
            return Bytes.of(LedgerFrame.newBuilder()
                    .setQuorumId(state.quorumId)
                    .addAllMembers(state.members)
                    .build()
                    .toByteArray());
        }

        @Override
        public QuorumLedger decode(Bytes bytes) {
            try {
                LedgerFrame frame = BoundedDecoder.parse(
                        LedgerFrame.parser(), LedgerFrame.getDescriptor(), bytes.toArray(), LIMITS);
                return new QuorumLedger(frame.getQuorumId(), frame.getMembersList());
            } catch (MalformedMessageException broken) {
                throw new IllegalArgumentException("no ledger of quorums: " + broken.getMessage(), broken);
            }
        }
    }
}

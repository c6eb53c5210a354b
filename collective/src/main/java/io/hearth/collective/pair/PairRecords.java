package io.hearth.collective.pair;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.pair.machine.TransferSpec;
import io.hearth.collective.state.StateStreams;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The records between the two ends of a {@link PeerChannel}. A record's collective is the number of the transfer. */
public final class PairRecords {
    /**
     * First record of a stream, from the receiver: the last number that ended there; chunk is 1 if it was rejected, then the
     * payload has the reason.
     */
    public static final int GREET = RecordHeader.USER_MIN + 32;

    /** Number, type in chunk, elements in offset; no payload. */
    static final int OFFER = GREET + 1;

    /** Number; no payload. */
    static final int GRANT = GREET + 2;

    /** Number and offset of the payload. */
    static final int DATA = GREET + 3;

    /** Number; no payload. */
    static final int DONE = GREET + 4;

    /** Number; the payload has the reason. */
    static final int REFUSED = GREET + 5;

    /** Index of the stream on which the lower rank sends; {@link StateStreams} has other indices. */
    static final int UP = 1;

    /** Index of the stream on which the higher rank sends. */
    static final int DOWN = 2;

    /** A type's number on the wire is its index in this list. */
    static final List<DataType> TYPES = List.of(
            DataType.FLOAT32,
            DataType.FLOAT64,
            DataType.FLOAT16,
            DataType.BFLOAT16,
            DataType.INT32,
            DataType.INT64,
            DataType.INT8,
            DataType.UINT8);

    static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);
    static final int RECORD_BYTES = 128 * 1024;

    private PairRecords() {}

    /** The peer's reason for rejecting a number. */
    static CallRejection refusal(ReceivedRecord record) throws IOException {
        try {
            return CollectiveMessages.refusal(record.toBytes());
        } catch (MalformedMessageException malformed) {
            throw new IOException("sent a malformed rejection: " + malformed.getMessage(), malformed);
        }
    }

    /** The transfer that the peer offers. */
    static TransferSpec spec(ReceivedRecord record) throws IOException {
        if (record.chunk() >= TYPES.size()) {
            throw new IOException("offered elements of unknown type " + record.chunk());
        }
        try {
            return new TransferSpec(TYPES.get(record.chunk()), record.offset());
        } catch (IllegalArgumentException impossible) {
            throw new IOException("made an invalid offer: " + impossible.getMessage(), impossible);
        }
    }
}

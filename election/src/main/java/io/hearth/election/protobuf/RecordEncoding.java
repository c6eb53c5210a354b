package io.hearth.election.protobuf;

import io.hearth.core.BoundedDecoder;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.DamagedRecordException;
import io.hearth.election.LineageRecord;
import io.hearth.election.wire.RecordFrame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The file form of a {@link LineageRecord}. A torn or damaged file is always detected.
 *
 * <pre>
 * offset  bytes
 *      0      4  magic "HRec"
 *      4      4  version, 2
 *      8      4  payload length n, 1 to {@link #PAYLOAD_BYTES_MAX}
 *     12      n  payload (protobuf RecordFrame)
 *   12+n      4  CRC32C (RFC 3720) of all before
 * </pre>
 *
 * <p>Numbers are little-endian.
 */
public final class RecordEncoding {
    /** Two views of 256 members, each with 16 KiB of resolutions, and a margin. */
    public static final int PAYLOAD_BYTES_MAX = 256 * 1024;

    /** The longest file, in bytes; a reader need not read more. */
    public static final int FILE_BYTES_MAX = PAYLOAD_BYTES_MAX + 16;

    private static final int MAGIC = 0x63655248; // "HRec" when written little-endian
    private static final int VERSION = 2;
    private static final int HEADER_BYTES = 12;
    private static final int CHECKSUM_BYTES = 4;
    private static final BoundedDecoder.Limits LIMITS = new BoundedDecoder.Limits(PAYLOAD_BYTES_MAX, 4, 1024, 256);

    private RecordEncoding() {}

    /** The bytes of a file that holds {@code record}. */
    public static byte[] encode(LineageRecord record) {
        byte[] payload = frame(record).toByteArray();
        ByteBuffer file = ByteBuffer.allocate(HEADER_BYTES + payload.length + CHECKSUM_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        file.putInt(MAGIC).putInt(VERSION).putInt(payload.length).put(payload);
        return file.putInt(checksum(file.array(), HEADER_BYTES + payload.length))
                .array();
    }

    /**
     * Reads a file's bytes.
     *
     * @throws DamagedRecordException if they are not exactly the output of {@link #encode}: set the file aside, never rebuild it
     */
    public static LineageRecord decode(byte[] bytes) throws DamagedRecordException {
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.length < HEADER_BYTES + CHECKSUM_BYTES || file.getInt(0) != MAGIC) {
            throw new DamagedRecordException("not a voter's record: " + bytes.length + " bytes");
        }
        if (file.getInt(4) != VERSION) {
            throw new DamagedRecordException("a voter's record of version " + file.getInt(4) + ", this is " + VERSION);
        }
        int length = file.getInt(8);
        if (length != bytes.length - HEADER_BYTES - CHECKSUM_BYTES) {
            throw new DamagedRecordException(
                    "a torn voter's record: " + length + " bytes announced, the file has " + bytes.length);
        }
        if (checksum(bytes, HEADER_BYTES + length) != file.getInt(HEADER_BYTES + length)) {
            throw new DamagedRecordException("a damaged voter's record: wrong checksum");
        }
        try {
            return read(BoundedDecoder.parse(
                    RecordFrame.parser(),
                    RecordFrame.getDescriptor(),
                    Arrays.copyOfRange(bytes, HEADER_BYTES, HEADER_BYTES + length),
                    LIMITS));
        } catch (MalformedMessageException | IllegalArgumentException wrong) {
            throw new DamagedRecordException("a voter's record with wrong values: " + wrong.getMessage(), wrong);
        }
    }

    private static RecordFrame frame(LineageRecord record) {
        var frame =
                RecordFrame.newBuilder().setLineage(Frames.of(record.lineage())).setSeat(record.seat());
        record.view().ifPresent(view -> frame.setView(Frames.of(view)));
        record.promised().ifPresent(ballot -> frame.setPromised(Frames.of(ballot)));
        record.accepted()
                .ifPresent(accepted -> frame.setAcceptedBallot(Frames.of(accepted.ballot()))
                        .setAcceptedView(Frames.of(accepted.view())));
        return frame.build();
    }

    private static LineageRecord read(RecordFrame frame) throws MalformedMessageException {
        return new LineageRecord(
                Frames.lineage(frame.getLineage()),
                frame.getSeat(),
                frame.hasView() ? Optional.of(Frames.view(frame.getView())) : Optional.empty(),
                frame.hasPromised() ? Optional.of(Frames.ballot(frame.getPromised())) : Optional.empty(),
                MessageEncoding.proposal(
                        frame.hasAcceptedBallot(),
                        frame.getAcceptedBallot(),
                        frame.hasAcceptedView(),
                        frame.getAcceptedView()));
    }

    private static int checksum(byte[] bytes, int length) {
        var crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}

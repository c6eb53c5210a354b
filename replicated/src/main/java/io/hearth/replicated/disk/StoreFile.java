package io.hearth.replicated.disk;

import io.hearth.identity.DurableFile;
import io.hearth.identity.place.FolderIdentity;
import io.hearth.identity.place.PlaceFile;
import io.hearth.replicated.DiskTask;
import io.hearth.replicated.Snapshot;
import io.hearth.replicated.StoreRecord;
import io.hearth.replicated.protobuf.StoreRecordEncoding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copy of a store on disk: the file {@code store} in a folder of its own. The caller is the only process that uses the folder.
 *
 * <pre>
 * offset  bytes
 *      0      4  magic "HSto"
 *      4      4  version, 1
 *      8         records: magic "HRec" (4), payload length n (4), CRC32C of length and payload (4, RFC 3720),
 *                payload (n, protobuf RecordFrame)
 * </pre>
 *
 * <p>Numbers are little-endian. The first record is whole, the others append. A whole write makes a new file and renames it. A last record
 * that is cut off or damaged was being written when the power failed: nobody relied on it, and it is dropped. Damage that a whole record
 * follows means that the file cannot be trusted: it is set aside, and this machine is a new replica. So is one whose folder was copied or restored from a
 * backup, because it forgot what it had promised since.
 */
public final class StoreFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreFile.class);
    private static final int MAGIC = 0x6f745348; // "HSto" when written little-endian
    private static final int VERSION = 1;
    private static final int HEADER_BYTES = 8;
    private static final int RECORD_MAGIC = 0x63655248; // "HRec"
    private static final int RECORD_HEADER_BYTES = 12;

    /** A snapshot, and a log of 4,096 commands that wait for a quorum. */
    private static final long FILE_BYTES_MAX = 4L * Snapshot.BYTES_MAX + 256L * 1024 * 1024;

    private final Path file;
    private final long seat;
    private final Optional<StoreRecord> record;
    private @Nullable FileChannel channel; // open while the file may be appended to

    /** What a file holds. */
    private record Content(long seat, StoreRecord record, long bytes) {}

    private StoreFile(Path file, Optional<Content> content) throws IOException {
        this.file = file;
        this.seat = content.isPresent() ? content.get().seat() : freshSeat();
        this.record = content.map(Content::record);
        if (content.isPresent()) {
            FileChannel opened = FileChannel.open(file, StandardOpenOption.WRITE);
            channel = opened;
            if (opened.size() > content.get().bytes()) {
                opened.truncate(content.get().bytes());
                opened.force(true);
            }
            opened.position(content.get().bytes());
        }
    }

    /**
     * Reads the copy in a folder, which exists.
     *
     * @param computer hash of the operating system's machine id, if it is known
     * @throws IOException if the folder cannot be read or written
     */
    public static StoreFile open(Path folder, Optional<String> computer) throws IOException {
        Path file = folder.resolve("store");
        var place = new PlaceFile(folder, computer);
        Optional<FolderIdentity> then = place.read();
        Optional<String> moved = then.isPresent()
                ? then.get().difference(place.observed())
                : Optional.of("its file 'place' is missing or damaged");
        if (moved.isPresent()) {
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                setAside(file, "the folder is a copy or was restored: " + moved.get());
            }
            place.write();
        }
        Optional<Content> content = Optional.empty();
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            try {
                content = Optional.of(read(file));
            } catch (IllegalArgumentException damaged) {
                setAside(file, String.valueOf(damaged.getMessage()));
            }
        }
        return new StoreFile(file, content);
    }

    private static long freshSeat() {
        long seat = new SecureRandom().nextLong();
        return seat == 0 ? 1 : seat;
    }

    private static void setAside(Path file, String why) throws IOException {
        Path aside = file.resolveSibling("store.aside-1");
        for (int number = 2; Files.exists(aside, LinkOption.NOFOLLOW_LINKS); number++) {
            aside = file.resolveSibling("store.aside-" + number);
        }
        Files.move(file, aside);
        DurableFile.sync(aside);
        LOG.error(
                "set aside {}: {}; this machine takes a new copy of the services' state from the others, if a quorum of"
                        + " them has it",
                aside,
                why);
    }

    private static Content read(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > FILE_BYTES_MAX) {
            throw new IllegalArgumentException("not a file of a store");
        }
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.remaining() < HEADER_BYTES || bytes.getInt() != MAGIC) {
            throw new IllegalArgumentException("not a file of a store");
        }
        int version = bytes.getInt();
        if (version != VERSION) {
            throw new IOException(file + " has format " + version + ", this Hearth reads " + VERSION
                    + ": start the newer Hearth that wrote it");
        }
        StoreRecordEncoding.Start start = StoreRecordEncoding.start(
                payload(bytes).orElseThrow(() -> new IllegalArgumentException("the first record is damaged")));
        StoreRecord record = start.record();
        long end = bytes.position();
        while (bytes.hasRemaining()) {
            Optional<byte[]> payload = payload(bytes);
            if (payload.isEmpty()) {
                if (hasRecordAfter(bytes, end)) {
                    throw new IllegalArgumentException("a record in the middle is damaged");
                }
                LOG.warn("the last write to {} was cut off and is dropped: nobody relied on it", file);
                break;
            }
            record = StoreRecordEncoding.next(record, payload.get());
            end = bytes.position();
        }
        return new Content(start.seat(), record, end);
    }

    /** The next record's payload; empty if it is cut off or damaged. */
    private static Optional<byte[]> payload(ByteBuffer bytes) {
        if (bytes.remaining() < RECORD_HEADER_BYTES || bytes.getInt() != RECORD_MAGIC) {
            return Optional.empty();
        }
        int length = bytes.getInt();
        int checksum = bytes.getInt();
        if (length < 0 || length > bytes.remaining()) {
            return Optional.empty();
        }
        byte[] payload = new byte[length];
        bytes.get(payload);
        return checksum(payload) == checksum ? Optional.of(payload) : Optional.empty();
    }

    /** Whether a whole record follows somewhere after {@code from}, where a damaged one begins. Then it was not cut off. */
    private static boolean hasRecordAfter(ByteBuffer bytes, long from) {
        for (int at = Math.toIntExact(from) + 1; at <= bytes.limit() - RECORD_HEADER_BYTES; at++) {
            if (bytes.getInt(at) == RECORD_MAGIC) {
                bytes.position(at);
                if (payload(bytes).isPresent()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static int checksum(byte[] payload) {
        var crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(payload.length)
                .flip());
        crc.update(payload);
        return (int) crc.getValue();
    }

    /** This machine's seat. */
    public long seat() {
        return seat;
    }

    /** What the file held when it was opened. */
    public Optional<StoreRecord> record() {
        return record;
    }

    /**
     * Writes; all is on disk when this returns.
     *
     * @throws IOException if it may not be; the next write must be a whole one
     */
    public void write(List<DiskTask> tasks) throws IOException {
        int first = 0;
        for (int index = 0; index < tasks.size(); index++) {
            if (tasks.get(index) instanceof DiskTask.Whole) {
                first = index; // what comes before it is part of it
            }
        }
        try {
            boolean isForced = true;
            for (DiskTask task : tasks.subList(first, tasks.size())) {
                byte[] payload = StoreRecordEncoding.encode(task, seat);
                if (task instanceof DiskTask.Whole) {
                    replace(payload);
                } else {
                    append(record(payload));
                    isForced = false;
                }
            }
            if (!isForced) {
                open().force(false);
            }
        } catch (IOException broken) {
            close(); // what the file ends with is not known, so nothing may be appended
            throw broken;
        }
    }

    private void replace(byte[] payload) throws IOException {
        close();
        ByteBuffer whole = ByteBuffer.allocate(HEADER_BYTES + RECORD_HEADER_BYTES + payload.length)
                .order(ByteOrder.LITTLE_ENDIAN);
        whole.putInt(MAGIC).putInt(VERSION).put(record(payload));
        DurableFile.replace(file, whole.array());
        FileChannel opened = FileChannel.open(file, StandardOpenOption.WRITE);
        channel = opened;
        opened.position(opened.size());
    }

    private void append(ByteBuffer record) throws IOException {
        FileChannel opened = open();
        while (record.hasRemaining()) {
            opened.write(record);
        }
    }

    private FileChannel open() throws IOException {
        FileChannel opened = channel;
        if (opened == null) {
            throw new IOException("a write before it failed");
        }
        return opened;
    }

    private static ByteBuffer record(byte[] payload) {
        return ByteBuffer.allocate(RECORD_HEADER_BYTES + payload.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(RECORD_MAGIC)
                .putInt(payload.length)
                .putInt(checksum(payload))
                .put(payload)
                .flip();
    }

    @Override
    public void close() throws IOException {
        FileChannel opened = channel;
        channel = null;
        if (opened != null) {
            opened.close();
        }
    }
}

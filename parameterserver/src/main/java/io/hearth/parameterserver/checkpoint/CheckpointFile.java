package io.hearth.parameterserver.checkpoint;

import io.hearth.identity.DurableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * One file, written whole or not at all. Big-endian:
 *
 * <pre>
 * magic "HearthPS" | version u32 | part u32 | term u64 | index u64 | length u64 | content | CRC32C of all before it u32
 * </pre>
 */
final class CheckpointFile {
    private static final long MAGIC = 0x4865_6172_7468_5053L;
    private static final int VERSION = 1;
    private static final int HEADER_BYTES = 40;
    private static final int SUM_BYTES = 4;

    /** Why a file cannot be used. */
    static final class Damaged extends Exception {
        private static final long serialVersionUID = 1;

        Damaged(String message) {
            super(message);
        }
    }

    private CheckpointFile() {}

    /** Writes through a temporary file, so that a crash leaves the old files as they are; the file. */
    static Written write(Path file, Path temporary, int part, Checkpoint checkpoint) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES)
                .putLong(MAGIC)
                .putInt(VERSION)
                .putInt(part)
                .putLong(checkpoint.term())
                .putLong(checkpoint.index())
                .putLong(checkpoint.content().length)
                .flip();
        CRC32C sum = new CRC32C();
        sum.update(header.array());
        sum.update(checkpoint.content());
        ByteBuffer trailer =
                ByteBuffer.allocate(SUM_BYTES).putInt((int) sum.getValue()).flip();
        try (FileChannel out = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            for (ByteBuffer each : new ByteBuffer[] {header, ByteBuffer.wrap(checkpoint.content()), trailer}) {
                while (each.hasRemaining()) {
                    var _ = out.write(each);
                }
            }
            out.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        DurableFile.sync(file.toAbsolutePath());
        return written(file, part, checkpoint, sum);
    }

    private static Written written(Path file, int part, Checkpoint checkpoint, CRC32C sum) {
        return new Written(
                part,
                checkpoint.term(),
                checkpoint.index(),
                file,
                (int) sum.getValue(),
                (long) HEADER_BYTES + checkpoint.content().length + SUM_BYTES);
    }

    /** A checkpoint, and the file it is from. */
    record Opened(Checkpoint checkpoint, Written file) {}

    static Opened read(Path file, int part) throws IOException, Damaged {
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length < HEADER_BYTES + SUM_BYTES) {
            throw new Damaged("it has only " + bytes.length + " bytes");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, bytes.length - SUM_BYTES);
        if ((int) sum.getValue() != in.getInt(bytes.length - SUM_BYTES)) {
            throw new Damaged("checkpoint file checksum validation failed");
        }
        if (in.getLong() != MAGIC) {
            throw new Damaged("it is no checkpoint of a parameter server");
        }
        int version = in.getInt();
        if (version != VERSION) {
            throw new Damaged("its format has the version " + version + ", this program reads " + VERSION);
        }
        int written = in.getInt();
        if (written != part) {
            throw new Damaged("it is of part " + written);
        }
        long term = in.getLong();
        long index = in.getLong();
        long length = in.getLong();
        if (length != in.remaining() - SUM_BYTES) {
            throw new Damaged("its content has " + (in.remaining() - SUM_BYTES) + " bytes in place of " + length);
        }
        byte[] content = new byte[in.remaining() - SUM_BYTES];
        in.get(content);
        var checkpoint = new Checkpoint(term, index, content);
        return new Opened(checkpoint, written(file, part, checkpoint, sum));
    }
}

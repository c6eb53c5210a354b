package io.hearth.bench;

import io.hearth.core.SetupException;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reads files of the format IDX (LeCun, Cortes and Burges, MNIST), plain or with gzip. It is strict, and it reads at most the allowed number of bytes.
 *
 * <pre>
 * | 0 | 0 | 8: values are bytes | dimensions | size of each dimension: uint32, big-endian | values |
 * </pre>
 */
final class IdxFile {
    private static final int MAGIC_OF_BYTES = 0x0800;
    private static final int GZIP_FIRST = 0x1f;
    private static final int GZIP_SECOND = 0x8b;

    private IdxFile() {}

    /**
     * All values of a file.
     *
     * @param what the file holds, for messages
     * @param countMax largest number of elements, which is the first dimension
     * @param element required sizes of the other dimensions; none for single bytes
     * @return the elements one after the other
     * @throws SetupException the file is not such a file; the message says why
     */
    static byte[] read(Path file, String what, int countMax, int... element) throws SetupException {
        try (InputStream in = open(file)) {
            checkMagic(ByteBuffer.wrap(exactly(in, Integer.BYTES)).getInt(), 1 + element.length, what);
            var header = ByteBuffer.wrap(exactly(in, (1 + element.length) * Integer.BYTES));
            int count = count(header.getInt(), countMax, what);
            int bytes = count;
            for (int size : element) {
                checkSize(header.getInt(), size, what);
                bytes = Math.multiplyExact(bytes, size);
            }
            byte[] values = exactly(in, bytes);
            if (in.read() >= 0) {
                throw new IOException("it has more data after its " + count + " " + what);
            }
            return values;
        } catch (NoSuchFileException missing) {
            throw new SetupException("there is no file " + file + "; name a file of MNIST " + what, missing);
        } catch (AccessDeniedException forbidden) {
            throw new SetupException(file + " is not readable for this user; change its permissions", forbidden);
        } catch (EOFException cut) {
            throw unusable(file, what, "it ends early", cut);
        } catch (ZipException damaged) {
            throw unusable(file, what, "its gzip is damaged", damaged);
        } catch (IOException wrong) {
            throw unusable(file, what, String.valueOf(wrong.getMessage()), wrong);
        }
    }

    private static SetupException unusable(Path file, String what, String why, IOException cause) {
        return new SetupException(
                file + " cannot be used as MNIST " + what + ": " + why + "; fetch it again, or name another file",
                cause);
    }

    private static InputStream open(Path file) throws IOException {
        var in = new BufferedInputStream(Files.newInputStream(file));
        try {
            in.mark(2);
            boolean gzip = in.read() == GZIP_FIRST && in.read() == GZIP_SECOND;
            in.reset();
            return gzip ? new GZIPInputStream(in) : in;
        } catch (IOException failed) {
            in.close();
            throw failed;
        }
    }

    /** Reads exactly {@code bytes} bytes. Memory grows with the data of the file, not with the claim of its header. */
    private static byte[] exactly(InputStream in, int bytes) throws IOException {
        byte[] read = in.readNBytes(bytes);
        if (read.length < bytes) {
            throw new EOFException();
        }
        return read;
    }

    private static void checkMagic(int magic, int dimensions, String what) throws IOException {
        if (magic != MAGIC_OF_BYTES + dimensions) {
            HexFormat hex = HexFormat.of();
            throw new IOException("it starts with " + hex.toHexDigits(magic) + ", an IDX file of " + what + " with "
                    + hex.toHexDigits(MAGIC_OF_BYTES + dimensions));
        }
    }

    private static int count(int count, int countMax, String what) throws IOException {
        if (count < 1 || count > countMax) {
            throw new IOException(
                    "its header claims " + Integer.toUnsignedString(count) + " " + what + ", not 1 to " + countMax);
        }
        return count;
    }

    private static void checkSize(int seen, int wanted, String what) throws IOException {
        if (seen != wanted) {
            throw new IOException(
                    "a side of its " + what + " is " + Integer.toUnsignedString(seen) + ", not " + wanted);
        }
    }
}

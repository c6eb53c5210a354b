package io.hearth.transport.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file that two processes of one user map: both rings of a stream.
 *
 * <p>The file stays mapped while there is a hold on it: of the open stream, of each running call, and of the thread with a borrowed record.
 * So no access meets memory that a close in another thread unmapped.
 */
public final class SharedMemory {
    /** Capacity of one ring: seven of the largest segments. With less the two ends wait for each other; more does not fit the caches. */
    public static final int RING_BYTES = 2 * SharedRing.CAPACITY_MIN;

    private static final int DIRECTION_BYTES = SharedRing.CONTROL_BYTES + RING_BYTES;

    /** Size of the file: the ring from the dialling side, then the ring to it. */
    static final int FILE_BYTES = 2 * DIRECTION_BYTES;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final AtomicInteger holds = new AtomicInteger(1); // the last hold to end unmaps

    private SharedMemory(FileChannel file) throws IOException {
        try {
            memory = file.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES, arena);
        } catch (IOException | RuntimeException failed) {
            arena.close();
            throw failed;
        }
    }

    /**
     * Makes the file and maps it, with one hold.
     *
     * @throws IOException if the path exists, or there is no space
     */
    public static SharedMemory create(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(
                path,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            // Written and not only extended, so that a full file system fails here, and not with a signal later.
            ByteBuffer zeros = ByteBuffer.allocate(FILE_BYTES / 2);
            while (file.size() < FILE_BYTES) {
                file.write(zeros.clear());
            }
            return new SharedMemory(file);
        } catch (IOException failed) {
            Files.deleteIfExists(path);
            throw failed;
        }
    }

    /**
     * Maps the file that the other process made, with one hold.
     *
     * @param path from another process
     * @param user who must own the file
     * @throws IOException if it is not a file of that user alone, or has another size
     */
    public static SharedMemory open(Path path, UserPrincipal user) throws IOException {
        try (FileChannel file = FileChannel.open(
                path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
            var found = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!found.isRegularFile()
                    || !found.owner().equals(user)
                    || !found.permissions().equals(PosixFilePermissions.fromString("rw-------"))
                    || file.size() != FILE_BYTES) {
                throw new IOException("it is not a file of this user alone with " + FILE_BYTES + " bytes");
            }
            return new SharedMemory(file);
        }
    }

    /** The ring that the dialling side writes, or the one that it reads. */
    MemorySegment ring(boolean fromDialer) {
        return memory.asSlice(fromDialer ? 0 : DIRECTION_BYTES, DIRECTION_BYTES);
    }

    /** Takes a hold. Returns false if the memory is no longer mapped. */
    boolean enter() {
        int now = holds.get();
        while (now > 0) {
            if (holds.compareAndSet(now, now + 1)) {
                return true;
            }
            now = holds.get();
        }
        return false;
    }

    /** Ends one hold. */
    public void leave() {
        if (holds.decrementAndGet() == 0) {
            arena.close();
        }
    }

    /** Whether it is still mapped here. */
    public boolean isMapped() {
        return arena.scope().isAlive();
    }
}

package io.hearth.cli;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The temporary folder of one chaos run; its name holds the id of the run's lab.
 *
 * <p>A file in it is locked as long as the run lives, and the operating system frees it however the run ends. So a folder of this
 * user with this form of name and a free lock was left by a run that is dead, and so was its lab.
 */
final class ChaosFolder implements AutoCloseable {
    private static final String PREFIX = "hearth-";
    private static final Pattern LEFT = Pattern.compile(PREFIX + "(chaos[a-z0-9]{8})");
    private static final String LOCK = "lock";
    private static final int TRIES_MAX = 100;

    private final Path folder;
    private final String id;
    private final FileChannel lock;

    private ChaosFolder(Path folder, String id, FileChannel lock) {
        this.folder = folder;
        this.id = id;
        this.lock = lock;
    }

    /**
     * Makes one.
     *
     * @param parent usually the system's temporary folder
     */
    static ChaosFolder create(Path parent) throws SetupException {
        try {
            for (int i = 0; i < TRIES_MAX; i++) {
                String id = "chaos" + randomText();
                Path folder = parent.resolve(PREFIX + id);
                try {
                    Files.createDirectory(
                            folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                } catch (FileAlreadyExistsException taken) {
                    continue;
                }
                Optional<FileChannel> lock = lock(folder.resolve(LOCK), StandardOpenOption.CREATE_NEW);
                if (lock.isPresent()) {
                    return new ChaosFolder(folder, id, lock.get());
                }
            }
            throw new SetupException("found no free name for a folder in " + parent + "; remove old ones there");
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot make a folder in " + parent + ": " + failed.getMessage()
                            + "; set TMPDIR to a folder of yours with some room",
                    failed);
        }
    }

    private static String randomText() {
        var text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            text.append(Character.forDigit(ThreadLocalRandom.current().nextInt(36), 36));
        }
        return text.toString();
    }

    private static Optional<FileChannel> lock(Path file, StandardOpenOption how) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, how, LinkOption.NOFOLLOW_LINKS);
        @org.jspecify.annotations.Nullable FileLock taken = null;
        try {
            taken = channel.tryLock();
        } finally {
            if (taken == null) {
                channel.close();
            }
        }
        return taken == null ? Optional.empty() : Optional.of(channel);
    }

    /** Runs in {@code parent} that were killed, each with its lock taken; close them to remove their folders. */
    static List<ChaosFolder> left(Path parent) throws SetupException {
        var found = new ArrayList<ChaosFolder>();
        try (Stream<Path> children = Files.list(parent)) {
            for (Path child : children.sorted().toList()) {
                var name = LEFT.matcher(child.getFileName().toString());
                if (name.matches() && isMine(child)) {
                    lock(child.resolve(LOCK), StandardOpenOption.WRITE)
                            .ifPresent(lock -> found.add(new ChaosFolder(child, name.group(1), lock)));
                }
            }
            return found;
        } catch (IOException failed) {
            found.forEach(ChaosFolder::release);
            throw new SetupException(
                    "cannot look for what earlier runs left in " + parent + ": " + failed.getMessage(), failed);
        }
    }

    private static boolean isMine(Path child) throws IOException {
        return Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)
                && Files.isRegularFile(child.resolve(LOCK), LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(child, LinkOption.NOFOLLOW_LINKS)
                        .equals(Files.getOwner(Path.of("/proc/self"), LinkOption.NOFOLLOW_LINKS));
    }

    Path path() {
        return folder;
    }

    /** Of the lab, for {@code lab/lan --lab}. */
    String labId() {
        return id;
    }

    private void release() {
        try {
            lock.close();
        } catch (IOException _) {
            // the descriptor is gone in any case, and the lock with it
        }
    }

    /** Removes the folder; the lock goes last, so that nobody else finds it half removed. */
    @Override
    public void close() {
        DemoFolder.remove(folder);
        release();
    }
}

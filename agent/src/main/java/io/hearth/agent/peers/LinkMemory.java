package io.hearth.agent.peers;

import io.hearth.core.Clock;
import io.hearth.identity.DurableFile;
import io.hearth.topology.memory.Measurements;
import io.hearth.topology.memory.MeasurementsText;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of measurements of links, mode 0600. A thread of its own writes it, because disks stall; it writes only what is worth a write.
 * A wrong measurement costs at most a worse plan, so the content is not verified. A file that cannot be parsed is renamed as a whole.
 */
public final class LinkMemory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkMemory.class);
    private static final long CLOSING_MILLIS_MAX = 1_000;

    private final Path path;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock(); // guards what the writer thread takes
    private final Condition changed = lock.newCondition();
    private final Thread writer;
    private Measurements newest = Measurements.NONE; // under lock
    private Measurements written = Measurements.NONE; // under lock
    private boolean closing; // under lock

    /**
     * A memory that was not read.
     *
     * @param path in a folder of this user's own; the file need not exist
     */
    public LinkMemory(Path path, Clock clock) {
        this.path = path;
        this.clock = clock;
        this.writer = Thread.ofPlatform().daemon().name("hearth-links").unstarted(this::write);
    }

    /** Reads the file, and from now on writes it. Empty if there is no file or it is damaged; a damaged file is renamed and logged. */
    public Measurements start() {
        Measurements read = read();
        lock.lock();
        try {
            newest = read;
            written = read;
        } finally {
            lock.unlock();
        }
        writer.start();
        return read;
    }

    /** Takes the newest measurements. They are on disk soon if they are worth a write, else when this memory is closed. */
    public void remember(Measurements measurements) {
        lock.lock();
        try {
            newest = measurements;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Writes the newest measurements and ends. */
    @Override
    public void close() {
        lock.lock();
        try {
            closing = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
        try {
            writer.join(CLOSING_MILLIS_MAX);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    private Measurements read() {
        byte[] content;
        try (var in = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
            content = in.readNBytes(MeasurementsText.BYTES_MAX + 1);
        } catch (NoSuchFileException absent) {
            return Measurements.NONE;
        } catch (IOException broken) {
            LOG.warn("cannot read {}: {}; going on without the measurements of former links", path, cause(broken));
            return Measurements.NONE;
        }
        try {
            return MeasurementsText.decode(content, clock.nanoTime(), clock.epochMillis());
        } catch (IllegalArgumentException damaged) {
            setAside(damaged.getMessage());
            return Measurements.NONE;
        }
    }

    private void setAside(@Nullable String why) {
        Path aside = path.resolveSibling(path.getFileName() + ".damaged-" + UUID.randomUUID());
        try {
            Files.move(path, aside, StandardCopyOption.ATOMIC_MOVE);
            LOG.warn("{} is damaged ({}); kept as {}, links will be measured again", path, why, aside.getFileName());
        } catch (IOException broken) {
            LOG.warn("{} is damaged ({}) and cannot be renamed: {}; it will be replaced", path, why, cause(broken));
        }
    }

    private void write() {
        String complaint = "";
        Optional<Measurements> next = next();
        while (next.isPresent()) {
            try {
                DurableFile.replace(path, MeasurementsText.encode(next.get(), clock.nanoTime(), clock.epochMillis()));
                complaint = "";
            } catch (IOException full) {
                String now = cause(full);
                if (!now.equals(complaint)) {
                    complaint = now;
                    LOG.warn("cannot write {}: {}; measurements of links are not remembered", path, now);
                }
            }
            next = next();
        }
    }

    /** Waits for measurements that must be written; empty after the last ones. A failed write counts as done until there is news again. */
    private Optional<Measurements> next() {
        lock.lock();
        try {
            while (!closing && !newest.isNews(written)) {
                changed.awaitUninterruptibly();
            }
            if (newest.equals(written)) {
                return Optional.empty();
            }
            written = newest;
            return Optional.of(newest);
        } finally {
            lock.unlock();
        }
    }

    /** Without the paths in the system's message, because each draft file has another name: repeats must be equal. */
    private static String cause(IOException broken) {
        return switch (broken) {
            case FileSystemException failed when failed.getReason() != null -> failed.getReason();
            case FileSystemException failed -> failed.getClass().getSimpleName();
            default -> String.valueOf(broken.getMessage());
        };
    }
}

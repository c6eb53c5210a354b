package io.hearth.agent.votes;

import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.protobuf.RecordEncoding;
import io.hearth.election.vote.Voter;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.DurableFile;
import io.hearth.identity.PeerId;
import io.hearth.identity.place.FolderIdentity;
import io.hearth.identity.place.PlaceFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The voting records of a machine, shared by all processes of its home: the shell around {@link Voter}. The process that votes takes the
 * folder's lock, reads the record, writes the decision, waits for the disk, and only then answers. No process votes from memory.
 *
 * <pre>
 * votes/HASH.record             one for each lineage
 * votes/HASH.record.damaged     set aside because it could not be read
 * votes/aside-1/                records of a folder that was copied or restored
 * votes/place                   shows that the folder was neither copied nor restored
 * votes/lock                    locked by the process that votes
 * votes/CACHEDIR.TAG            asks backups to leave the folder out
 * </pre>
 */
public final class VoteFolder implements VoterDisk, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VoteFolder.class);

    /** Shortest time for which an unused record is kept. */
    public static final Duration UNUSED_KEPT = Duration.ofMinutes(RecordRetention.QUIET_MINUTES);

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Most records known to be on disk; forgetting one costs a sync. */
    private static final int DURABLE_MAX = 4 * RecordRetention.RECORDS_MAX;

    private final Path folder;
    private final PeerId machine;
    private final Clock clock;
    private final Duration timeout;
    private final RecordWriter writer;
    private final RecordFiles records;
    private final PlaceFile place;
    private final Optional<String> computer;
    private final FolderLock lock;

    // Guarded by the lock, which orders threads too.
    private final Map<Lineage, LineageRecord> durable = new HashMap<>(); // on disk: this process wrote or synced it
    private RecordRetention.State retention = RecordRetention.State.EMPTY;
    private Optional<PlaceFile.Seen> settled = Optional.empty();
    private boolean wasSettled;
    private boolean distrusts; // a write or sync failed: a later sync of the same pages may claim success wrongly

    private final AtomicReference<@Nullable String> doubt =
            new AtomicReference<>(); // set by setAside(), cleared by the next task
    private volatile DiskTimes times; // written by the thread with the lock, read by any thread
    private volatile boolean closed; // written by close(), read by later calls

    private VoteFolder(
            Path folder,
            PeerId machine,
            Optional<String> computer,
            Clock clock,
            Duration timeout,
            RecordWriter writer,
            FolderLock lock) {
        this.folder = folder;
        this.machine = machine;
        this.computer = computer;
        this.clock = clock;
        this.timeout = timeout;
        this.writer = writer;
        this.records = new RecordFiles(folder);
        this.place = new PlaceFile(folder, computer);
        this.lock = lock;
        this.times = DiskTimes.from(clock.nanoTime());
    }

    /**
     * Opens the folder; creates it if there is none. Sets all its records aside if it was copied or restored.
     *
     * @param folder absolute, the same for all processes of the home; the folder above it exists
     * @param machine owner of the records
     * @param computer as {@link io.hearth.identity.IdentityFile#computer}
     * @throws SetupException if the folder cannot be used, or another process holds its lock for 10 s; its text says what to do
     */
    public static VoteFolder open(Path folder, PeerId machine, Optional<String> computer, Clock clock)
            throws SetupException {
        return open(folder, machine, computer, clock, TIMEOUT, RecordWriter.DURABLE);
    }

    static VoteFolder open(
            Path folder, PeerId machine, Optional<String> computer, Clock clock, Duration timeout, RecordWriter writer)
            throws SetupException {
        FolderLock lock;
        try {
            lock = FolderLock.of(folder);
        } catch (IOException broken) {
            throw new SetupException(trouble(folder, broken) + ", then start again", broken);
        }
        var opened = new VoteFolder(folder, machine, computer, clock, timeout, writer, lock);
        boolean isUsable = false;
        try {
            opened.whileStarting(List::of); // load() reads the records
            isUsable = true;
            return opened;
        } finally {
            if (!isUsable) {
                opened.close();
            }
        }
    }

    /**
     * All valid records: those in use, and at most 64 others. Damaged ones are set aside.
     *
     * @throws SetupException as {@link #open}
     */
    public List<LineageRecord> load() throws SetupException {
        return whileStarting(
                () -> sweep(RecordRetention.State.EMPTY, new TreeSet<>()).kept());
    }

    /** Reads with the lock while the node starts, when each failure ends the start. */
    private List<LineageRecord> whileStarting(Reading reading) throws SetupException {
        boolean wasInterrupted = Thread.interrupted(); // an interrupted thread closes every channel that it uses
        try (FolderLock.Held held = lock.acquire(timeout).orElse(null)) {
            if (held == null) {
                throw new SetupException(lockTrouble());
            }
            settle();
            return reading.records();
        } catch (IOException broken) {
            distrust();
            throw new SetupException(trouble(folder, broken) + ", then start again", broken);
        } finally {
            restore(wasInterrupted);
        }
    }

    private interface Reading {
        List<LineageRecord> records() throws IOException;
    }

    @Override
    public VoterAnswer carryOut(VoterTask task) {
        if (closed) {
            return new VoterAnswer.Failed("cannot vote: this node is closed; start it again");
        }
        boolean wasInterrupted = Thread.interrupted(); // an interrupted thread closes every channel that it uses
        try (FolderLock.Held held = lock.acquire(timeout).orElse(null)) {
            return held == null ? new VoterAnswer.Failed(lockTrouble()) : timed(task);
        } catch (IOException broken) {
            return new VoterAnswer.Failed(trouble(folder, broken) + "; this machine votes again as soon as that works");
        } finally {
            restore(wasInterrupted);
        }
    }

    /** Makes the next task first set all records aside, because another computer has the same ones. Any thread may call it. */
    public void setAside(String why) {
        doubt.set(why);
    }

    @Override
    public long slowestNanos() {
        return times.slowestNanos(clock.nanoTime());
    }

    /** Releases the folder. A running task keeps its lock until it ends. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            lock.leave();
        }
    }

    private VoterAnswer timed(VoterTask task) throws IOException {
        times = times.began(clock.nanoTime());
        try {
            settle();
            return switch (task) {
                case VoterTask.Retain(SortedSet<Lineage> used) -> retain(used);
                case VoterTask.Enter enter -> vote(enter.lineage(), task);
                case VoterTask.Found found -> vote(found.view().lineage(), task);
                case VoterTask.Learn learn -> vote(learn.view().lineage(), task);
                case VoterTask.Promise promise -> vote(promise.view().lineage(), task);
                case VoterTask.Accept accept -> vote(accept.view().lineage(), task);
            };
        } catch (IOException broken) {
            distrust();
            throw broken;
        } finally {
            times = times.ended(clock.nanoTime());
        }
    }

    private VoterAnswer vote(Lineage lineage, VoterTask task) throws IOException {
        Path file = records.file(lineage);
        Optional<LineageRecord> onDisk = records.read(file);
        Voter.Decision decision = Voter.decide(machine, onDisk, task);
        if (decision.write().isPresent()) {
            write(file, decision.write().get());
        } else if (onDisk.isPresent() && decision.answer().isOnDisk()) {
            makeSure(file, onDisk.get());
        }
        return decision.answer();
    }

    /** Forces a record to disk if another process wrote it and perhaps ended before its sync. */
    private void makeSure(Path file, LineageRecord record) throws IOException {
        if (record.equals(durable.get(record.lineage()))) {
            return;
        }
        if (distrusts) {
            write(file, record);
        } else {
            writer.sync(file);
            remember(record);
        }
    }

    private void write(Path file, LineageRecord record) throws IOException {
        byte[] content = RecordEncoding.encode(record);
        if (content.length > RecordEncoding.FILE_BYTES_MAX) {
            throw new IOException("a record of " + content.length + " bytes, and at most "
                    + RecordEncoding.FILE_BYTES_MAX + " are read back");
        }
        writer.replace(file, content);
        remember(record);
    }

    private void remember(LineageRecord record) {
        if (durable.size() >= DURABLE_MAX) {
            durable.clear();
        }
        durable.put(record.lineage(), record);
    }

    private void distrust() {
        distrusts = true;
        durable.clear();
    }

    private VoterAnswer retain(SortedSet<Lineage> used) throws IOException {
        Sweep sweep = sweep(retention, used);
        retention = sweep.next();
        place.touch(clock.epochMillis());
        settled = place.seen();
        var without = new TreeSet<>(used);
        sweep.kept().forEach(record -> without.remove(record.lineage()));
        return new VoterAnswer.Retained(without);
    }

    /** The remaining records, and the state for the next sweep. */
    private record Sweep(List<LineageRecord> kept, RecordRetention.State next) {}

    /** Marks the records of {@code used} as used, and deletes records as {@link RecordRetention} decides. */
    private Sweep sweep(RecordRetention.State before, SortedSet<Lineage> used) throws IOException {
        long nowMillis = clock.epochMillis();
        var found = new ArrayList<LineageRecord>();
        var sightings = new ArrayList<RecordRetention.Sighting>();
        for (Path file : records.all()) {
            Optional<LineageRecord> sound = records.read(file);
            if (sound.isPresent()) {
                LineageRecord record = sound.get();
                if (used.contains(record.lineage())) {
                    Files.setLastModifiedTime(file, FileTime.fromMillis(nowMillis));
                }
                found.add(record);
                sightings.add(new RecordRetention.Sighting(
                        record.lineage(), Files.getLastModifiedTime(file).toMillis(), isNeeded(record)));
            }
        }
        RecordRetention.Verdict verdict = RecordRetention.observe(before, sightings, used, nowMillis);
        records.delete(verdict.deleted());
        verdict.deleted().forEach(lineage -> {
            durable.remove(lineage);
            LOG.debug("deleted the unused voting record of lineage {}", lineage.shortText());
        });
        found.removeIf(record -> verdict.deleted().contains(record.lineage()));
        return new Sweep(List.copyOf(found), verdict.next());
    }

    private boolean isNeeded(LineageRecord record) {
        return record.isListed(machine)
                && record.view().orElseThrow().machines().stream().anyMatch(other -> !other.equals(machine));
    }

    /** Checks that the records were made in this folder. Reads the file {@code place} only if that file changed. */
    private void settle() throws IOException {
        String why = doubt.get();
        if (why != null) {
            durable.clear();
            Optional<Path> aside = records.setAllAside();
            doubt.compareAndSet(why, null); // only after it is done, because it may fail
            LOG.warn(
                    "{}: the voting records are kept in {} and do not vote",
                    why,
                    aside.isPresent() ? aside.get() : folder);
        }
        Optional<PlaceFile.Seen> seen = place.seen();
        if (wasSettled && seen.isPresent() && seen.equals(settled)) {
            return;
        }
        durable.clear();
        records.deleteDrafts();
        Optional<FolderIdentity> then = place.read();
        FolderIdentity now =
                seen.isPresent() ? place.observed() : new FolderIdentity(Optional.empty(), Optional.empty(), computer);
        Optional<String> difference = then.isPresent()
                ? then.get().difference(now)
                : Optional.of(seen.isPresent() ? "its file 'place' is damaged" : "it has no file 'place'");
        if (difference.isPresent()) {
            setAside(difference.get(), seen.isPresent());
        }
        if (difference.isPresent() || then.orElseThrow().knowsLess(now)) {
            now = place.write();
            DurableFile.sync(folder);
        }
        if (now.inode().isEmpty() || now.computer().isEmpty()) {
            LOG.debug(
                    "a copied or restored {} may go unnoticed here: its file system keeps {} inode, this computer has {} id",
                    folder,
                    now.inode().isPresent() ? "an" : "no",
                    now.computer().isPresent() ? "an" : "no");
        }
        place.touch(clock.epochMillis());
        BackupExclusion.mark(folder);
        settled = place.seen();
        wasSettled = true;
    }

    private void setAside(String why, boolean hadPlace) throws IOException {
        Optional<Path> aside = records.setAllAside();
        if (aside.isPresent()) {
            LOG.warn(
                    "{} was copied or restored from a backup ({}): its records are kept in {} and do not vote;"
                            + " nothing needs to be done, this machine asks the others for new seats",
                    folder,
                    why,
                    aside.get());
        } else if (wasSettled && !hadPlace) {
            LOG.warn(
                    "the voting records in {} were deleted while this node ran: this machine asks the others for new"
                            + " seats; leave that folder alone",
                    folder);
        }
    }

    private String lockTrouble() {
        return "cannot vote: another process of this machine has held the lock of " + folder + " for "
                + timeout.toSeconds() + " s; let that process go on if it is stopped, or end it";
    }

    private static String trouble(Path folder, IOException broken) {
        return "cannot use the voting records in " + folder + ": " + cause(broken)
                + "; make the folder writable for you, with free space";
    }

    /** The operating system's reason. */
    private static String cause(IOException broken) {
        return switch (broken) {
            case AccessDeniedException _ -> "permission denied";
            case NoSuchFileException missing -> missing.getFile() + " is missing";
            case FileSystemException failed when failed.getReason() != null -> failed.getReason();
            default -> String.valueOf(broken.getMessage());
        };
    }

    private static void restore(boolean wasInterrupted) {
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

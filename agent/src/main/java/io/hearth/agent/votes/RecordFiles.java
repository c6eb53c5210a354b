package io.hearth.agent.votes;

import io.hearth.election.DamagedRecordException;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.protobuf.RecordEncoding;
import io.hearth.identity.DurableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files of voting records, one for each lineage. The caller holds the folder's lock. */
final class RecordFiles {
    private static final Logger LOG = LoggerFactory.getLogger(RecordFiles.class);
    private static final String ENDING = ".record";
    private static final int NAME_BYTES = 12;

    private final Path folder;

    RecordFiles(Path folder) {
        this.folder = folder;
    }

    /** The path of a lineage's record, which may not exist. */
    Path file(Lineage lineage) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(lineage.toString().getBytes(StandardCharsets.UTF_8));
            return folder.resolve(HexFormat.of().formatHex(hash, 0, NAME_BYTES) + ENDING);
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK 25 has SHA-256", missing);
        }
    }

    /** All files of records, valid or not, by name. */
    List<Path> all() throws IOException {
        return matching("*" + ENDING);
    }

    /**
     * The record in a file; empty if there is no such file. A file that is no valid record of its lineage is set aside, kept and reported,
     * and counts as no record: its seat must never vote again.
     */
    Optional<LineageRecord> read(Path file) throws IOException {
        try {
            return Optional.of(decode(file));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (DamagedRecordException damaged) {
            Path aside = setAside(file);
            LOG.error(
                    "set aside {}: {}; this machine never votes with that seat again, which costs nothing as long as the"
                            + " others are a quorum",
                    aside,
                    damaged.getMessage());
            return Optional.empty();
        }
    }

    /** Moves all records to a new folder {@code aside-1}, {@code aside-2} …; empty if there are none. */
    Optional<Path> setAllAside() throws IOException {
        List<Path> records = all();
        if (records.isEmpty()) {
            return Optional.empty();
        }
        int number = 1;
        while (Files.exists(folder.resolve("aside-" + number), LinkOption.NOFOLLOW_LINKS)) {
            number++;
        }
        Path aside = Files.createDirectory(folder.resolve("aside-" + number), FolderLock.FOLDER_MODE);
        for (Path record : records) {
            Files.move(record, aside.resolve(record.getFileName()));
        }
        DurableFile.sync(aside);
        return Optional.of(aside);
    }

    /** Deletes records for good. */
    void delete(Collection<Lineage> lineages) throws IOException {
        for (Lineage lineage : lineages) {
            Files.deleteIfExists(file(lineage));
        }
        if (!lineages.isEmpty()) {
            DurableFile.sync(folder);
        }
    }

    /** Deletes drafts that a crash left in this folder; no code reads them. */
    void deleteDrafts() throws IOException {
        for (Path draft : matching("*.new-*")) {
            Files.deleteIfExists(draft);
        }
    }

    private LineageRecord decode(Path file) throws IOException, DamagedRecordException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new DamagedRecordException("not a regular file");
        }
        byte[] bytes;
        try (var in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            bytes = in.readNBytes(RecordEncoding.FILE_BYTES_MAX + 1); // a longer file is damaged, however long it is
        }
        LineageRecord record = RecordEncoding.decode(bytes);
        if (!file(record.lineage()).getFileName().equals(file.getFileName())) {
            throw new DamagedRecordException("the record of another lineage under this name");
        }
        return record;
    }

    /** Renames a file to a new name that no code reads. */
    private Path setAside(Path file) throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".damaged");
        for (int number = 2; Files.exists(aside, LinkOption.NOFOLLOW_LINKS); number++) {
            aside = file.resolveSibling(file.getFileName() + ".damaged-" + number);
        }
        Files.move(file, aside);
        DurableFile.sync(folder);
        return aside;
    }

    private List<Path> matching(String pattern) throws IOException {
        var found = new ArrayList<Path>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, pattern)) {
            files.forEach(found::add);
        } catch (DirectoryIteratorException broken) {
            throw broken.getCause();
        }
        Collections.sort(found);
        return found;
    }
}

package io.hearth.agent;

import io.hearth.core.SetupException;
import io.hearth.election.DamagedRecordException;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.RecordCodec;
import io.hearth.identity.DurableFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a voter must remember, one small file for each lineage, in a folder of the node's slot.
 *
 * <p>A record is on disk when {@link #save} returns. A damaged one is set aside and reported, never rebuilt: a voter that forgot
 * what it promised must not vote again. So the folder must not come back from a backup either.
 */
final class AcceptorFiles {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptorFiles.class);
    private static final String ENDING = ".record";
    private static final int NAME_BYTES = 12;

    private final Path folder;

    AcceptorFiles(Path folder) {
        this.folder = folder;
    }

    /**
     * All records that can be read.
     *
     * @throws SetupException the folder cannot be read; nothing was changed
     */
    List<LineageRecord> load() throws SetupException {
        var records = new ArrayList<LineageRecord>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + ENDING)) {
            for (Path file : files) {
                try {
                    records.add(RecordCodec.decode(read(file)));
                } catch (DamagedRecordException damaged) {
                    Path aside = setAside(file);
                    LOG.error(
                            "set aside {}: {}; this node never votes in that lineage again, which costs nothing"
                                    + " as long as the others are a quorum",
                            aside,
                            damaged.getMessage());
                }
            }
            return records;
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot read the voter's records in " + folder + ": " + failed.getMessage()
                            + "; mend the folder, or remove it if this machine is to start anew",
                    failed);
        }
    }

    /** At most one byte more than a record may have: a longer file is damaged, however long it is. */
    private static byte[] read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(RecordCodec.FILE_BYTES_MAX + 1);
        }
    }

    /** Moves a file to a name that is not read, and that no earlier one has. */
    private static Path setAside(Path file) throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".damaged");
        for (int number = 2; Files.exists(aside, LinkOption.NOFOLLOW_LINKS); number++) {
            aside = file.resolveSibling(file.getFileName() + ".damaged-" + number);
        }
        return Files.move(file, aside);
    }

    /** Durable when it returns. */
    void save(LineageRecord record) throws IOException {
        DurableFile.replace(file(record.lineage()), RecordCodec.encode(record));
    }

    /** The lineage lists this node no more. */
    void forget(Lineage lineage) throws IOException {
        DurableFile.delete(file(lineage));
    }

    private Path file(Lineage lineage) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(lineage.toString().getBytes(StandardCharsets.UTF_8));
            return folder.resolve(HexFormat.of().formatHex(hash, 0, NAME_BYTES) + ENDING);
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK 25 has SHA-256", missing);
        }
    }
}

package io.hearth.parameterserver.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of a machine: for each part, the two newest. A file that is damaged is set aside under its name with {@code .damaged}, and
 * the one before it is used. A file of a later term than the present one is of other servers, or of a ledger that was lost: it is set aside
 * with {@code .aside}. One thread at a time.
 */
public final class CheckpointFolder {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointFolder.class);
    private static final int KEPT = 2;
    private static final String ENDING = ".checkpoint";
    private static final String DAMAGED = ".damaged";
    private static final String FOREIGN = ".aside";

    private final Path folder;

    /**
     * What a folder has of a part.
     *
     * @param newest that can be read; empty if there is none, and the part starts fresh
     * @param file of the newest
     * @param warnings names the files that are damaged, and why
     */
    public record Found(Optional<Checkpoint> newest, Optional<Written> file, List<String> warnings) {}

    /** Opens a folder, which is made if it does not exist. */
    public static CheckpointFolder open(Path folder) throws IOException {
        Files.createDirectories(folder);
        return new CheckpointFolder(folder);
    }

    private CheckpointFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * Writes a checkpoint, and then removes all but the two newest; sets files of later terms aside.
     *
     * @return the file
     * @throws IOException naming the file, if it cannot be written; those before it stay
     */
    public Written save(int part, Checkpoint checkpoint) throws IOException {
        Path file = folder.resolve(name(part, checkpoint.term(), checkpoint.index()));
        Path temporary = folder.resolve("part-" + part + ".tmp");
        Written written;
        try {
            written = CheckpointFile.write(file, temporary, part, checkpoint);
        } catch (IOException full) {
            Files.deleteIfExists(temporary); // the room is needed
            throw new IOException(
                    "the checkpoint " + file + " cannot be written (" + full.getMessage()
                            + "): make room on the disk; the checkpoints before it are unchanged",
                    full);
        }
        List<Path> files = own(part, checkpoint.term(), new ArrayList<>());
        for (Path old : files.subList(0, Math.max(0, files.size() - KEPT))) {
            Files.deleteIfExists(old);
        }
        return written;
    }

    /**
     * Finds the newest checkpoint that can be read.
     *
     * @param termMax the present term; files of later ones are set aside
     */
    public Found load(int part, long termMax) throws IOException {
        var warnings = new ArrayList<String>();
        for (Path file : own(part, termMax, warnings).reversed()) {
            try {
                CheckpointFile.Opened opened = CheckpointFile.read(file, part);
                return new Found(Optional.of(opened.checkpoint()), Optional.of(opened.file()), List.copyOf(warnings));
            } catch (CheckpointFile.Damaged damaged) {
                String warning = "the checkpoint " + file + " is damaged (" + damaged.getMessage()
                        + "): an older one is used, if there is one";
                LOG.warn("{}", warning);
                warnings.add(warning);
                setAside(part, file, DAMAGED);
            }
        }
        return new Found(Optional.empty(), Optional.empty(), List.copyOf(warnings));
    }

    /** The files of terms up to this one, from the oldest to the newest; others are set aside. */
    private List<Path> own(int part, long termMax, List<String> warnings) throws IOException {
        String last = name(part, termMax, -1); // no index is higher, as an unsigned number
        var own = new ArrayList<Path>();
        for (Path file : files(part, ENDING)) {
            if (file.getFileName().toString().compareTo(last) <= 0) {
                own.add(file);
            } else {
                String warning = "the checkpoint " + file + " is not of these servers: it is set aside with the ending "
                        + FOREIGN;
                LOG.warn("{}", warning);
                warnings.add(warning);
                setAside(part, file, FOREIGN);
            }
        }
        return own;
    }

    /** Else it would count as one of the two that are kept. */
    private void setAside(int part, Path file, String ending) throws IOException {
        Files.move(
                file,
                file.resolveSibling(file.getFileName() + ending),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.ATOMIC_MOVE);
        List<Path> aside = files(part, ending);
        for (Path old : aside.subList(0, Math.max(0, aside.size() - KEPT))) {
            Files.deleteIfExists(old);
        }
    }

    private static String name(int part, long term, long index) {
        return String.format("part-%d-%016x-%016x%s", part, term, index, ENDING);
    }

    /** From the oldest to the newest. */
    private List<Path> files(int part, String ending) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.getFileName().toString().startsWith("part-" + part + "-")
                            && file.getFileName().toString().endsWith(ending))
                    .sorted(Comparator.comparing(file -> file.getFileName().toString()))
                    .toList();
        }
    }
}

package io.hearth.parameterserver.server;

import io.hearth.parameterserver.checkpoint.Checkpoint;
import io.hearth.parameterserver.checkpoint.CheckpointFolder;
import io.hearth.parameterserver.checkpoint.Written;
import io.hearth.parameterserver.machine.PartState;
import io.hearth.parameterserver.machine.Report;
import io.hearth.parameterserver.table.TableEncoding;
import io.hearth.parameterserver.table.TableSnapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The checkpoints of this machine's parts. A thread of its own writes them, so that updates go on meanwhile. */
final class CheckpointKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointKeeper.class);
    private static final long IDLE_SECONDS = 5;

    private final Path path;
    private final Consumer<Written> told;
    private final ThreadPoolExecutor disk = singleThread("hearth-parameterserver-disk");
    private final Map<Integer, Report.Part> newest = new ConcurrentHashMap<>(); // of files; the disk's thread writes it
    private final Map<Integer, List<String>> warnings = new ConcurrentHashMap<>(); // since the newest file was written

    /** A keeper that tells of each file which it writes or reads. */
    CheckpointKeeper(Path path, Consumer<Written> told) {
        this.path = path;
        this.told = told;
    }

    /** A thread that ends when there is nothing to do. */
    static ThreadPoolExecutor singleThread(String name) {
        var executor = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().name(name).daemon().factory());
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** Reads the newest checkpoint of a part of terms up to this one, waiting for those that are being written. */
    Optional<Checkpoint> load(int part, long termMax) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                CheckpointFolder.Found found =
                                        CheckpointFolder.open(path).load(part, termMax);
                                if (!found.warnings().isEmpty()) {
                                    warnings.put(part, found.warnings());
                                }
                                newest.put(part, position(found.newest()));
                                found.file().ifPresent(told);
                                return found.newest();
                            } catch (IOException unreadable) {
                                throw new UncheckedIOException(
                                        "the checkpoints in " + path + " cannot be read (" + unreadable.getMessage()
                                                + "): see that this user may read them",
                                        unreadable);
                            }
                        },
                        disk)
                .join();
    }

    private static Report.Part position(Optional<Checkpoint> checkpoint) {
        return checkpoint
                .map(each -> new Report.Part(0, each.term(), each.index()))
                .orElse(new Report.Part(0, 0, 0));
    }

    /** The position of the newest checkpoint. */
    Report.Part newest(int part) {
        Report.Part known = newest.get(part);
        return known == null ? position(load(part, Long.MAX_VALUE)) : known;
    }

    List<String> warnings(int part) {
        return warnings.getOrDefault(part, List.of());
    }

    /** Writes a checkpoint unless the newest one is of this position; the name of the file, if one was written. */
    CompletableFuture<Optional<String>> save(int part, PartState state, TableSnapshot table) {
        long term = state.copyTerm();
        long index = state.index();
        return CompletableFuture.supplyAsync(
                () -> {
                    Report.Part before = newest.get(part);
                    if (before != null && before.checkpointTerm() == term && before.checkpointIndex() == index) {
                        return Optional.empty();
                    }
                    try {
                        Written file = CheckpointFolder.open(path)
                                .save(part, new Checkpoint(term, index, TableEncoding.encode(table)));
                        newest.put(part, new Report.Part(0, term, index));
                        warnings.remove(part);
                        told.accept(file);
                        return Optional.of(file.file().getFileName().toString());
                    } catch (IOException full) {
                        throw new UncheckedIOException(failed(part, String.valueOf(full.getMessage())), full);
                    } catch (RuntimeException | OutOfMemoryError failed) { // else no user would hear of it
                        throw new IllegalStateException(
                                failed(part, "no checkpoint of part " + part + " can be made: " + failed), failed);
                    }
                },
                disk);
    }

    /** Tells people of a checkpoint that was not written; returns the text. */
    private String failed(int part, String text) {
        LOG.error("{}", text);
        warnings.put(part, List.of(text));
        return text;
    }
}

package io.hearth.agent;

import io.hearth.agent.api.JobJson;
import io.hearth.agent.api.LocalApi;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.agent.history.JobReport;
import io.hearth.core.HearthException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the agent of this machine how a trainer gets on, every second while an agent runs. A training never waits for this, and never fails
 * by it.
 */
final class JobReporter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobReporter.class);
    private static final long EVERY_MILLIS = 1_000;
    private static final Duration ANSWER_MAX = Duration.ofSeconds(1);

    private final Path socket;
    private final Function<Optional<JobReport.Progress>, JobReport> reports;
    private final AtomicReference<Optional<JobReport.Progress>> progress =
            new AtomicReference<>(Optional.empty()); // written by the script's threads, read by this one's
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;

    /** @param reports makes the report of this moment */
    JobReporter(Path socket, Function<Optional<JobReport.Progress>, JobReport> reports) {
        this.socket = socket;
        this.reports = reports;
        this.thread = Thread.ofVirtual().name("hearth-job").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    void progress(JobReport.Progress made) {
        progress.set(Optional.of(made));
    }

    private void run() {
        try {
            while (!closing.await(EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                tell();
            }
            tell();
            JobReport last = reports.apply(progress.get());
            LocalApiClient.delete(
                    socket, LocalApi.JOBS + "?trainer=" + last.trainer().text(), ANSWER_MAX);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (HearthException | RuntimeException failed) {
            LOG.debug("the agent was not told: {}", failed.getMessage());
        }
    }

    private void tell() {
        try {
            LocalApiClient.put(socket, LocalApi.JOBS, JobJson.of(reports.apply(progress.get())), ANSWER_MAX);
        } catch (HearthException failed) {
            LOG.debug("the agent was not told: {}", failed.getMessage());
        }
    }

    /** Ends soon, without a wait for it. */
    void stop() {
        closing.countDown();
    }

    @Override
    public void close() {
        stop();
        try {
            thread.join(ANSWER_MAX.multipliedBy(3));
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}

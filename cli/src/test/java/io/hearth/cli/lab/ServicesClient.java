package io.hearth.cli.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A machine's share of three trainings, each with another service of the agent on its own machine: it averages with the workers of the
 * coordinator, works on shards of the scheduler, and sends gradients to the parameter server. It ends when there is a file {@code stop} in
 * the folder of all.
 */
public final class ServicesClient {
    static final int COORDINATOR_PORT = 29_511;
    static final int SCHEDULER_PORT = 29_512;
    static final int PARAMETER_SERVER_PORT = 29_513;

    /**
     * A client of one start.
     *
     * @param host from 0
     * @param start from 0, one higher at each start of this host's client
     * @param hosts their number
     * @param folder of all hosts
     */
    record Place(int host, int start, int hosts, Path folder) {
        String address(int other) {
            return "10.77.0." + (other + 1);
        }

        /** A name that no other start has. */
        String name() {
            return host + "-" + start;
        }

        /** Whether it founds the trainings. */
        boolean isFirst() {
            return host == 0 && start == 0;
        }

        /**
         * Whether it waits until the trainings are founded. A machine that begins alone founds a store of its own, which soon becomes a part
         * of that of the first machine: what it told its clients before is void.
         */
        boolean isEarly() {
            return host != 0 && start == 0;
        }

        boolean isOver() {
            return Files.exists(folder.resolve("stop"));
        }
    }

    /** The work with one service, until the end. */
    private interface Work {
        void run(Place place, Journal journal) throws Exception;
    }

    private ServicesClient() {}

    /**
     * Works.
     *
     * @param arguments number of the host, of its start, and of all hosts; folder of all hosts; file of the journal
     */
    public static void main(String[] arguments) throws Exception {
        var place = new Place(
                Integer.parseInt(arguments[0]),
                Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]),
                Path.of(arguments[3]));
        try (var journal = Journal.create(Path.of(arguments[4]))) {
            List<Work> works = List.of(AveragingWorker::work, ShardWorker::work, GradientTrainer::work);
            var left = new CountDownLatch(works.size());
            var hasFailed = new AtomicBoolean();
            for (Work work : works) {
                Thread.ofPlatform().start(() -> {
                    try {
                        work.run(place, journal);
                    } catch (Exception | AssertionError failed) {
                        hasFailed.set(true);
                        failed.printStackTrace(System.out);
                        System.out.println("FAILED " + failed);
                    } finally {
                        left.countDown();
                    }
                });
            }
            left.await();
            System.out.println("ended");
            System.exit(hasFailed.get() ? 1 : 0);
        }
    }
}

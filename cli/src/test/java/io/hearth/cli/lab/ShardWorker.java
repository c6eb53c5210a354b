package io.hearth.cli.lab;

import io.hearth.cli.lab.ServicesClient.Place;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.Shard;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.scheduler.Topology;
import io.hearth.scheduler.client.NodeClient;
import io.hearth.scheduler.client.SchedulerClient;
import io.hearth.scheduler.client.SchedulerException;
import io.hearth.serve.Failure;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** Works on the shards of one job after the other. Each start is another node, so the shards of the one before it go to others. */
final class ShardWorker {
    static final int SHARDS = 160;

    private static final int SHARDS_AT_ONCE = 8;
    private static final long WORK_MILLIS = 50;
    private static final long HEARTBEAT_MILLIS = 500;

    /** A call that may be repeated. */
    private interface Call<T> {
        T run() throws SchedulerException;
    }

    private ShardWorker() {}

    static void work(Place place, Journal journal) throws Exception {
        try (var scheduler = SchedulerClient.to(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), ServicesClient.SCHEDULER_PORT))) {
            NodeClient node =
                    scheduler.node(NodeSpec.worker("node-" + place.name(), place.address(place.host()) + ":1"));
            while (place.isEarly() && !isFounded(scheduler)) {
                Thread.sleep(WORK_MILLIS);
            }
            repeated(node::register);
            var beating = Thread.ofPlatform().daemon().start(() -> beat(node));
            for (int number = 1; !place.isOver(); number++) {
                String job = "job-" + number;
                // The first one of all hosts submits it.
                var spec = new JobSpec(
                        job, job, Topology.ALL_REDUCE, ShardStrategy.ROUND_ROBIN, 1, 0, 0, "/data", 1_000, SHARDS, 0);
                repeated(() -> scheduler.submit(spec));
                JobState state = JobState.RUNNING;
                while (!state.isOver()) {
                    List<Shard> shards = repeated(() -> node.nextShards(job, SHARDS_AT_ONCE));
                    if (shards.isEmpty()) {
                        state = repeated(() -> scheduler.show(job)).state();
                        journal.write("scheduler", "job", job, state);
                        Thread.sleep(WORK_MILLIS);
                    } else {
                        work(job, shards, node, journal);
                    }
                }
            }
            repeated(() -> {
                node.leave();
                return true;
            });
            beating.interrupt();
            beating.join();
        }
    }

    private static boolean isFounded(SchedulerClient scheduler) throws SchedulerException, InterruptedException {
        try {
            repeated(() -> scheduler.show("job-1"));
            return true;
        } catch (SchedulerException missing) {
            if (missing.code() != Failure.Code.NOT_FOUND) {
                throw missing;
            }
            return false;
        }
    }

    private static void work(String job, List<Shard> shards, NodeClient node, Journal journal) throws Exception {
        for (Shard shard : shards) {
            journal.write("scheduler", "given", job, shard.index(), shard.term());
        }
        for (Shard shard : shards) {
            Thread.sleep(WORK_MILLIS); // training
            journal.write("scheduler", "finishing", job, shard.index(), shard.term());
            try {
                repeated(() -> node.complete(job, shard));
                journal.write("scheduler", "finished", job, shard.index(), shard.term());
            } catch (SchedulerException refused) {
                journal.write("scheduler", "refused", job, shard.index(), shard.term(), refused.getMessage());
            }
        }
    }

    private static void beat(NodeClient node) {
        try {
            while (true) {
                repeated(() -> node.heartbeat(0, List.of()));
                Thread.sleep(HEARTBEAT_MILLIS);
            }
        } catch (InterruptedException ended) {
            // the node left
        } catch (SchedulerException failed) {
            System.out.println("the last heartbeat: " + failed); // it may meet the end of the connection
        }
    }

    private static <T> T repeated(Call<T> call) throws SchedulerException, InterruptedException {
        while (true) {
            try {
                return call.run();
            } catch (SchedulerException failed) {
                if (failed.code() != Failure.Code.UNAVAILABLE) {
                    throw failed;
                }
                Thread.sleep(WORK_MILLIS);
            }
        }
    }
}

package io.hearth.scheduler.machine;

import io.hearth.scheduler.DataAdvice;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.NodeStatus;
import io.hearth.scheduler.SchedulerMetrics;
import io.hearth.scheduler.Shard;
import java.util.List;

/** The answer to a {@link Request}. */
public sealed interface Reply {
    /** How often to send heartbeats, and after which silence a node is offline. */
    record Registered(long heartbeatNanos, long timeoutNanos) implements Reply {}

    /** How the node is, and the jobs that go on with it. */
    record Beaten(NodeStatus status, List<String> jobs) implements Reply {
        public Beaten {
            jobs = List.copyOf(jobs);
        }
    }

    record Left() implements Reply {}

    record Submitted(JobView job) implements Reply {}

    record Jobs(List<JobView> jobs) implements Reply {
        public Jobs {
            jobs = List.copyOf(jobs);
        }
    }

    record Shown(JobView job) implements Reply {}

    record Cancelled(JobView job) implements Reply {}

    record Reported(boolean isStraggler, JobState state) implements Reply {}

    /** All arrived; {@code epoch} is the newest barrier that they passed. */
    record Passed(long epoch) implements Reply {}

    record Data(DataAdvice advice) implements Reply {}

    record Shards(List<Shard> shards, JobState state) implements Reply {
        public Shards {
            shards = List.copyOf(shards);
        }
    }

    record Completed(JobState state) implements Reply {}

    record Sent() implements Reply {}

    record Messages(long queue, List<Letter> letters, long dropped) implements Reply {
        public Messages {
            letters = List.copyOf(letters);
        }
    }

    record Metrics(SchedulerMetrics metrics) implements Reply {}
}

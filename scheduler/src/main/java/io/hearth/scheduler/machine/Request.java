package io.hearth.scheduler.machine;

import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.Capabilities;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.MessageKind;
import io.hearth.scheduler.NodeRole;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.Progress;
import java.util.List;
import java.util.Optional;

/** What a caller asks. Its parts are checked when it is made, with {@link IllegalArgumentException}. */
public sealed interface Request {
    /** Characters of the payload of a message. */
    int PAYLOAD_CHARACTERS_MAX = 1024;

    /** Jobs of which one heartbeat tells. */
    int PROGRESS_MAX = 64;

    /** Longest wait of a call. */
    long WAIT_NANOS_MAX = 3_600L * 1_000_000_000;

    record Register(NodeSpec node) implements Request {}

    /**
     * A heartbeat.
     *
     * @param role unknown: as registered
     * @param capabilities empty: as registered
     * @param isUnhealthy whether the node says that it is not well
     */
    record Beat(
            String node,
            double load,
            NodeRole role,
            Optional<Capabilities> capabilities,
            List<Progress> progress,
            boolean isUnhealthy)
            implements Request {
        public Beat {
            Bounds.nodeId(node);
            Bounds.range("the number of jobs in a heartbeat", 0, PROGRESS_MAX, progress.size());
            if (!(load >= 0 && load < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("a load is not negative and finite, got " + load);
            }
            progress = List.copyOf(progress);
        }
    }

    record Leave(String node) implements Request {
        public Leave {
            Bounds.nodeId(node);
        }
    }

    /**
     * A new job.
     *
     * @param nodes none: all that are here, and those that join later
     * @param owners of the custom strategy: the node of each shard
     */
    record Submit(JobSpec spec, List<String> nodes, List<String> owners) implements Request {
        public Submit {
            Bounds.range("the number of nodes", 0, Bounds.NODES_MAX, nodes.size());
            Bounds.range("the number of owners", 0, Bounds.SHARDS_MAX, owners.size());
            nodes.forEach(Bounds::nodeId);
            owners.forEach(Bounds::nodeId);
            nodes = List.copyOf(nodes);
            owners = List.copyOf(owners);
        }
    }

    record ListJobs() implements Request {}

    record ShowJob(String name) implements Request {
        public ShowJob {
            Bounds.jobName(name);
        }
    }

    record Cancel(String name) implements Request {
        public Cancel {
            Bounds.jobName(name);
        }
    }

    /**
     * A node completed an epoch.
     *
     * @param failure not empty: the job failed, and why
     */
    record Report(String node, Progress progress, String failure) implements Request {
        public Report {
            Bounds.nodeId(node);
            Bounds.text("the reason of a failure", failure);
        }
    }

    /** A node arrives at the barrier of an epoch, from 1, and waits. */
    record Barrier(String node, String job, long epoch, long waitNanos) implements Request {
        public Barrier {
            Bounds.nodeId(node);
            Bounds.jobName(job);
            Bounds.range("the epoch of a barrier", 1, Bounds.EPOCHS_MAX, epoch);
            Bounds.range("a wait in nanoseconds", 0, WAIT_NANOS_MAX, waitNanos);
        }
    }

    /** Where is this shard, and how is it read? */
    record Data(String node, String job, int shard) implements Request {
        public Data {
            Bounds.nodeId(node);
            Bounds.jobName(job);
            Bounds.range("a shard", 0, Bounds.SHARDS_MAX - 1, shard);
        }
    }

    /** A node wants shards to work on. */
    record Next(String node, String job, int max) implements Request {
        public Next {
            Bounds.nodeId(node);
            Bounds.jobName(job);
            Bounds.range("the number of shards to take", 1, Bounds.NODES_MAX, max);
        }
    }

    record Complete(String node, String job, int shard, long term) implements Request {
        public Complete {
            Bounds.nodeId(node);
            Bounds.jobName(job);
            Bounds.range("a shard", 0, Bounds.SHARDS_MAX - 1, shard);
        }
    }

    /**
     * A node sends a message.
     *
     * @param target empty for all
     * @param job may be empty
     * @param payload JSON object
     * @param id a repeated one is not sent again; empty if the sender does not care
     */
    record Send(String node, String target, MessageKind kind, String job, String payload, String id)
            implements Request {
        public Send {
            Bounds.nodeId(node);
            if (!target.isEmpty()) {
                Bounds.nodeId(target);
            }
            if (!job.isEmpty()) {
                Bounds.jobName(job);
            }
            if (!id.isEmpty()) {
                Bounds.callerId(id);
            }
            Bounds.range("the length of a payload", 0, PAYLOAD_CHARACTERS_MAX, payload.length());
        }
    }

    /**
     * A node wants its messages.
     *
     * @param queue as in the answer before
     * @param after number of the last message that it has
     */
    record Messages(String node, long queue, long after, long waitNanos) implements Request {
        public Messages {
            Bounds.nodeId(node);
            Bounds.range("a wait in nanoseconds", 0, WAIT_NANOS_MAX, waitNanos);
        }
    }

    record Metrics() implements Request {}
}

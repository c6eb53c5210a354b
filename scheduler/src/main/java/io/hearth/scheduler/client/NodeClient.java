package io.hearth.scheduler.client;

import io.hearth.scheduler.CoordinationMessage;
import io.hearth.scheduler.DataAdvice;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.MessageKind;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.NodeStatus;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.Shard;
import io.hearth.scheduler.protobuf.Jobs;
import io.hearth.scheduler.protobuf.Nodes;
import io.hearth.scheduler.wire.BarrierRequest;
import io.hearth.scheduler.wire.BarrierResponse;
import io.hearth.scheduler.wire.CompleteShardRequest;
import io.hearth.scheduler.wire.CompleteShardResponse;
import io.hearth.scheduler.wire.HeartbeatRequest;
import io.hearth.scheduler.wire.HeartbeatResponse;
import io.hearth.scheduler.wire.LeaveNodeRequest;
import io.hearth.scheduler.wire.LeaveNodeResponse;
import io.hearth.scheduler.wire.MessagesRequest;
import io.hearth.scheduler.wire.MessagesResponse;
import io.hearth.scheduler.wire.NextShardsRequest;
import io.hearth.scheduler.wire.NextShardsResponse;
import io.hearth.scheduler.wire.RegisterNodeRequest;
import io.hearth.scheduler.wire.RegisterNodeResponse;
import io.hearth.scheduler.wire.ReportEpochRequest;
import io.hearth.scheduler.wire.ReportEpochResponse;
import io.hearth.scheduler.wire.RequestDataRequest;
import io.hearth.scheduler.wire.RequestDataResponse;
import io.hearth.scheduler.wire.SendRequest;
import io.hearth.scheduler.wire.SendResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One node's calls to the scheduler; each blocks until it is answered. Any thread, but one call of {@link #messages} at a time. A call that
 * failed with UNAVAILABLE may be repeated.
 */
public final class NodeClient {
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Transport transport;
    private final NodeSpec node;
    private final Duration timeout;

    // Guarded by this.
    private long queue;
    private long after;

    NodeClient(Transport transport, NodeSpec node, Duration timeout) {
        this.transport = transport;
        this.node = node;
        this.timeout = timeout;
    }

    /** Registers the node, also again after a restart; returns how often to send heartbeats. */
    public Duration register() throws SchedulerException {
        var request = RegisterNodeRequest.newBuilder().setNode(Nodes.message(node));
        return Duration.ofMillis(transport
                .call("RegisterNode", request.build(), RegisterNodeResponse.parser(), timeout)
                .getHeartbeatMillis());
    }

    /**
     * Sends a heartbeat.
     *
     * @param load average of the machine
     * @param progress of the jobs in which the node is
     */
    public NodeStatus heartbeat(double load, List<Progress> progress) throws SchedulerException {
        var request = HeartbeatRequest.newBuilder().setNodeId(node.id()).setLoad(load);
        progress.forEach(each -> request.addProgress(Nodes.message(each)));
        return Jobs.status(transport
                .call("Heartbeat", request.build(), HeartbeatResponse.parser(), timeout)
                .getStatusValue());
    }

    /** Says that the node goes; its shards go to others. */
    public void leave() throws SchedulerException {
        transport.call(
                "LeaveNode",
                LeaveNodeRequest.newBuilder().setNodeId(node.id()).build(),
                LeaveNodeResponse.parser(),
                timeout);
    }

    /** Tells that the node completed an epoch; returns the state of the job. */
    public JobState report(Progress progress) throws SchedulerException {
        return report(progress, "");
    }

    /** Tells that a job has failed, and why. */
    public JobState fail(Progress progress, String why) throws SchedulerException {
        return report(progress, why);
    }

    private JobState report(Progress progress, String failure) throws SchedulerException {
        var request = ReportEpochRequest.newBuilder()
                .setNodeId(node.id())
                .setJob(progress.job())
                .setEpoch(progress.epoch())
                .setSamples(progress.samples())
                .setFailure(failure);
        return Jobs.state(transport
                .call("ReportEpoch", request.build(), ReportEpochResponse.parser(), timeout)
                .getStateValue());
    }

    /**
     * Waits until all nodes of the job are at the barrier of this epoch, from 1; returns the newest epoch whose barrier all passed.
     *
     * @param wait at most an hour; afterwards the exception names the nodes that are missing
     */
    public long barrier(String job, long epoch, Duration wait) throws SchedulerException {
        var request = BarrierRequest.newBuilder()
                .setNodeId(node.id())
                .setJob(job)
                .setEpoch(epoch)
                .setTimeoutMillis(wait.toMillis());
        return transport
                .call("Barrier", request.build(), BarrierResponse.parser(), wait.plus(GRACE))
                .getEpoch();
    }

    /** Where a shard is, and how to read it. */
    public DataAdvice requestData(String job, int shard) throws SchedulerException {
        var request =
                RequestDataRequest.newBuilder().setNodeId(node.id()).setJob(job).setShard(shard);
        RequestDataResponse answer =
                transport.call("RequestData", request.build(), RequestDataResponse.parser(), timeout);
        return new DataAdvice(
                answer.getKnown() ? Optional.of(Nodes.shard(answer.getShard())) : Optional.empty(),
                answer.getOwnerAddress(),
                answer.getPrefetchBytes(),
                answer.getCache(),
                answer.getOptimalNodesList());
    }

    /**
     * Shards to work on: those that the node has already, then new ones. None does not mean that the job is over: others may work on the
     * rest, and fail.
     *
     * @param max 1 to 256
     */
    public List<Shard> nextShards(String job, int max) throws SchedulerException {
        var request =
                NextShardsRequest.newBuilder().setNodeId(node.id()).setJob(job).setMax(max);
        return transport
                .call("NextShards", request.build(), NextShardsResponse.parser(), timeout)
                .getShardsList()
                .stream()
                .map(Nodes::shard)
                .toList();
    }

    /** Tells that a shard is complete; FAILED_PRECONDITION if it went to another node meanwhile. Returns the state of the job. */
    public JobState complete(String job, Shard shard) throws SchedulerException {
        var request = CompleteShardRequest.newBuilder()
                .setNodeId(node.id())
                .setJob(job)
                .setShard(shard.index())
                .setTerm(shard.term());
        return Jobs.state(transport
                .call("CompleteShard", request.build(), CompleteShardResponse.parser(), timeout)
                .getStateValue());
    }

    /**
     * Sends a message.
     *
     * @param target a node; empty for all
     * @param payload JSON object
     * @param id a repeated one is not sent again
     */
    public void send(MessageKind kind, String target, String job, String payload, String id) throws SchedulerException {
        var request = SendRequest.newBuilder()
                .setNodeId(node.id())
                .setTarget(target)
                .setType(kind.text())
                .setJob(job)
                .setPayload(payload)
                .setMessageId(id);
        transport.call("Send", request.build(), SendResponse.parser(), timeout);
    }

    /** The messages that came since the last call; waits for one if there is none, and returns none when the wait is over. */
    public synchronized List<CoordinationMessage> messages(Duration wait) throws SchedulerException {
        var request = MessagesRequest.newBuilder()
                .setNodeId(node.id())
                .setQueue(queue)
                .setAfter(after)
                .setWaitMillis(wait.toMillis());
        MessagesResponse answer =
                transport.call("Messages", request.build(), MessagesResponse.parser(), wait.plus(GRACE));
        List<CoordinationMessage> messages = answer.getMessagesList().stream()
                .map(each -> new CoordinationMessage(each.getNumber(), each.getJson()))
                .toList();
        if (answer.getQueue() != queue) {
            queue = answer.getQueue();
            after = 0;
        }
        if (!messages.isEmpty()) {
            after = messages.getLast().number();
        }
        return messages;
    }
}

package io.hearth.scheduler.protobuf;

import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.NodeStatus;
import io.hearth.scheduler.Numbered;
import io.hearth.scheduler.SchedulerMetrics;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.scheduler.Topology;
import io.hearth.scheduler.wire.JobMessage;
import io.hearth.scheduler.wire.JobNodeMessage;
import io.hearth.scheduler.wire.JobStateCode;
import io.hearth.scheduler.wire.MetricsResponse;
import io.hearth.scheduler.wire.NodeStatusCode;
import io.hearth.scheduler.wire.StrategyCode;
import io.hearth.scheduler.wire.SubmitJobRequest;
import io.hearth.scheduler.wire.TopologyCode;
import java.util.List;
import java.util.OptionalDouble;

/** Jobs and counters as messages. Reading throws {@link IllegalArgumentException} with what is wrong. */
public final class Jobs {
    private Jobs() {}

    public static SubmitJobRequest message(JobSpec spec, List<String> nodes, List<String> owners) {
        return SubmitJobRequest.newBuilder()
                .setSubmitId(spec.submitId())
                .setName(spec.name())
                .setTopology(TopologyCode.forNumber(spec.topology().number()))
                .setStrategy(StrategyCode.forNumber(spec.strategy().number()))
                .setEpochs(spec.epochs())
                .setBatchSize(spec.batch())
                .setSamples(spec.samples())
                .setDatasetPath(spec.path())
                .setDatasetSize(spec.size())
                .setShards(spec.shards())
                .setSeed(spec.seed())
                .addAllNodes(nodes)
                .addAllOwners(owners)
                .build();
    }

    public static JobSpec spec(SubmitJobRequest message) {
        return new JobSpec(
                message.getSubmitId(),
                message.getName(),
                Numbered.of(Topology.class, message.getTopologyValue()),
                Numbered.of(ShardStrategy.class, message.getStrategyValue()),
                Bounds.unsigned("the number of epochs", message.getEpochs()),
                Bounds.unsigned("the batch size", message.getBatchSize()),
                Bounds.unsigned("the number of samples", message.getSamples()),
                message.getDatasetPath(),
                Bounds.unsigned("the size of the data set", message.getDatasetSize()),
                Bounds.unsigned("the number of shards", message.getShards()),
                message.getSeed());
    }

    public static JobStateCode state(JobState state) {
        return JobStateCode.forNumber(state.number());
    }

    public static JobState state(int number) {
        return Numbered.of(JobState.class, number);
    }

    public static NodeStatusCode status(NodeStatus status) {
        return NodeStatusCode.forNumber(status.number());
    }

    public static NodeStatus status(int number) {
        return Numbered.of(NodeStatus.class, number);
    }

    public static JobMessage message(JobView job) {
        JobSpec spec = job.spec();
        var message = JobMessage.newBuilder()
                .setName(spec.name())
                .setState(state(job.state()))
                .setReason(job.reason())
                .setTopology(TopologyCode.forNumber(spec.topology().number()))
                .setStrategy(StrategyCode.forNumber(spec.strategy().number()))
                .setEpochs(spec.epochs())
                .setEpoch(job.epoch())
                .setBatchSize(spec.batch())
                .setSamples(spec.samples())
                .setDatasetPath(spec.path())
                .setDatasetSize(spec.size())
                .setShards(spec.shards())
                .setShardsCompleted(job.completed())
                .setSamplesPerSecond(job.samplesPerSecond())
                .setBarrierEpoch(job.barrier());
        job.etaSeconds().ifPresent(message::setEtaSeconds);
        for (JobView.NodeView node : job.nodes()) {
            message.addNodes(JobNodeMessage.newBuilder()
                    .setNodeId(node.id())
                    .setStatus(status(node.status()))
                    .setEpoch(node.epoch())
                    .setSamples(node.samples())
                    .setSamplesPerSecond(node.samplesPerSecond())
                    .setOpenShards(node.openShards())
                    .setStraggler(node.isStraggler()));
        }
        return message.build();
    }

    /** The job in an answer; the ids and the seed of its submission are not in it. */
    public static JobView job(JobMessage message) {
        var spec = new JobSpec(
                "unknown",
                message.getName(),
                Numbered.of(Topology.class, message.getTopologyValue()),
                Numbered.of(ShardStrategy.class, message.getStrategyValue()),
                message.getEpochs(),
                message.getBatchSize(),
                message.getSamples(),
                message.getDatasetPath(),
                message.getDatasetSize(),
                message.getShards(),
                0);
        return new JobView(
                spec,
                state(message.getStateValue()),
                message.getReason(),
                message.getEpoch(),
                message.getShardsCompleted(),
                message.getSamplesPerSecond(),
                message.hasEtaSeconds() ? OptionalDouble.of(message.getEtaSeconds()) : OptionalDouble.empty(),
                message.getBarrierEpoch(),
                message.getNodesList().stream().map(Jobs::node).toList());
    }

    private static JobView.NodeView node(JobNodeMessage message) {
        return new JobView.NodeView(
                message.getNodeId(),
                status(message.getStatusValue()),
                message.getEpoch(),
                message.getSamples(),
                message.getSamplesPerSecond(),
                message.getOpenShards(),
                message.getStraggler());
    }

    public static MetricsResponse message(SchedulerMetrics metrics) {
        return MetricsResponse.newBuilder()
                .setTotalJobs(metrics.totalJobs())
                .setActiveJobs(metrics.activeJobs())
                .setActiveNodes(metrics.activeNodes())
                .setTotalDataShards(metrics.totalShards())
                .setCoordinationEvents(metrics.events())
                .setBarriers(metrics.barriers())
                .setBarrierSecondsLast(metrics.barrierSecondsLast())
                .setBarrierSecondsMean(metrics.barrierSecondsMean())
                .build();
    }

    public static SchedulerMetrics metrics(MetricsResponse message) {
        return new SchedulerMetrics(
                message.getTotalJobs(),
                message.getActiveJobs(),
                message.getActiveNodes(),
                message.getTotalDataShards(),
                message.getCoordinationEvents(),
                message.getBarriers(),
                message.getBarrierSecondsLast(),
                message.getBarrierSecondsMean());
    }
}

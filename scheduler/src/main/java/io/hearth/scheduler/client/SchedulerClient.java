package io.hearth.scheduler.client;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.hearth.core.SetupException;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.SchedulerMetrics;
import io.hearth.scheduler.protobuf.Jobs;
import io.hearth.scheduler.wire.CancelJobRequest;
import io.hearth.scheduler.wire.CancelJobResponse;
import io.hearth.scheduler.wire.ListJobsRequest;
import io.hearth.scheduler.wire.ListJobsResponse;
import io.hearth.scheduler.wire.MetricsRequest;
import io.hearth.scheduler.wire.MetricsResponse;
import io.hearth.scheduler.wire.ShowJobRequest;
import io.hearth.scheduler.wire.ShowJobResponse;
import io.hearth.scheduler.wire.SubmitJobResponse;
import io.hearth.serve.grpc.TlsFiles;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** A client of a scheduler whose calls block until they are answered. Any thread. A call that failed with UNAVAILABLE may be repeated. */
public final class SchedulerClient implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Transport transport;
    private final Runnable closing;

    private SchedulerClient(Channel channel, Runnable closing) {
        this.transport = new Transport(channel);
        this.closing = closing;
    }

    /** A client over a connection without encryption; closing the client closes it. */
    public static SchedulerClient to(InetSocketAddress address) {
        return of(NettyChannelBuilder.forAddress(address).negotiationType(NegotiationType.PLAINTEXT));
    }

    /**
     * A client over a connection of its own, with TLS.
     *
     * @throws SetupException if the files cannot be used
     */
    public static SchedulerClient to(InetSocketAddress address, TlsFiles files) throws SetupException {
        return of(NettyChannelBuilder.forAddress(address).sslContext(files.client()));
    }

    private static SchedulerClient of(NettyChannelBuilder builder) {
        ManagedChannel channel = builder.build();
        return new SchedulerClient(channel, channel::shutdownNow);
    }

    /** A client over a channel that stays open when the client is closed. */
    public static SchedulerClient over(Channel channel) {
        return new SchedulerClient(channel, () -> {});
    }

    /** Submits a job for all nodes that are here; nodes that come later may join. */
    public JobView submit(JobSpec spec) throws SchedulerException {
        return submit(spec, List.of(), List.of());
    }

    /**
     * Submits a job. The same submission may be repeated.
     *
     * @param nodes none: all that are here, and those that join later
     * @param owners of the custom strategy: the node of each shard
     */
    public JobView submit(JobSpec spec, List<String> nodes, List<String> owners) throws SchedulerException {
        return Jobs.job(transport
                .call("SubmitJob", Jobs.message(spec, nodes, owners), SubmitJobResponse.parser(), TIMEOUT)
                .getJob());
    }

    /** All jobs that are remembered, the newest first, without their nodes. */
    public List<JobView> jobs() throws SchedulerException {
        return transport
                .call("ListJobs", ListJobsRequest.getDefaultInstance(), ListJobsResponse.parser(), TIMEOUT)
                .getJobsList()
                .stream()
                .map(Jobs::job)
                .toList();
    }

    /** A job with its nodes; NOT_FOUND if there is none of this name. */
    public JobView show(String name) throws SchedulerException {
        return Jobs.job(transport
                .call("ShowJob", ShowJobRequest.newBuilder().setName(name).build(), ShowJobResponse.parser(), TIMEOUT)
                .getJob());
    }

    /** Ends a job; FAILED_PRECONDITION if it is done or has failed. */
    public JobView cancel(String name) throws SchedulerException {
        return Jobs.job(transport
                .call(
                        "CancelJob",
                        CancelJobRequest.newBuilder().setName(name).build(),
                        CancelJobResponse.parser(),
                        TIMEOUT)
                .getJob());
    }

    public SchedulerMetrics metrics() throws SchedulerException {
        return Jobs.metrics(
                transport.call("Metrics", MetricsRequest.getDefaultInstance(), MetricsResponse.parser(), TIMEOUT));
    }

    /** The calls of one node. */
    public NodeClient node(NodeSpec node) {
        return new NodeClient(transport, node, TIMEOUT);
    }

    @Override
    public void close() {
        closing.run();
    }
}

package io.hearth.scheduler.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.scheduler.CoordinationMessage;
import io.hearth.scheduler.DataAdvice;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.MessageKind;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.NodeStatus;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.Samples;
import io.hearth.scheduler.SchedulerSettings;
import io.hearth.scheduler.Shard;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.scheduler.Topology;
import io.hearth.scheduler.client.NodeClient;
import io.hearth.scheduler.client.SchedulerClient;
import io.hearth.scheduler.client.SchedulerException;
import io.hearth.scheduler.wire.SubmitJobRequest;
import io.hearth.serve.Failure;
import io.hearth.serve.alone.ServiceServer;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.replica.ServiceReplica;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A scheduler on loopback, and its client. */
@Timeout(120)
final class SchedulerServerTest {
    @TempDir
    private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private long incarnation;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private ServiceServer start() throws Exception {
        var server = ServiceServer.start(
                Scheduler.maker(SchedulerSettings.DEFAULT),
                new ServiceReplica.Place(
                        new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "scheduler"),
                        ++incarnation,
                        folder,
                        Optional.empty()),
                PortPlace.loopback(0));
        open.add(server);
        return server;
    }

    private SchedulerClient client(ServiceServer server) {
        var client = SchedulerClient.to(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        open.add(client);
        return client;
    }

    private static NodeClient node(SchedulerClient client, String id) throws SchedulerException {
        NodeClient node = client.node(NodeSpec.worker(id, "host-" + id));
        assertEquals(Duration.ofSeconds(10), node.register());
        return node;
    }

    private <T> Future<T> later(Callable<T> call) {
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        open.add(threads::shutdownNow);
        return threads.submit(call);
    }

    private static void refused(Failure.Code code, String text, Callable<?> call) {
        var refusal = assertThrows(SchedulerException.class, call::call);
        assertEquals(code, refusal.code(), refusal.getMessage());
        assertTrue(String.valueOf(refusal.getMessage()).contains(text), refusal.getMessage());
    }

    private static HttpResponse<String> http(ServiceServer server, String method, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                            .method(method, HttpRequest.BodyPublishers.noBody())
                            .version(HttpClient.Version.HTTP_1_1)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void aJobFromItsSubmissionToItsEnd() throws Exception {
        SchedulerClient client = client(start());
        refused(
                Failure.Code.FAILED_PRECONDITION,
                "no nodes available for job e",
                () -> client.submit(Samples.job("e", 1, 3)));
        assertEquals(0, client.metrics().totalJobs());
        NodeClient a = node(client, "a");
        NodeClient b = node(client, "b");
        JobView job = client.submit(Samples.job("job", 2, 4));
        assertEquals(job, client.submit(Samples.job("job", 2, 4)));
        assertEquals(4, job.spec().shards());
        refused(
                Failure.Code.ALREADY_EXISTS,
                "choose another name",
                () -> client.submit(
                        new JobSpec("other", "job", Topology.UNKNOWN, ShardStrategy.UNKNOWN, 1, 0, 0, "", 0, 0, 0)));
        DataAdvice advice = a.requestData("job", 3);
        assertEquals("host-b", advice.ownerAddress());
        assertEquals(131_072, advice.prefetchBytes());
        for (int epoch = 1; epoch <= 2; epoch++) {
            for (NodeClient each : List.of(a, b)) {
                for (Shard shard : each.nextShards("job", 10)) {
                    each.complete("job", shard);
                }
                each.report(new Progress("job", epoch, 500L * epoch));
            }
        }
        assertEquals(JobState.DONE, client.show("job").state());
        assertEquals("all its shards are complete", client.show("job").reason());
        assertEquals(
                List.of("job"),
                client.jobs().stream().map(each -> each.spec().name()).toList());
        refused(Failure.Code.FAILED_PRECONDITION, "is over", () -> client.cancel("job"));
        client.submit(Samples.job("next", 1, 1));
        assertEquals(JobState.CANCELLED, client.cancel("next").state());
        refused(Failure.Code.NOT_FOUND, "no job named nothing", () -> client.show("nothing"));
    }

    @Test
    void barriersHoldUntilAllAreThere() throws Exception {
        SchedulerClient client = client(start());
        NodeClient a = node(client, "a");
        NodeClient b = node(client, "b");
        client.submit(Samples.job("job", 3, 2));
        refused(
                Failure.Code.DEADLINE_EXCEEDED,
                "waits for b (1 of 2 nodes)",
                () -> a.barrier("job", 1, Duration.ofMillis(50)));
        Future<Long> waits = later(() -> a.barrier("job", 1, Duration.ofMinutes(1)));
        boolean hasArrived = false;
        while (!hasArrived) { // b hears that a is there
            for (CoordinationMessage message : b.messages(Duration.ofSeconds(30))) {
                hasArrived |= message.json().contains("\"type\":\"synchronization_barrier\",\"source\":\"a\"");
            }
        }
        assertEquals(1, b.barrier("job", 1, Duration.ofMinutes(1)));
        assertEquals(1, waits.get());
        assertEquals(1, client.metrics().barriers());
        assertTrue(client.metrics().barrierSecondsLast() > 0);
    }

    @Test
    void messagesHaveTheEnvelopeOfTheOriginal() throws Exception {
        SchedulerClient client = client(start());
        NodeClient a = node(client, "a");
        NodeClient b = node(client, "b");
        a.send(MessageKind.EPOCH_COMPLETE, "b", "job", "{\"epoch\": 3}", "m1");
        a.send(MessageKind.EPOCH_COMPLETE, "b", "job", "{\"epoch\": 3}", "m1"); // repeated
        assertEquals(NodeStatus.BUSY, a.heartbeat(8, List.of()));
        List<CoordinationMessage> messages = b.messages(Duration.ZERO);
        assertEquals(2, messages.size());
        JsonObject first = JsonParser.parseString(messages.getFirst().json()).getAsJsonObject();
        assertEquals(Set.of("type", "source", "target", "job_id", "timestamp", "payload"), first.keySet());
        assertEquals("epoch_complete", first.get("type").getAsString());
        assertEquals(3, first.getAsJsonObject("payload").get("epoch").getAsInt());
        assertTrue(first.get("timestamp").getAsString().endsWith("Z"));
        assertEquals(List.of(), b.messages(Duration.ZERO));
        refused(Failure.Code.INVALID_ARGUMENT, "JSON object", () -> {
            a.send(MessageKind.JOB_START, "", "", "[]", "");
            return 0;
        });
    }

    /** The scheduler dies in the middle of a job: no shard is lost, and none is given or counted twice. */
    @Test
    void aRestartKeepsJobsShardsAndEpochs() throws Exception {
        ServiceServer first = start();
        SchedulerClient client = client(first);
        NodeClient a = node(client, "a");
        NodeClient b = node(client, "b");
        NodeClient gone = node(client, "gone");
        client.submit(Samples.job("job", 1, 12));
        gone.leave();
        List<Shard> ofA = a.nextShards("job", 3);
        List<Shard> ofB = b.nextShards("job", 3);
        a.complete("job", ofA.getFirst());
        a.report(new Progress("job", 0, 40));
        Future<Long> waits = later(() -> b.barrier("job", 1, Duration.ofMinutes(1)));
        first.close();
        assertThrows(Exception.class, waits::get);
        refused(Failure.Code.UNAVAILABLE, "is not reached", () -> a.nextShards("job", 1));

        SchedulerClient again = client(start());
        NodeClient a2 = again.node(NodeSpec.worker("a", ""));
        NodeClient b2 = again.node(NodeSpec.worker("b", "")); // nobody registers again
        JobView job = again.show("job");
        assertEquals(JobState.RUNNING, job.state());
        assertEquals(1, job.completed());
        assertEquals(40, job.nodes().getFirst().samples());
        assertEquals(1, again.metrics().totalJobs());
        a2.complete("job", ofA.getFirst()); // the answer was lost: it does not count again
        assertEquals(ofB, b2.nextShards("job", 3)); // the same shards under the same terms
        Set<Integer> completed = new HashSet<>(Set.of(ofA.getFirst().index()));
        for (NodeClient each : List.of(a2, b2)) {
            for (Shard shard : each.nextShards("job", 100)) {
                assertTrue(completed.add(shard.index()), () -> shard + " was given twice");
                each.complete("job", shard);
            }
        }
        assertEquals(12, completed.size());
        assertEquals(JobState.DONE, again.show("job").state());
    }

    @Test
    void badCallsGetTypedErrors() throws Exception {
        ServiceServer server = start();
        SchedulerClient client = client(server);
        NodeClient a = node(client, "a");
        refused(
                Failure.Code.INVALID_ARGUMENT,
                "the name of a job has 1 to 64",
                () -> client.node(NodeSpec.worker("a", "")).nextShards("no spaces here", 1));
        refused(Failure.Code.INVALID_ARGUMENT, "shards to take", () -> a.nextShards("job", 1_000));
        refused(Failure.Code.INVALID_ARGUMENT, "an epoch is 0 to", () -> a.barrier("job", -1, Duration.ZERO));
        refused(Failure.Code.NOT_FOUND, "no job named job", () -> a.nextShards("job", 1));
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
                .negotiationType(NegotiationType.PLAINTEXT)
                .build();
        open.add(channel::shutdownNow);
        assertEquals(Status.Code.INTERNAL, status(channel, "SubmitJob", new byte[] {10, 99, 1}));
        assertEquals(Status.Code.INVALID_ARGUMENT, status(channel, "SubmitJob", new byte[0]));
        assertEquals(Status.Code.INVALID_ARGUMENT, status(channel, "RegisterNode", new byte[0]));
        assertEquals(Status.Code.UNIMPLEMENTED, status(channel, "Unknown", new byte[0]));
        byte[] strategy = SubmitJobRequest.newBuilder()
                .setSubmitId("s")
                .setName("job")
                .setEpochs(1)
                .setStrategyValue(77)
                .build()
                .toByteArray();
        assertEquals(Status.Code.INVALID_ARGUMENT, status(channel, "SubmitJob", strategy));
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, status(channel, "SubmitJob", new byte[600 * 1024]));
        JobView large = client.submit(
                Samples.job("job", 1, 0, ShardStrategy.CUSTOM), List.of(), Collections.nCopies(4_096, "a"));
        assertEquals(4_096, large.spec().shards()); // the largest one is taken
        try (SchedulerClient over = SchedulerClient.over(channel)) {
            assertEquals(1, over.jobs().size());
        }
    }

    private static Status.Code status(ManagedChannel channel, String method, byte[] request) {
        var failed = assertThrows(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(
                        channel,
                        UnaryHandler.descriptor(Scheduler.SERVICE, method),
                        CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
                        request));
        return failed.getStatus().getCode();
    }

    @Test
    void browsersAndScriptsSeeTheJobs() throws Exception {
        ServiceServer server = start();
        SchedulerClient client = client(server);
        NodeClient a = node(client, "a");
        NodeClient b = node(client, "b");
        client.submit(Samples.job("job", 5, 2));
        a.report(new Progress("job", 4, 4_000));
        b.fail(new Progress("job", 1, 1_000), "<b>&");
        String page = http(server, "GET", "/").body();
        assertTrue(page.contains("<h2>job: failed</h2>") && page.contains("b: &lt;b&gt;&amp;"), page);
        assertTrue(http(server, "GET", "/status").body().startsWith("<p>2 nodes, 0 jobs that go on"));
        client.submit(Samples.job("next", 5, 2));
        a.report(new Progress("next", 4, 4_000));
        JsonObject json =
                JsonParser.parseString(http(server, "GET", "/jobs.json").body()).getAsJsonObject();
        JsonObject newest = json.getAsJsonArray("jobs").get(0).getAsJsonObject();
        assertEquals("next", newest.get("name").getAsString());
        assertEquals("[\"b\"]", newest.get("stragglers").toString());
        assertEquals(2, json.getAsJsonObject("metrics").get("total_jobs").getAsInt());
        assertEquals("{\"a\":\"healthy\",\"b\":\"healthy\"}", json.get("nodes").toString());
        assertEquals(404, http(server, "GET", "/elsewhere").statusCode());
        assertEquals(405, http(server, "POST", "/").statusCode());
    }
}

package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.hearth.cli.lab.LabAuthority;
import io.hearth.coordinator.worker.WorkerNode;
import io.hearth.coordinator.worker.WorkerSettings;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NetworkNamespace;
import io.hearth.lighthouse.LighthouseSettings;
import io.hearth.lighthouse.QuorumResult;
import io.hearth.lighthouse.client.ManagerClient;
import io.hearth.lighthouse.server.LighthouseServer;
import io.hearth.lighthouse.server.ManagerServer;
import io.hearth.parameterserver.ElementType;
import io.hearth.parameterserver.client.ClientOptions;
import io.hearth.parameterserver.client.ParameterClient;
import io.hearth.parameterserver.client.Shape;
import io.hearth.parameterserver.optimize.Clip;
import io.hearth.parameterserver.optimize.LearningRate;
import io.hearth.parameterserver.optimize.Method;
import io.hearth.parameterserver.optimize.OptimizerSettings;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.TlsFiles;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Services with certificates from files, of an agent and alone, and their clients. */
@Timeout(120)
final class ServicesTlsIT {
    @TempDir
    private Path folder;

    private Commands commands;
    private TlsFiles files;

    @BeforeEach
    void makeFiles() throws Exception {
        commands = Commands.in(folder.resolve("home"), NetworkNamespace.create("home"));
        Path made = folder.resolve("tls");
        LabAuthority.make(made, 1);
        files = new TlsFiles(
                made.resolve("worker.pem"), made.resolve("worker.key"), Optional.of(made.resolve("ca.pem")));
    }

    private String withTls(String words) {
        TlsFiles.Own own = files.own().orElseThrow();
        return withAuthority(words) + " --tls-certificate " + own.certificate() + " --tls-key " + own.key();
    }

    private String withAuthority(String words) {
        return words + " --tls-authority " + files.authority().orElseThrow();
    }

    private RunningProcess start(String words) throws Exception {
        return RunningProcess.hearth(commands.environment(), List.of(), words.split(" ", -1));
    }

    private static int port(String line) {
        assertTrue(line.contains("https://127.0.0.1:"), line);
        return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
    }

    private static int port(RunningProcess agent, String service) throws InterruptedException {
        return port(agent.await(service, line -> line.contains("service=" + service + " address=")));
    }

    @Test
    void clientsReachTheServicesOfAnAgentOverTls() throws Exception {
        try (RunningProcess agent =
                start(withTls("agent --interface lo --serve coordinator:0,scheduler:0,parameterserver:0"))) {
            int coordinator = port(agent, "coordinator");
            int scheduler = port(agent, "scheduler");
            int parameterServer = port(agent, "parameterserver");

            try (var worker = new WorkerNode(
                    WorkerSettings.of(List.of("127.0.0.1:" + coordinator), 1).withCoordinatorTls(files))) {
                worker.start();
                assertEquals(0, worker.rank());
            }

            String jobs = "jobs list --scheduler 127.0.0.1:" + scheduler;
            assertEquals(0, commands.line(withTls(jobs)).code());
            assertTrue(commands.line(jobs).line().contains("do both use TLS or none?"));
            assertTrue(commands.line(withAuthority(jobs))
                    .line()
                    .contains("only clients with a certificate of the authority are answered here"));

            var sgd = new OptimizerSettings(new Method.Sgd(0, false, 0), new LearningRate.Constant(1), new Clip.None());
            try (ParameterClient client = ParameterClient.connect(
                    InetSocketAddress.createUnresolved("127.0.0.1", parameterServer), // as in the certificate
                    "trainer",
                    List.of(new Shape("w", ElementType.FLOAT32, 1)),
                    ClientOptions.DEFAULT.withTls(files))) {
                client.init("w", new byte[] {1, 2, 3, 4}, sgd);
                client.finish();
                assertEquals(4, client.get(List.of("w")).getFirst().content()[3]);
            }
            assertTrue(commands.line("status").out().contains("https://127.0.0.1:" + scheduler));
        }
    }

    @Test
    void aLighthouseAManagerAndItsClientTalkOverTls() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("lighthouse"));
        PortPlace listen = new PortPlace(PortPlace.loopback(0).address(), Optional.of(files));
        try (var lighthouse = LighthouseServer.start(home, new LighthouseSettings(1, 0, 5_000_000_000L), listen)) {
            assertEquals("https://127.0.0.1:" + lighthouse.port(), lighthouse.address());
            ManagedChannel toLighthouse = NettyChannelBuilder.forAddress("127.0.0.1", lighthouse.port())
                    .sslContext(files.client())
                    .build();
            try (var manager = ManagerServer.builder("replica", 1)
                    .listen(listen.address(), files)
                    .start(toLighthouse)) {
                assertEquals("https://127.0.0.1:" + manager.port(), manager.address());
                try (var client = ManagerClient.to(manager.address(), files)) {
                    QuorumResult quorum = client.quorum(0, 1, "state", false, true, 0, Duration.ofSeconds(20));
                    assertEquals(1, quorum.replicaWorldSize());
                }
            } finally {
                toLighthouse.shutdownNow();
            }
        }
    }

    @Test
    void aServiceAloneListensWhereItIsTold() throws Exception {
        try (RunningProcess coordinator = start(withTls("coordinator --port 0 --serve-on 127.0.0.1"))) {
            int port = port(coordinator.await("its address", line -> line.startsWith("http")));
            try (var worker = new WorkerNode(
                    WorkerSettings.of(List.of("127.0.0.1:" + port), 1).withCoordinatorTls(files))) {
                worker.start();
                assertEquals(0, worker.rank());
            }
        }
        String nowhere = commands.line("scheduler --port 0 --serve-on 127.1.2.3 --tls-certificate "
                        + files.own().orElseThrow().certificate() + " --tls-key "
                        + files.own().orElseThrow().certificate())
                .line();
        assertTrue(nowhere.contains("cannot be used"), nowhere);
        assertTrue(commands.line("scheduler --port 0 --serve-on 0.0.0.0")
                .line()
                .contains("does not listen on 0.0.0.0 without TLS"));
    }
}

package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.hearth.identity.NetworkNamespace;
import io.hearth.lighthouse.torchft.wire.LighthouseQuorumRequest;
import io.hearth.lighthouse.torchft.wire.LighthouseQuorumResponse;
import io.hearth.lighthouse.torchft.wire.QuorumMember;
import io.hearth.serve.grpc.UnaryHandler;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code hearth lighthouse} as a process. */
@Timeout(120)
final class LighthouseIT {
    private static final int KILLS = 5;

    @TempDir
    private Path folder;

    private RunningProcess start(Path home) throws Exception {
        return RunningProcess.hearth(
                Map.of("HEARTH_HOME", home.toString()),
                List.of(),
                "lighthouse",
                "--min-replicas",
                "1",
                "--port",
                "0",
                "--heartbeat-timeout",
                "50ms"); // then nobody waits for the members of the quorum before
    }

    private static long quorum(String address, String replica) throws Exception {
        URI uri = URI.create(address);
        ManagedChannel channel = NettyChannelBuilder.forAddress(new InetSocketAddress(uri.getHost(), uri.getPort()))
                .negotiationType(NegotiationType.PLAINTEXT)
                .build();
        try {
            byte[] request = LighthouseQuorumRequest.newBuilder()
                    .setRequester(QuorumMember.newBuilder().setReplicaId(replica))
                    .build()
                    .toByteArray();
            byte[] answer = ClientCalls.blockingUnaryCall(
                    channel.newCall(
                            UnaryHandler.descriptor("torchft.LighthouseService", "Quorum"),
                            CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS)),
                    request);
            return LighthouseQuorumResponse.parseFrom(answer).getQuorum().getQuorumId();
        } finally {
            channel.shutdownNow();
        }
    }

    /** Each process is killed while it forms quorums: no id that a caller has seen is used again. */
    @Test
    void idsRiseThroughKills() throws Exception {
        Path home = Files.createDirectory(
                folder.resolve("home"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var ids = new ArrayList<Long>();
        for (int kill = 0; kill < KILLS; kill++) {
            try (RunningProcess lighthouse = start(home)) {
                String address = lighthouse.await("its address", line -> line.startsWith("http://127.0.0.1:"));
                for (int i = 0; i < 3; i++) {
                    ids.add(quorum(address, "replica-" + kill + "-" + i)); // another member: another quorum
                }
                lighthouse.kill();
                lighthouse.exitCode();
            }
        }
        assertEquals(ids.stream().distinct().sorted().toList(), ids);
        assertTrue(ids.getFirst() >= 1, ids::toString);
    }

    /** Agents of one namespace, each with a lighthouse: any of them gives numbers of one sequence, also after the loss of the one that answered. */
    @Test
    void agentsAnswerAsOneAndTheLossOfOneRepeatsNoNumber() throws Exception {
        NetworkNamespace namespace = NetworkNamespace.create("home");
        var agents = new ArrayList<RunningProcess>();
        var addresses = new ArrayList<String>();
        try {
            for (int i = 0; i < 3; i++) {
                RunningProcess agent = RunningProcess.hearth(
                        Commands.in(folder.resolve("agent-" + i), namespace).environment(),
                        List.of(),
                        "agent",
                        "--interface",
                        "lo",
                        "--serve",
                        "lighthouse:0",
                        "--min-replicas",
                        "1",
                        "--heartbeat-timeout",
                        "50ms");
                agents.add(agent);
                String line = agent.await("the lighthouse", said -> said.contains("service=lighthouse address="));
                addresses.add(line.substring(line.indexOf("address=") + "address=".length()));
                if (i == 0) {
                    agent.await("the election", said -> said.contains("answers for service=lighthouse"));
                } else {
                    agent.await("a copy", said -> said.endsWith("is kept on machines=" + agents.size()));
                }
            }
            agents.get(1).await("copies on all machines", said -> said.endsWith("is kept on machines=3"));
            var ids = new ArrayList<Long>();
            for (int call = 0; call < 9; call++) {
                if (call == 5) {
                    agents.getFirst().kill(); // it answered until now
                    agents.getFirst().exitCode();
                }
                String address = addresses.get(call < 5 ? call % 3 : 1 + call % 2);
                ids.add(quorum(address, "replica-" + call)); // another member: another quorum
            }
            assertEquals(ids.stream().distinct().sorted().toList(), ids);
        } finally {
            agents.forEach(RunningProcess::close);
        }
    }
}

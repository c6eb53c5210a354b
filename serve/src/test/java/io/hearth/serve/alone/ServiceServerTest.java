package io.hearth.serve.alone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.Int64Value;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.serve.Counter;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.replica.ServiceReplica;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service alone, on a disk that becomes full. */
@Timeout(120)
final class ServiceServerTest {
    @TempDir
    private Path folder;

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static ServiceServer start(Path disk, long incarnation) throws Exception {
        return ServiceServer.start(
                Counter.maker(),
                new ServiceReplica.Place(
                        new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "counter"),
                        incarnation,
                        disk.resolve("counter"),
                        Optional.empty()),
                PortPlace.loopback(0));
    }

    private static long add(ManagedChannel channel, long number) throws Exception {
        return Int64Value.parseFrom(ClientCalls.blockingUnaryCall(
                        channel,
                        UnaryHandler.descriptor(Counter.SERVICE, "Add"),
                        CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
                        Int64Value.of(number).toByteArray()))
                .getValue();
    }

    private static ManagedChannel channel(ServiceServer server) {
        return NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .build();
    }

    /** The service keeps each number that it answered. A number that it refused may count or not. */
    @Test
    void aFullDiskRefusesCallsUntilThereIsRoom() throws Exception {
        assumeTrue(
                Files.isExecutable(Path.of("/bin/mount"))
                        && run("mount", "-t", "tmpfs", "-o", "size=128k", "none", folder.toString()) == 0,
                "only root may mount a file system");
        try {
            try (ServiceServer server = start(folder, 1)) {
                ManagedChannel channel = channel(server);
                try {
                    assertEquals(1, add(channel, 1));
                    Path filler = folder.resolve("filler");
                    assertTrue(run("dd", "if=/dev/zero", "of=" + filler, "bs=4k") != 0, "full");
                    Status refused = untilRefused(channel);
                    assertEquals(Status.Code.UNAVAILABLE, refused.getCode());
                    String why = String.valueOf(refused.getDescription());
                    assertTrue(why.contains("No space left on device") && why.contains("make room on the disk"), why);
                    Files.delete(filler);
                    untilAnswered(channel);
                } finally {
                    channel.shutdownNow();
                }
            }
            try (ServiceServer server = start(folder, 2)) {
                ManagedChannel channel = channel(server);
                try {
                    long sum = add(channel, 8);
                    assertTrue(sum == 13 || sum == 15, () -> "1 and 4 were answered, 2 was not: " + sum);
                } finally {
                    channel.shutdownNow();
                }
            }
        } finally {
            run("umount", folder.toString());
        }
    }

    /** The call that finds the disk full may have another reason; the next one has this one. */
    private static Status untilRefused(ManagedChannel channel) throws Exception {
        while (!Thread.interrupted()) { // by the limit of this test
            try {
                add(channel, 2);
            } catch (StatusRuntimeException failed) {
                if (String.valueOf(failed.getStatus().getDescription()).contains("cannot be written")) {
                    return failed.getStatus();
                }
            }
        }
        throw new InterruptedException("nothing was refused");
    }

    private static void untilAnswered(ManagedChannel channel) throws Exception {
        while (!Thread.interrupted()) {
            try {
                add(channel, 4);
                return;
            } catch (StatusRuntimeException stillFull) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
        }
        throw new InterruptedException("nothing was answered");
    }
}

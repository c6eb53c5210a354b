package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.core.Bytes;
import io.hearth.identity.Labels;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.topology.NodeProfileEncoding;
import io.hearth.topology.wire.NodeProfileMessage;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.links.Links;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attack 33: a member sends an agent texts that control a terminal. The agent shows them neither to users nor to scripts. */
final class SteeringTextIT {
    /** Control sequences that clear the screen, write the clipboard, end the line and reverse the text. */
    private static final String STEERING =
            "\u001b[2J\u001b]52;c;aGk=\u0007kit\u202echen\r\nrejected: all is well\u2028\u200b\u2066end\u009b31m";

    private static final String SHOWN = Labels.clean(STEERING);
    private static final long PATIENCE_SECONDS = 60;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("home");
    private final NodeIdentity identity = NodeIdentity.generate();
    private final NodeId self = new NodeId(identity.peer(), NodeId.AGENT);
    private final BlockingQueue<NodeId> linked = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> lost = new LinkedBlockingQueue<>();

    private final class Ear implements LinkObserver {
        @Override
        public void admitted(LinkInfo link) {
            linked.add(link.peer().id());
        }

        @Override
        public void received(NodeId from, long incarnation, int kind, byte[] message) {}

        @Override
        public void lost(NodeId peer, String reason) {
            lost.add(reason);
        }

        @Override
        public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {}

        @Override
        public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {}
    }

    @Tag("full")
    @Test
    void noneOfItReachesStatusOrItsJsonOrALogLine() throws Exception {
        Commands commands = Commands.in(folder.resolve("agent"), namespace);
        var environment = new HashMap<>(commands.environment());
        environment.put("HEARTH_LOG", "trace");
        var endpoint = new Endpoint(self, 1, Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]));
        try (var agent = RunningProcess.hearth(environment, List.of(), "agent", "--interface", "lo");
                var keys = namespace.keys();
                Links links = Links.open(LinkOptions.loopback(0), identity, endpoint, keys, new Ear())) {
            String listens = agent.await("the port", line -> line.startsWith("agent "));
            int port = Integer.parseInt(listens.replaceAll(".*listens on port (\\d+).*", "$1"));
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            links.dial(address);
            NodeId to = next(linked);

            links.send(to, NodeProfileEncoding.KIND, profile(STEERING));
            awaitStatus(commands, status -> labels(status).contains(SHOWN));
            String table = commands.line("status").out();
            assertTrue(table.contains(SHOWN), table);
            String peers = commands.line("peers").out();

            links.send(to, NodeProfileEncoding.KIND, profile("\u001b]52;c;" + "x".repeat(10_000)));
            String why = next(lost);
            assertTrue(why.contains("10007 bytes of text, 256 are allowed"), why);
            JsonObject status =
                    awaitStatus(commands, now -> !now.getAsJsonArray("faults").isEmpty());
            assertHarmless(status);
            await(
                    agent::output,
                    SteeringTextIT::tellsTheReason,
                    () -> { // both nodes dial, and one of the two links is closed
                        links.dial(address);
                        links.close(to, STEERING);
                    });

            assertHarmless(table);
            assertHarmless(peers);
            assertHarmless(commands.line("status").out());
            for (String form : List.of("topology", "topology --json", "topology --dot", "topology --mermaid")) {
                assertHarmless(commands.line(form).out());
            }
            assertHarmless(agent.output());
            assertTrue(agent.output().lines().noneMatch(line -> line.startsWith("rejected: all is well")));
        }
    }

    private static byte[] profile(String text) {
        return NodeProfileMessage.newBuilder()
                .setLabel(text)
                .setOs(text)
                .setArch(text)
                .setCores(1)
                .setAccelerator(text)
                .setVersion(text)
                .build()
                .toByteArray();
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        return Optional.ofNullable(queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .orElseThrow(() -> new AssertionError("it never came"));
    }

    private static JsonObject awaitStatus(Commands commands, Predicate<JsonObject> seen) {
        return await(() -> commands.line("status --json").json(), seen, () -> {});
    }

    /** Waits until {@code now} gives a wanted value and returns it. It runs {@code again} after each other value. */
    private static <T> T await(Supplier<T> now, Predicate<T> wanted, Runnable again) {
        long startNanos = System.nanoTime();
        T last = now.get();
        while (!wanted.test(last)) {
            assertTrue(System.nanoTime() - startNanos < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS), last.toString());
            again.run();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            last = now.get();
        }
        return last;
    }

    private static boolean tellsTheReason(String output) {
        return output.lines().anyMatch(line -> line.contains("link lost") && line.contains("all is well"));
    }

    private static List<String> labels(JsonObject status) {
        return status.getAsJsonArray("nodes").asList().stream()
                .map(node -> node.getAsJsonObject().get("label").getAsString())
                .toList();
    }

    /** Checks each text of a JSON value, as a script reads it. */
    private static void assertHarmless(JsonElement json) {
        if (json.isJsonObject()) {
            json.getAsJsonObject().asMap().values().forEach(SteeringTextIT::assertHarmless);
        } else if (json.isJsonArray()) {
            json.getAsJsonArray().asList().forEach(SteeringTextIT::assertHarmless);
        } else {
            assertHarmless(json.getAsString());
        }
    }

    private static void assertHarmless(String text) {
        text.codePoints()
                .filter(character -> character != '\n' && character != '\t')
                .forEach(character -> {
                    int type = Character.getType(character);
                    boolean steers = type == Character.CONTROL
                            || type == Character.FORMAT
                            || type == Character.LINE_SEPARATOR
                            || type == Character.PARAGRAPH_SEPARATOR;
                    assertFalse(steers, () -> "U+%04X in: %s".formatted(character, text));
                });
    }
}

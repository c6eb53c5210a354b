package io.hearth.cli.node;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.agent.HearthConfig;
import io.hearth.agent.HearthNode;
import io.hearth.agent.LocalAgent;
import io.hearth.agent.api.LocalApi;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.agent.api.StatusJson;
import io.hearth.cli.option.NetworkOptions;
import io.hearth.cli.option.ProgramOptions;
import io.hearth.cli.process.NextProgram;
import io.hearth.cli.terminal.Durations;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.SlotLease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hearth wait}: waits until enough other machines are in the view, then runs a program. */
@Command(
        name = "wait",
        description = {
            "Wait until N other machines are in the view, or with --group N trainers of that group; then run CMD.",
            "Asks this machine's agent. If no agent runs, the command is a node itself until the wait is over."
        })
public final class WaitCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Option(
            names = "--peers",
            paramLabel = "N",
            required = true,
            description = "Number of other machines, or of trainers with --group; 0 or more.")
    private int peers;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long to wait (default: 60s). After that the exit code is 124.")
    private Duration timeout = Duration.ofSeconds(60);

    @Option(names = "--group", paramLabel = "G", description = "Count the trainers of this group.")
    private String group = "";

    @Option(names = "--json", description = "Print the last status as one line of JSON on standard output.")
    private boolean json;

    @Mixin
    private final ProgramOptions program = new ProgramOptions();

    public WaitCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        HearthConfig config = config();
        HearthHome home = HearthHome.open(terminal.environment());
        Optional<LocalApiClient> agent = LocalApiClient.connect(home.socket(LocalAgent.SOCKET));
        if (agent.isPresent()) {
            network.requireNone("this machine's agent runs, and its node waits");
        }
        boolean there = agent.isPresent() ? askAgent(agent.get()) : takePart(config);
        if (!there) {
            return Exit.TIMED_OUT;
        }
        Optional<ProcessBuilder> next = program.program();
        return next.isEmpty() ? Exit.OK : new NextProgram(terminal).start(next.get());
    }

    private boolean askAgent(LocalApiClient agent) throws HearthException, InterruptedException {
        var progress = new Progress();
        try (agent) {
            agent.watch(LocalApi.STATUS + "?watch=true");
            Thread reader = Thread.ofVirtual().start(() -> follow(agent, progress));
            boolean there = progress.await(timeout);
            boolean hungUp = progress.hungUp(); // read before this end hangs up
            agent.close();
            reader.join();
            if (!there && hungUp) {
                throw new SetupException("the agent closed the connection; look at its output and start it again");
            }
            return there;
        }
    }

    private static void follow(LocalApiClient agent, Progress progress) {
        try {
            Optional<JsonObject> status = agent.next();
            while (status.isPresent()) {
                progress.seen(status.get());
                status = agent.next();
            }
        } catch (HearthException broken) {
            progress.seen(new JsonObject());
        }
        progress.hangUp();
    }

    private HearthConfig config() {
        return network.checked(() -> {
            if (peers < 0) {
                throw new IllegalArgumentException("--peers must be 0 or more, got " + peers);
            }
            HearthConfig config = network.applyTo(HearthConfig.defaults().agent(SlotLease.WAIT));
            return group.isEmpty() ? config : config.group(group);
        });
    }

    private boolean takePart(HearthConfig config) throws HearthException, InterruptedException {
        try (var _ = new UntilSignal();
                HearthNode node = HearthNode.start(config, terminal.environment())) {
            var progress = new Progress();
            Thread reader = Thread.ofVirtual().start(() -> {
                try {
                    long seen = 0;
                    while (true) {
                        seen = node.awaitStatusAfter(seen, status -> progress.seen(StatusJson.of(status)));
                    }
                } catch (InterruptedException stop) {
                    Thread.currentThread().interrupt();
                }
            });
            boolean there = progress.await(timeout);
            reader.interrupt();
            reader.join();
            return there;
        }
    }

    private int count(JsonObject status) {
        if (!status.has("nodes")) {
            return 0;
        }
        if (group.isEmpty()) {
            return status.get("other_machines").getAsInt();
        }
        int trainers = 0;
        for (JsonElement element : status.getAsJsonArray("nodes")) {
            JsonObject node = element.getAsJsonObject();
            if (node.has("rank")
                    && node.has("group")
                    && node.get("group").getAsString().equals(group)) {
                trainers++;
            }
        }
        return trainers;
    }

    /** Prints the progress and ends the wait. The reader thread calls {@link #seen} and {@link #hangUp}. */
    private final class Progress {
        private final CountDownLatch over = new CountDownLatch(1);
        private final AtomicReference<JsonObject> newest = new AtomicReference<>(new JsonObject()); // set by the reader
        private volatile boolean enough; // set by the reader
        private volatile boolean hungUp; // set by the reader
        private int shown = -1;

        void seen(JsonObject status) {
            newest.set(status);
            int there = count(status);
            if (there != shown && !enough) {
                shown = there;
                terminal.err()
                        .println(there + " of " + peers + (group.isEmpty() ? " machines" : " trainers of " + group)
                                + (status.has("explanation")
                                        ? " (" + status.get("explanation").getAsString() + ")"
                                        : ""));
            }
            if (there >= peers) {
                enough = true;
                over.countDown();
            }
        }

        void hangUp() {
            hungUp = true;
            over.countDown();
        }

        boolean hungUp() {
            return hungUp;
        }

        boolean await(Duration limit) throws InterruptedException {
            boolean ended = over.await(limit.toMillis(), TimeUnit.MILLISECONDS);
            JsonObject last = newest.get();
            if (json) {
                terminal.print(last);
            }
            if (!ended) {
                terminal.error("timed out after " + limit.toMillis() / 1e3 + " s with " + count(last) + " of "
                        + peers
                        + (group.isEmpty() ? " machines" : " trainers of group " + group) + ": "
                        + (last.has("explanation") ? last.get("explanation").getAsString() : "no answer"));
            }
            return enough;
        }
    }
}

package io.hearth.cli.node;

import io.hearth.agent.HearthConfig;
import io.hearth.agent.HearthNode;
import io.hearth.agent.LocalAgent;
import io.hearth.agent.guest.NodeGuest;
import io.hearth.cli.option.Converters;
import io.hearth.cli.option.EngineOption;
import io.hearth.cli.option.NetworkOptions;
import io.hearth.cli.serve.ServeOptions;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.LogFile;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.core.HearthException;
import io.hearth.discovery.HostPort;
import io.hearth.identity.NodeId;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hearth agent}: runs this machine's agent in the foreground. */
@Command(
        name = "agent",
        description = {
            "Run this machine's agent in the foreground until it is stopped; its exit code is 0 then. An agent is a node that"
                    + " does not train.",
            "It finds the other machines of the namespace and answers 'hearth status' and 'hearth wait'."
        })
public final class AgentCommand implements Callable<Integer> {
    private static final int PORT_MAX = 65_535;

    private final Terminal terminal;

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Option(
            names = "--port",
            paramLabel = "P",
            description = "Port to listen on (default: 52416, or the next free one).")
    private Optional<Integer> port = Optional.empty();

    @Option(
            names = "--page-port",
            paramLabel = "P",
            description = "Port of the page on 127.0.0.1 (default: 52418, or a free one).")
    private Optional<Integer> pagePort = Optional.empty();

    @Option(
            names = "--on-partition",
            arity = "1", // a boolean option takes no value without it
            paramLabel = "stall|continue",
            converter = Converters.OnPartition.class,
            description = "When the quorum is lost: wait for it (stall), or go on alone and yield to the others later"
                    + " (continue). Default: stall.")
    private boolean continueOnPartition;

    @Option(
            names = "--log-file",
            paramLabel = "FILE",
            description =
                    "Log into FILE; at 5 MB it becomes FILE.1, and FILE.1 becomes FILE.2 (default: standard error).")
    private @Nullable Path logFile;

    @Mixin
    private final ServeOptions serve = new ServeOptions();

    @Mixin
    private final EngineOption engine = new EngineOption();

    public AgentCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        HearthConfig config = config();
        OptionalInt page = page();
        serve.requireLibraries();
        NodeGuest.Maker guests = network.checked(serve::guests);
        if (logFile != null) {
            System.setErr(LogFile.open(logFile)); // where the logger writes
        }
        try (var _ = UntilSignal.endsWith(Exit.OK);
                LocalAgent agent = LocalAgent.start(config, page, terminal.environment(), guests)) {
            HearthNode node = agent.node();
            boolean otherPort = port.isEmpty() && node.port() != HostPort.PORT_DEFAULT;
            terminal.err()
                    .println("agent " + node.id().shortText() + " listens on port " + node.port()
                            + (otherPort ? " (" + HostPort.PORT_DEFAULT + " is taken)" : "") + ", namespace "
                            + node.status().namespace().name() + " (key "
                            + node.status().namespace().keyId() + ")");
            agent.awaitFailure();
            throw node.failure().orElseThrow();
        } catch (InterruptedException interrupted) {
            return Exit.INTERRUPTED;
        }
    }

    private OptionalInt page() {
        return network.checked(() -> {
            if (pagePort.isEmpty()) {
                return OptionalInt.empty();
            }
            int number = pagePort.get();
            if (number < 1 || number > PORT_MAX) {
                throw new IllegalArgumentException("--page-port must be 1 to " + PORT_MAX + ", got " + number);
            }
            return OptionalInt.of(number);
        });
    }

    private HearthConfig config() {
        HearthConfig config = network.applyTo(HearthConfig.defaults()
                .agent(NodeId.AGENT)
                .continueOnPartition(continueOnPartition)
                .engine(engine.name));
        return port.isEmpty() ? config : network.checked(() -> config.port(port.get()));
    }
}

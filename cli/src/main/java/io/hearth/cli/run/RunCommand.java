package io.hearth.cli.run;

import io.hearth.accel.EngineName;
import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.cli.option.NetworkOptions;
import io.hearth.cli.option.ProgramOptions;
import io.hearth.cli.process.NextProgram;
import io.hearth.cli.terminal.Durations;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.cli.terminal.Usage;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.Tensor;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hearth run}: gives this machine a rank among those that run the same command, then runs a program. */
@Command(
        name = "run",
        description = {
            "Wait until N other machines run this command too, then run CMD on each with a rank of its own.",
            "CMD gets RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT as from torchrun, and"
                    + " MLX_RANK and MLX_HOSTFILE for the ring of MLX."
        })
public final class RunCommand implements Callable<Integer> {
    private static final String GLOO_INTERFACE = "GLOO_SOCKET_IFNAME";

    private final Terminal terminal;

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Option(
            names = "--peers",
            paramLabel = "N",
            required = true,
            description = "Number of other machines; 0 or more, the same on all.")
    private int peers;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long to wait for them (default: 60s). After that the exit code is 124.")
    private Duration timeout = Duration.ofSeconds(60);

    @Option(
            names = "--group",
            paramLabel = "G",
            description = "Only machines with the same group run together (default: ${DEFAULT-VALUE}).")
    private String group = "run";

    @Mixin
    private final ProgramOptions program = new ProgramOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    public RunCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        HearthConfig config = config();
        ProcessBuilder next =
                program.program().orElseThrow(() -> Usage.mistake(command, "no program to run: name it after --"));
        next.environment().putAll(meet(config));
        return new NextProgram(terminal).start(next);
    }

    private HearthConfig config() {
        return network.checked(() -> {
            if (peers < 0) {
                throw new IllegalArgumentException("--peers must be 0 or more, got " + peers);
            }
            return network.applyTo(HearthConfig.defaults()
                    .engine(EngineName.PORTABLE) // for some bytes; the engine of the machine may need flags of Java
                    .group(group)
                    .minimumRanks(peers + 1)
                    .maximumRanks(peers + 1)
                    .deadline(timeout));
        });
    }

    /** Meets the other machines, exchanges places with them and leaves again. Returns what the program is told. */
    private Map<String, String> meet(HearthConfig config) throws HearthException, InterruptedException {
        try (var _ = new UntilSignal();
                AutoDiscoveryBackend hearth = AutoDiscoveryBackend.start(config, terminal.environment())) {
            hearth.waitForPeers(peers, timeout);
            DistributedContext cluster = hearth.context();
            if (!cluster.isInGroup()) {
                throw new HearthException("group '" + group
                        + "' runs another program, one with steps; choose another group with --group");
            }
            RankTable.Place own = OwnPlace.find(hearth.status());
            byte[] gathered = new byte[cluster.worldSize() * RankTable.PLACE_BYTES];
            cluster.allGather(Tensor.of(own.bytes()), Tensor.of(gathered));
            RankTable table = RankTable.of(gathered);
            int rank = cluster.rank();
            terminal.err().println("rank " + rank + " of " + cluster.worldSize());
            Map<String, String> variables =
                    table.environment(rank, write(table.hostFile()).toString());
            interfaceOf(own).ifPresent(name -> variables.put(GLOO_INTERFACE, name));
            cluster.barrier(); // no machine leaves before all know the places
            return variables;
        }
    }

    /** The interface for PyTorch's Gloo, which else uses that of the host's own name. */
    private Optional<String> interfaceOf(RankTable.Place own) {
        return terminal.environment().containsKey(GLOO_INTERFACE)
                ? Optional.empty()
                : OwnPlace.networkInterface(own.address());
    }

    /** Writes the host file; programs of one group and machine share it, because it is the same for all. */
    private Path write(String hostFile) throws HearthException {
        Path file = HearthHome.open(terminal.environment()).subfolder("run").resolve("hosts-" + group + ".json");
        try {
            Path fresh = Files.createTempFile(file.getParent(), "hosts-", ".tmp");
            Files.writeString(fresh, hostFile);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            return file;
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot write " + file + ": " + failed + "; make room, or the folder writable", failed);
        }
    }
}

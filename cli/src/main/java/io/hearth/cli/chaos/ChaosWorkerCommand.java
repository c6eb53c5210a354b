package io.hearth.cli.chaos;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.cli.chaos.plan.ChaosEvent;
import io.hearth.cli.option.EngineOption;
import io.hearth.cli.process.ParentPipe;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hearth chaos-worker}: the worker that {@code hearth chaos} starts on each host. It prints {@link ChaosEvent}s on standard output. */
@Command(
        name = "chaos-worker",
        hidden = true,
        description = "Run the worker of one host, for hearth chaos, which starts it.")
public final class ChaosWorkerCommand implements Callable<Integer> {
    static final String NAMESPACE = "chaos";

    /** The work of a worker. */
    enum Work {
        /** Trains the digits until the driver stops it. */
        DIGITS,
        /** Sums large vectors and checks each sum. */
        SUMS
    }

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Terminal terminal;

    @Option(names = "--work", required = true, description = "DIGITS or SUMS.")
    private Work work = Work.DIGITS;

    @Option(names = "--host", required = true, description = "Number of this host, from 0.")
    private int host;

    @Option(names = "--peers", required = true, description = "Number of other workers to wait for.")
    private int peers;

    @Mixin
    private final EngineOption engine = new EngineOption();

    public ChaosWorkerCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        var toldToStop = new AtomicBoolean(); // the pipe's thread sets it, the training reads it
        ParentPipe.follow(terminal.in(), line -> {
            if (line.equals("stop")) {
                toldToStop.set(true);
            }
        });
        HearthConfig config =
                HearthConfig.defaults().namespace(NAMESPACE).group("chaos").engine(engine.name);
        try (AutoDiscoveryBackend hearth = AutoDiscoveryBackend.start(config, terminal.environment())) {
            hearth.waitForPeers(peers, TIMEOUT);
            switch (work) {
                case DIGITS -> new ChaosDigits(hearth.context(), this::tell).run(toldToStop::get);
                case SUMS -> new ChaosSums(hearth.context(), host, this::tell).run(toldToStop::get);
            }
        }
        return Exit.OK;
    }

    private void tell(ChaosEvent event) {
        terminal.out().println(event.toLine());
    }
}

package io.hearth.cli.chaos;

import io.hearth.accel.EngineName;
import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.cli.chaos.plan.ChaosEvent;
import io.hearth.cli.terminal.EngineConverter;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth chaos-worker}: what {@code hearth chaos} starts on each host; tells {@link ChaosEvent}s on standard output. */
@Command(name = "chaos-worker", hidden = true, description = "Be one host's worker of hearth chaos, which starts it.")
public final class ChaosWorkerCommand implements Callable<Integer> {
    static final String NAMESPACE = "chaos";

    /** What a worker does. */
    enum Work {
        /** Trains the digits, for as long as it is let. */
        DIGITS,
        /** Sums a large vector again and again, and checks each sum. */
        SUMS
    }

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Terminal terminal;

    @Option(names = "--work", required = true, description = "DIGITS or SUMS.")
    private Work work = Work.DIGITS;

    @Option(names = "--host", required = true, description = "Number of this host, from 0.")
    private int host;

    @Option(names = "--peers", required = true, description = "Other workers to wait for.")
    private int peers;

    @Option(
            names = "--engine",
            paramLabel = EngineConverter.LABEL,
            converter = EngineConverter.class,
            description = EngineConverter.DESCRIPTION)
    private EngineName engine = EngineName.AUTO;

    public ChaosWorkerCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        var toldToStop = new AtomicBoolean(); // the pipe's thread sets it, the training reads it
        followParent(terminal.in(), toldToStop);
        HearthConfig config =
                HearthConfig.defaults().namespace(NAMESPACE).group("chaos").engine(engine);
        try (AutoDiscoveryBackend hearth = AutoDiscoveryBackend.start(config, terminal.environment())) {
            hearth.waitForPeers(peers, PATIENCE);
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

    /** Takes {@code stop}; a worker does not outlive the process that started it. */
    private static void followParent(InputStream in, AtomicBoolean toldToStop) {
        Thread.ofPlatform().daemon().name("hearth-parent").start(() -> {
            try (var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.equals("stop")) {
                        toldToStop.set(true);
                    }
                }
            } catch (IOException broken) {
                System.err.println("hearth: the pipe to the starting process broke: " + broken.getMessage());
            }
            Runtime.getRuntime().halt(Exit.INTERRUPTED); // the parent is gone: nobody is left to tell
        });
    }
}

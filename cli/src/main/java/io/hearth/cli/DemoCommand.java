package io.hearth.cli;

import io.hearth.accel.EngineName;
import io.hearth.cli.terminal.EngineConverter;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.HearthException;
import io.hearth.transport.DataTransport;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hearth demo}: several nodes on this machine find one another and train together. */
@Command(
        name = "demo",
        description = {
            "Start several nodes on this machine that find one another by mDNS on the loopback interface, elect a",
            "master and train a classifier of handwritten digits; with --kill, lose their master on the way."
        })
final class DemoCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private @org.jspecify.annotations.Nullable CommandSpec command;

    @Option(names = "--nodes", paramLabel = "N", description = "How many, 2 to 16 (default: 4).")
    private int nodes = 4;

    @Option(names = "--epochs", paramLabel = "N", description = "Passes over the images (default: ${DEFAULT-VALUE}).")
    private int epochs = io.hearth.examples.DigitsRecipe.EPOCHS;

    @Option(
            names = "--compression",
            paramLabel = "CODEC",
            converter = Compression.class,
            description = Compression.CHOICES + " (default: none).")
    private CompressionStrategy compression = CompressionStrategy.NONE;

    @Option(
            names = "--transport",
            paramLabel = "auto|shm|tcp",
            converter = Transport.class,
            description =
                    "Between nodes of this machine: shared memory, or encrypted TCP as between all others (default: auto).")
    private DataTransport transport = DataTransport.AUTO;

    @Option(
            names = "--engine",
            paramLabel = EngineConverter.LABEL,
            converter = EngineConverter.class,
            description = EngineConverter.DESCRIPTION)
    private EngineName engine = EngineName.AUTO;

    @Option(
            names = "--kill",
            paramLabel = "N",
            arity = "0..1",
            fallbackValue = "1",
            description = "Kill the master without warning, N times one after the other (default with the option: 1).")
    private int kills;

    @Option(
            names = "--json",
            description = "The summary as one line of JSON on standard output; the rest on standard error.")
    private boolean json;

    @Option(
            names = "--record",
            hidden = true,
            paramLabel = "FILE",
            description = "Make a class archive of a node's start; the launcher gives it to later starts.")
    private Optional<Path> record = Optional.empty();

    DemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        Demo.Options options = options();
        EngineConverter.require(engine, terminal);
        var screen = new DemoScreen(json ? terminal.err() : terminal.out(), !json && terminal.interactive());
        DemoSummary summary = new Demo(options, screen).run();
        if (json) {
            terminal.print(summary.toJson());
        } else {
            terminal.out().println();
            summary.lines().forEach(terminal.out()::println);
        }
        if (!summary.identicalWeights()) {
            throw new HearthException("the nodes ended with different weights: this is a fault in Hearth, report it");
        }
        return Exit.OK;
    }

    private Demo.Options options() {
        try {
            return new Demo.Options(
                    nodes, epochs, compression.text(), transport, engine, kills, record.map(ClassArchive::new));
        } catch (IllegalArgumentException wrong) {
            if (command == null) {
                throw wrong;
            }
            throw new ParameterException(command.commandLine(), String.valueOf(wrong.getMessage()), wrong);
        }
    }
}

package io.hearth.cli.demo;

import io.hearth.cli.option.SumOptions;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.Usage;
import io.hearth.core.HearthException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hearth demo}: several nodes on this machine find one another and train together. */
@Command(
        name = "demo",
        description = {
            "Train a classifier of handwritten digits on several nodes of this machine. The nodes find one another by mDNS"
                    + " on the loopback interface and elect a master. With --kill they lose their master during the training."
        })
public final class DemoCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Mixin
    private final SumOptions sums = new SumOptions();

    @Option(names = "--nodes", paramLabel = "N", description = "Number of nodes, 2 to 16 (default: 4).")
    private int nodes = 4;

    @Option(names = "--epochs", paramLabel = "N", description = "Passes over the images (default: ${DEFAULT-VALUE}).")
    private int epochs = io.hearth.examples.DigitsRecipe.EPOCHS;

    @Option(
            names = "--kill",
            paramLabel = "N",
            arity = "0..1",
            fallbackValue = "1",
            description = "Kill the master without warning, N times (default: 0; --kill alone: 1).")
    private int kills;

    @Option(
            names = "--json",
            description =
                    "Print the summary as one line of JSON on standard output, and everything else on standard error.")
    private boolean json;

    @Option(
            names = "--record",
            hidden = true,
            paramLabel = "FILE",
            description = "Write a class archive of a node; the launcher gives it to later starts.")
    private Optional<Path> record = Optional.empty();

    public DemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        Demo.Options options = options();
        sums.engine.require(terminal);
        var screen = new DemoScreen(json ? terminal.err() : terminal.out(), !json && terminal.interactive());
        DemoSummary summary = new Demo(options, screen).run();
        if (json) {
            terminal.print(summary.toJson());
        } else {
            terminal.out().println();
            summary.lines().forEach(terminal.out()::println);
        }
        if (!summary.identicalWeights()) {
            throw new HearthException("the nodes ended with different weights: this is a bug in Hearth; report it");
        }
        return Exit.OK;
    }

    private Demo.Options options() {
        return Usage.checked(
                command,
                () -> new Demo.Options(
                        nodes,
                        epochs,
                        sums.compression.text(),
                        sums.transport,
                        sums.engine.name,
                        kills,
                        record.map(ClassArchive::new)));
    }
}

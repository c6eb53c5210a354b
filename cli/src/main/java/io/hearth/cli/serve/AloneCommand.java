package io.hearth.cli.serve;

import io.hearth.cli.option.ServiceLibraries;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.serve.alone.ServiceServer;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.shell.ClusterService;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that runs one service on this machine alone, until it is stopped. */
abstract class AloneCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--port",
            paramLabel = "P",
            description = "Port to listen on; 0 for a free one (default: the one that 'hearth agent --serve' has).")
    private Optional<Integer> port = Optional.empty();

    @Mixin
    private ListenOptions listen = new ListenOptions();

    AloneCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The settings of the service. */
    abstract ServiceOptions options();

    @Override
    public Integer call() throws HearthException, InterruptedException {
        ServiceLibraries.require();
        ClusterService.Maker<?> maker;
        PortPlace place;
        try {
            maker = options().maker();
            place = listen.place(Ports.checked("--port", port.orElse(options().port())));
            options().check(place);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), String.valueOf(wrong.getMessage()));
        }
        ServingGuests.GRPC.setLevel(Level.SEVERE);
        try (var _ = UntilSignal.endsWith(Exit.OK);
                ServiceServer server = ServiceServer.inHome(maker, HearthHome.open(terminal.environment()), place)) {
            terminal.out().println(place.url(server.port()));
            terminal.out().flush();
            Throwable why = server.awaitFailure();
            throw new SetupException("the service " + maker.name() + " stopped: " + why, why);
        } catch (InterruptedException interrupted) {
            return Exit.INTERRUPTED;
        }
    }
}

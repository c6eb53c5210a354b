package io.hearth.cli.show;

import com.google.gson.JsonObject;
import io.hearth.agent.api.LocalApi;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth status}: shows the state of this machine's agent. */
@Command(
        name = "status",
        description = "Show the cluster as this machine's agent sees it: nodes, health, master, view.")
public final class StatusCommand implements Callable<Integer> {
    /** With the start of this program, the command takes at most two seconds. */
    private static final Duration ANSWER_MAX = Duration.ofMillis(1_500);

    private final Terminal terminal;

    @Option(
            names = "--json",
            description = "Print one line of JSON: schema, self, namespace, master, view, nodes[] and more.")
    private boolean json;

    public StatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        JsonObject status = new RunningAgent(terminal, ANSWER_MAX).get(LocalApi.STATUS);
        if (json) {
            terminal.print(status);
        } else {
            show(status);
        }
        return Exit.OK;
    }

    void show(JsonObject status) {
        int width = terminal.columns().orElse(Integer.MAX_VALUE);
        new StatusText(status, width, System.currentTimeMillis()).lines().forEach(terminal.out()::println);
    }
}

package io.hearth.cli.show;

import com.google.gson.JsonObject;
import io.hearth.agent.api.LocalApi;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth watch}: prints what happens in the cluster. */
@Command(
        name = "watch",
        description = "Print what happens in the cluster, first what is remembered, then each event when it comes:"
                + " who joins, leaves or falls silent, and why.")
public final class WatchCommand implements Callable<Integer> {
    private static final Duration ANSWER_MAX = Duration.ofMillis(1_500);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    private final Terminal terminal;

    @Option(names = "--json", description = "Print one line of JSON for each event: number, at_ms, kind, node, text.")
    private boolean json;

    @Option(names = "--once", description = "End after the events that are remembered.")
    private boolean once;

    public WatchCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        var agent = new RunningAgent(terminal, ANSWER_MAX);
        if (once) {
            agent.get(LocalApi.EVENTS).getAsJsonArray("events").forEach(event -> print(event.getAsJsonObject()));
            return Exit.OK;
        }
        try (LocalApiClient feed = agent.watch(LocalApi.EVENTS + "?watch=true");
                var _ = new UntilSignal()) {
            Optional<JsonObject> event = feed.next();
            while (event.isPresent()) {
                print(event.get());
                event = feed.next();
            }
            if (Thread.interrupted()) {
                return Exit.INTERRUPTED;
            }
            throw new SetupException("the agent ended; start it again, or look at its output");
        }
    }

    private void print(JsonObject event) {
        if (json) {
            terminal.print(event);
            return;
        }
        Instant at = Instant.ofEpochMilli(event.get("at_ms").getAsLong());
        terminal.out()
                .println(TIME.format(at.atZone(ZoneId.systemDefault())) + "  "
                        + event.get("text").getAsString());
    }
}

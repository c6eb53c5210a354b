package io.hearth.cli.show;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.agent.api.LocalApi;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.FullScreen;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.core.HearthException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code hearth top}: shows the cluster in the terminal and keeps it up to date. */
@Command(
        name = "top",
        description =
                "Show the cluster in the terminal and keep it up to date: machines, links, trainings, last events."
                        + " Keys: q quits.")
public final class TopCommand implements Callable<Integer> {
    private static final Duration ANSWER_MAX = Duration.ofMillis(1_500);
    private static final Duration REFRESH = Duration.ofSeconds(1);
    private static final int EVENTS_SHOWN = 10;
    private static final int CTRL_D = 4;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    private final Terminal terminal;

    public TopCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        var agent = new RunningAgent(terminal, ANSWER_MAX);
        var _ = agent.get(LocalApi.STATUS); // without an agent this ends before it takes the terminal
        try (var _ = new UntilSignal();
                FullScreen screen = FullScreen.open(terminal, "run 'hearth status' or 'hearth watch'")) {
            while (true) {
                screen.show(lines(agent, screen.columns()));
                int key = screen.key(REFRESH).orElse(0);
                if (key == 'q' || key == 'Q' || key == CTRL_D) {
                    return Exit.OK;
                }
            }
        } catch (InterruptedException interrupted) {
            return Exit.INTERRUPTED;
        }
    }

    /** What is shown now; an agent that is gone for a while is waited for. */
    private static List<String> lines(RunningAgent agent, int width) {
        try {
            return lines(
                    agent.get(LocalApi.STATUS),
                    agent.get(LocalApi.TOPOLOGY),
                    agent.get(LocalApi.JOBS),
                    agent.get(LocalApi.EVENTS),
                    width,
                    System.currentTimeMillis());
        } catch (HearthException gone) {
            return List.of(String.valueOf(gone.getMessage()), "", "waiting for it; q quits");
        }
    }

    static List<String> lines(
            JsonObject status, JsonObject topology, JsonObject jobs, JsonObject events, int width, long nowMillis) {
        var lines = new ArrayList<>(new StatusText(status, width, nowMillis).lines());
        List<String> trainings = JobText.lines(jobs, nowMillis);
        if (!trainings.isEmpty()) {
            lines.add("");
            lines.addAll(trainings);
        }
        List<String> rates = LinkText.lines(topology, width);
        if (!rates.isEmpty()) {
            lines.add("");
            lines.addAll(rates);
        }
        JsonArray told = events.getAsJsonArray("events");
        if (!told.isEmpty()) {
            lines.add("");
        }
        for (int i = told.size() - 1; i >= Math.max(0, told.size() - EVENTS_SHOWN); i--) {
            JsonObject event = told.get(i).getAsJsonObject();
            Instant at = Instant.ofEpochMilli(event.get("at_ms").getAsLong());
            lines.add(TIME.format(at.atZone(ZoneId.systemDefault())) + "  "
                    + event.get("text").getAsString());
        }
        return lines;
    }
}

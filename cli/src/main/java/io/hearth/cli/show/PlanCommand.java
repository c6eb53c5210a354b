package io.hearth.cli.show;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.agent.api.LocalApi;
import io.hearth.cli.option.Converters;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth plan}: explains what each group would do with a sum of some size. */
@Command(
        name = "plan",
        description =
                "Explain what a group would do with a sum of a size: the algorithm, who sends how much to whom over"
                        + " which path, the predicted time, and why not otherwise. The plan is made from the measurements that"
                        + " this machine's agent knows; without a trainer, for all nodes.")
public final class PlanCommand implements Callable<Integer> {
    /** Plans of the largest groups take a second. */
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final Terminal terminal;

    @Option(
            names = "--size",
            required = true,
            paramLabel = "BYTES",
            converter = Converters.Size.class,
            description = "Size of the sum, such as 4096, 256KiB or 64MiB.")
    private long bytes;

    @Option(names = "--json", description = "Print one line of JSON: schema, self, bytes, in_use, groups[].")
    private boolean json;

    public PlanCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        JsonObject answer = new RunningAgent(terminal, ANSWER_MAX).get(LocalApi.PLAN + "?bytes=" + bytes);
        if (json) {
            terminal.print(answer);
        } else {
            show(answer);
        }
        return Exit.OK;
    }

    void show(JsonObject answer) {
        JsonArray groups = answer.getAsJsonArray("groups");
        for (JsonElement group : groups) {
            new PlanText(group.getAsJsonObject(), answer.get("bytes").getAsLong())
                    .lines()
                    .forEach(terminal.out()::println);
            terminal.out().println();
        }
        terminal.out().println(answer.get("in_use").getAsString());
        if (answer.has("stuck")) {
            terminal.out().println("STUCK: " + answer.get("stuck").getAsString());
        }
    }
}

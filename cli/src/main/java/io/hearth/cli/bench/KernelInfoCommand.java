package io.hearth.cli.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.accel.KernelKind;
import io.hearth.accel.select.EngineSurvey;
import io.hearth.agent.CalibrationFile;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.SetupException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth kernel info}: shows the engines of this machine and the engine that {@code --engine auto} takes. */
@Command(
        name = "info",
        description = {
            "Show the engines of this machine, which of them '--engine auto' takes, and why not the others.",
            "On a Mac with an Apple GPU, Hearth measures the GPU once a month; that takes some seconds."
        })
public final class KernelInfoCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(
            names = "--json",
            description =
                    "Print one line of JSON: schema, chosen, why, vector_bits, engines, metal_from_bytes, failures,"
                            + " last_failure.")
    private boolean json;

    public KernelInfoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws SetupException {
        print(EngineSurvey.here(CalibrationFile.in(terminal.environment())), json, terminal);
        return Exit.OK;
    }

    static void print(EngineSurvey survey, boolean json, Terminal terminal) {
        if (json) {
            terminal.print(toJson(survey));
        } else {
            text(survey).forEach(terminal.out()::println);
        }
    }

    static List<String> text(EngineSurvey survey) {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("engine", "here", "chosen", "why"));
        for (EngineSurvey.EngineState place : survey.engines()) {
            rows.add(List.of(place.engine().label(), yes(place.exists()), yes(place.chosen()), place.why()));
        }
        var lines = new ArrayList<>(Table.lines(rows));
        lines.add("");
        survey.vectorBits().ifPresent(bits -> lines.add("vectors of " + bits + " bits"));
        metalFrom(survey)
                .forEach((kernel, bytes) -> lines.add("metal does " + kernel + " from " + bytes + " bytes on"));
        survey.failures().forEach((fault, count) -> lines.add("failures of metal: " + count + " x " + fault.text()));
        if (survey.failures().isEmpty() && survey.lastFailure().isEmpty()) {
            lines.add("no failures");
        }
        survey.lastFailure().ifPresent(line -> lines.add("last failure of metal since it was measured: " + line));
        return lines;
    }

    private static String yes(boolean is) {
        return is ? "yes" : "no";
    }

    /** The smallest size in bytes that Metal takes, by the name of the kernel. */
    private static Map<String, Long> metalFrom(EngineSurvey survey) {
        var from = new TreeMap<String, Long>();
        survey.choice().division().metalFrom().forEach((KernelKind kind, Long bytes) -> from.put(kind.text(), bytes));
        return from;
    }

    static JsonObject toJson(EngineSurvey survey) {
        var data = new JsonObject();
        data.addProperty("schema", 1);
        data.addProperty("chosen", survey.choice().engine().label());
        data.addProperty("why", survey.choice().why());
        survey.vectorBits().ifPresent(bits -> data.addProperty("vector_bits", bits));
        var engines = new JsonArray();
        for (EngineSurvey.EngineState place : survey.engines()) {
            var engine = new JsonObject();
            engine.addProperty("engine", place.engine().label());
            engine.addProperty("exists", place.exists());
            engine.addProperty("chosen", place.chosen());
            engine.addProperty("why", place.why());
            engines.add(engine);
        }
        data.add("engines", engines);
        var from = new JsonObject();
        metalFrom(survey).forEach(from::addProperty);
        data.add("metal_from_bytes", from);
        var failures = new JsonObject();
        survey.failures().forEach((fault, count) -> failures.addProperty(fault.name(), count));
        data.add("failures", failures);
        survey.lastFailure().ifPresent(line -> data.addProperty("last_failure", line));
        return data;
    }
}

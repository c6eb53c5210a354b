package io.hearth.cli.show;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.agent.settings.Setting;
import io.hearth.agent.settings.Settings;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.SetupException;
import io.hearth.identity.ConfigFile;
import io.hearth.identity.HearthHome;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth config}: the settings of this machine and where each comes from. */
@Command(
        name = "config",
        description = {
            "Show the settings of this machine's nodes, and where each comes from.",
            "An option of a command is over an environment variable, which is over config.toml in the home folder, which is"
                    + " over the default."
        })
public final class ConfigCommand implements Callable<Integer> {
    private static final String DEFAULT = "default";

    private final Terminal terminal;

    @Option(names = "--json", description = "Print one line of JSON: schema, home, file, settings[].")
    private boolean json;

    public ConfigCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws SetupException {
        HearthHome home = HearthHome.open(terminal.environment());
        ConfigFile file = ConfigFile.in(home);
        Settings settings = Settings.read(home, terminal.environment());
        if (json) {
            terminal.print(json(home, file, settings));
            return Exit.OK;
        }
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("SETTING", "VALUE", "FROM", "VARIABLE", "OPTION"));
        for (Setting setting : Setting.values()) {
            rows.add(List.of(
                    setting.key(),
                    text(setting, settings),
                    from(setting, settings),
                    setting.variable(),
                    setting.flag()));
        }
        Table.lines(rows, terminal.columns().orElse(Integer.MAX_VALUE), List.of(4, 3))
                .forEach(terminal.out()::println);
        terminal.out().println();
        terminal.out().println("home " + home);
        terminal.out()
                .println("file " + file.path()
                        + (Files.exists(file.path())
                                ? ""
                                : " (not there; write into it, for example: health = \"wifi\")"));
        return Exit.OK;
    }

    private static String text(Setting setting, Settings settings) {
        return settings.chosen(setting)
                .map(chosen -> String.join(", ", chosen.values()))
                .orElse(setting.byDefault());
    }

    private static String from(Setting setting, Settings settings) {
        return settings.chosen(setting).map(Settings.Chosen::from).orElse(DEFAULT);
    }

    private static JsonObject json(HearthHome home, ConfigFile file, Settings settings) {
        var data = new JsonObject();
        data.addProperty("schema", 1);
        data.addProperty("home", home.toString());
        data.addProperty("file", file.path().toString());
        var all = new JsonArray();
        for (Setting setting : Setting.values()) {
            var one = new JsonObject();
            one.addProperty("key", setting.key());
            Optional<Settings.Chosen> chosen = settings.chosen(setting);
            var values = new JsonArray();
            chosen.ifPresent(found -> found.values().forEach(values::add));
            one.add("values", values);
            one.addProperty("default", setting.byDefault());
            one.addProperty("from", from(setting, settings));
            one.addProperty("variable", setting.variable());
            if (!setting.flag().isEmpty()) {
                one.addProperty("option", setting.flag());
            }
            all.add(one);
        }
        data.add("settings", all);
        return data;
    }
}

package io.hearth.agent.settings;

import io.hearth.core.SetupException;
import io.hearth.identity.ConfigFile;
import io.hearth.identity.HearthHome;
import io.hearth.identity.Labels;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The settings of a machine: the environment over {@code config.toml} over the defaults. What a program or a command line sets is over all
 * of them.
 */
public final class Settings {
    private final Map<Setting, Chosen> chosen;

    /**
     * A value and where it comes from.
     *
     * @param values at least one, well-formed
     * @param from an environment variable or the path of a file
     */
    public record Chosen(List<String> values, String from) {
        public Chosen {
            values = List.copyOf(values);
        }
    }

    private Settings(Map<Setting, Chosen> chosen) {
        this.chosen = chosen;
    }

    /**
     * Reads the settings of a home.
     *
     * @param environment as {@link System#getenv()}
     * @throws SetupException if the file or a value is wrong; its text says where and what it must be
     */
    public static Settings read(HearthHome home, Map<String, String> environment) throws SetupException {
        ConfigFile file = ConfigFile.in(home);
        Map<String, List<String>> written =
                file.read(Arrays.stream(Setting.values()).collect(Collectors.toMap(Setting::key, Setting::kind)));
        var chosen = new EnumMap<Setting, Chosen>(Setting.class);
        for (Setting setting : Setting.values()) {
            String variable = environment.getOrDefault(setting.variable(), "");
            List<String> fileValues = written.getOrDefault(setting.key(), List.of());
            try {
                fileValues.forEach(setting::check); // a mistake is told also where a variable hides it
            } catch (IllegalArgumentException wrong) {
                throw file.notUsable(setting.key() + ": " + Labels.clean(String.valueOf(wrong.getMessage()), 200));
            }
            List<String> values = variable.isBlank() ? List.of() : setting.split(variable);
            try {
                values.forEach(setting::check);
            } catch (IllegalArgumentException wrong) {
                throw new SetupException(
                        setting.variable() + ": " + Labels.clean(String.valueOf(wrong.getMessage()), 200)
                                + "; correct the environment variable, or unset it",
                        wrong);
            }
            if (!values.isEmpty()) {
                chosen.put(setting, new Chosen(values, setting.variable()));
            } else if (!fileValues.isEmpty()) {
                chosen.put(setting, new Chosen(fileValues, file.path().toString()));
            }
        }
        return new Settings(chosen);
    }

    /** The value that is set; empty where the default applies. */
    public Optional<Chosen> chosen(Setting setting) {
        return Optional.ofNullable(chosen.get(setting));
    }

    /** The one value that is set; for settings that are no lists. */
    public Optional<String> value(Setting setting) {
        return chosen(setting).map(found -> found.values().getFirst());
    }

    /** The values that are set; empty where the default applies. */
    public List<String> values(Setting setting) {
        return chosen(setting).map(Chosen::values).orElse(List.of());
    }
}

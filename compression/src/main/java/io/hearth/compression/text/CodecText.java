package io.hearth.compression.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The text form of a codec and its settings: {@code name[:main][,key=value]…}, keys in any order. One table per codec reads, writes and
 * explains it.
 *
 * @param name of the codec
 * @param main the setting that may follow the name without its key; empty for none
 * @param others all further settings, in the order in which they are written
 * @param make makes a strategy of the settings; an IllegalArgumentException for a value that is out of range
 * @param take gives the settings of a strategy that {@code make} made
 */
public record CodecText<S>(
        String name,
        Optional<Setting<?>> main,
        List<Setting<?>> others,
        Function<Values, S> make,
        Function<S, Values> take) {

    /** Reads the text after the name, with its colon or comma. */
    public S read(String rest) {
        var values = new Values();
        int comma = rest.indexOf(',');
        String first = comma < 0 ? rest : rest.substring(0, comma);
        if (!first.isEmpty()) {
            put(
                    values,
                    main.orElseThrow(
                            () -> new IllegalArgumentException(name + " takes no value after a colon" + keys())),
                    first.substring(1));
        }
        for (String pair : comma < 0 ? new String[0] : rest.substring(comma + 1).split(",", -1)) {
            int equals = pair.indexOf('=');
            String key = equals < 0 ? pair : pair.substring(0, equals);
            Setting<?> setting = settings().stream()
                    .filter(each -> each.key().equals(key))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(name + " has no option " + quoted(key) + keys()));
            if (equals < 0) {
                throw new IllegalArgumentException(key + " of " + name + " needs a value: " + setting.help());
            }
            if (values.has(setting)) {
                throw new IllegalArgumentException(key + " of " + name + " is given twice; leave one out");
            }
            put(values, setting, pair.substring(equals + 1));
        }
        return make.apply(values);
    }

    private static String quoted(String text) {
        return "'" + text + "'";
    }

    private String keys() {
        String keys = settings().stream().map(Setting::key).collect(Collectors.joining(", "));
        return keys.isEmpty() ? "; it has none" : "; it has " + keys;
    }

    private <T> void put(Values values, Setting<T> setting, String text) {
        try {
            values.with(setting, setting.read().apply(text));
        } catch (IllegalArgumentException none) {
            throw new IllegalArgumentException(
                    setting.key() + " of " + name + " must be " + setting.values() + ", got " + quoted(text)
                            + "; a usual choice is " + setting.write().apply(setting.usual()),
                    none);
        }
    }

    private List<Setting<?>> settings() {
        var all = new ArrayList<Setting<?>>();
        main.ifPresent(all::add);
        all.addAll(others);
        return all;
    }

    /**
     * The text that {@link #read} reads, with the name before it: the main setting always, others where they differ from the usual value.
     */
    public String write(S strategy) {
        Values values = take.apply(strategy);
        var text = new StringBuilder(name);
        main.ifPresent(setting -> text.append(':').append(written(setting, values)));
        for (Setting<?> setting : others) {
            if (!values.get(setting).equals(setting.usual())) {
                text.append(',').append(setting.key()).append('=').append(written(setting, values));
            }
        }
        return text.toString();
    }

    private static <T> String written(Setting<T> setting, Values values) {
        return setting.write().apply(values.get(setting));
    }

    /** The name and its main setting, as {@code int8[:BLOCK]}. */
    public String form() {
        return name
                + main.map(setting -> "[:" + setting.key().toUpperCase(Locale.ROOT) + "]")
                        .orElse("");
    }

    /** For people: the form, and below it the usual and the possible values of each setting. */
    public List<String> help() {
        var lines = new ArrayList<>(List.of(form()));
        settings().forEach(setting -> lines.add("  " + setting.help()));
        return lines;
    }
}

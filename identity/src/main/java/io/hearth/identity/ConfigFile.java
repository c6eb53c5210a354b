package io.hearth.identity;

import io.hearth.core.SetupException;
import io.hearth.core.Spelling;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseResult;

/**
 * The file {@code config.toml} of a {@link HearthHome}: settings of all nodes of this machine, written by people. It holds no secrets, so
 * it may be a link to a file that others can read, such as a mounted one.
 *
 * <pre>
 * peers = ["nas.example.org", "srv:_hearth._tcp.example.org"]
 * health = "wifi"
 * port = 52500
 * </pre>
 */
public final class ConfigFile {
    private static final int BYTES_MAX = 16 * 1024;

    /** The form of a key's value. */
    public enum Kind {
        TEXT("a text, such as \"wifi\""),
        NUMBER("a whole number"),
        TEXTS("a list of texts, such as [\"en0\"]");

        private final String form;

        Kind(String form) {
            this.form = form;
        }
    }

    private final Path file;

    private ConfigFile(Path file) {
        this.file = file;
    }

    public static ConfigFile in(HearthHome home) {
        return new ConfigFile(home.file("config.toml"));
    }

    /**
     * The values of the keys that the file has, as texts. Empty without the file.
     *
     * @param known all keys that it may have
     * @return for each key that it has, one text, or those of its list
     * @throws SetupException if the file cannot be read, is not TOML, has another key, or a value of another kind
     */
    public SortedMap<String, List<String>> read(Map<String, Kind> known) throws SetupException {
        TomlParseResult toml = parse();
        SortedSet<String> names = new TreeSet<>(known.keySet());
        var values = new TreeMap<String, List<String>>();
        for (String key : new TreeSet<>(toml.keySet())) {
            Kind kind = known.get(key);
            if (kind == null) {
                String clean = Labels.clean(key);
                throw notUsable("there is no setting '" + clean + "'; did you mean '"
                        + names.stream().min(Spelling.byNearness(clean)).orElseThrow() + "'? The settings are "
                        + String.join(", ", names));
            }
            values.put(key, values(toml, key, kind));
        }
        return values;
    }

    private List<String> values(TomlParseResult toml, String key, Kind kind) throws SetupException {
        Object value = toml.get(List.of(key));
        return switch (kind) {
            case TEXT -> List.of(value instanceof String text ? text : wrong(key, kind, ""));
            case NUMBER -> List.of(value instanceof Long number ? number.toString() : wrong(key, kind, ""));
            case TEXTS -> {
                if (!(value instanceof TomlArray list)) {
                    throw notUsable(key + " must be " + kind.form + ", got another value");
                }
                var texts = new ArrayList<String>();
                for (int i = 0; i < list.size(); i++) {
                    texts.add(list.get(i) instanceof String text ? text : wrong(key, kind, " at place " + (i + 1)));
                }
                yield texts;
            }
        };
    }

    private String wrong(String key, Kind kind, String place) throws SetupException {
        throw notUsable(key + " must be " + kind.form + ", got another value" + place);
    }

    /** The path of the file. */
    public Path path() {
        return file;
    }

    private TomlParseResult parse() throws SetupException {
        String content = content();
        if (NamespaceFile.nesting(content) > NamespaceFile.NESTING_MAX) {
            throw notUsable("its brackets are nested deeper than " + NamespaceFile.NESTING_MAX);
        }
        TomlParseResult toml = Toml.parse(content);
        if (toml.hasErrors()) {
            throw notUsable(
                    "it is not well-formed TOML at " + toml.errors().getFirst().position());
        }
        return toml;
    }

    private String content() throws SetupException {
        try (var in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(BYTES_MAX + 1);
            if (content.length > BYTES_MAX) {
                throw notUsable("it is larger than " + BYTES_MAX + " bytes");
            }
            return new String(content, StandardCharsets.UTF_8);
        } catch (NoSuchFileException absent) {
            return "";
        } catch (IOException broken) {
            throw new SetupException(
                    "cannot read " + file + ": " + OwnFile.cause(broken)
                            + "; make it readable for you, or move it away",
                    broken);
        }
    }

    /** The failure of a command that needs the file: why it cannot be used. */
    public SetupException notUsable(String why) {
        return new SetupException("cannot use " + file + ": " + why + "; correct it in an editor");
    }
}

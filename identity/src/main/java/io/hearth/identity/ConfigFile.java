package io.hearth.identity;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
 * </pre>
 */
public final class ConfigFile {
    private static final int BYTES_MAX = 16 * 1024;
    private static final String PEERS = "peers";
    private static final String HEALTH = "health";
    private static final Set<String> KEYS = new TreeSet<>(List.of(HEALTH, PEERS));

    private final Path file;

    private ConfigFile(Path file) {
        this.file = file;
    }

    public static ConfigFile in(HearthHome home) {
        return new ConfigFile(home.file("config.toml"));
    }

    /**
     * The named peers, as written. Empty without the file or the key.
     *
     * @throws SetupException if the file cannot be read, is not TOML, has another key, or has other values than texts
     */
    public List<String> peers() throws SetupException {
        TomlParseResult toml = parse();
        if (!toml.contains(PEERS)) {
            return List.of();
        }
        if (!toml.isArray(PEERS)) {
            throw notUsable(PEERS + " must be a list of texts, got another value");
        }
        TomlArray listed = toml.getArrayOrEmpty(PEERS);
        var peers = new ArrayList<String>();
        for (int i = 0; i < listed.size(); i++) {
            if (!(listed.get(i) instanceof String peer)) {
                throw notUsable(PEERS + " must be a list of texts, got another value at place " + (i + 1));
            }
            peers.add(peer);
        }
        return peers;
    }

    /**
     * The name of the failure detector's spans, as written. Empty without the file or the key.
     *
     * @throws SetupException as for {@link #peers()}
     */
    public Optional<String> health() throws SetupException {
        TomlParseResult toml = parse();
        if (!toml.contains(HEALTH)) {
            return Optional.empty();
        }
        if (!toml.isString(HEALTH)) {
            throw notUsable(HEALTH + " must be a text, got another value");
        }
        return Optional.ofNullable(toml.getString(HEALTH)).map(Labels::clean);
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
        Set<String> unknown = new TreeSet<>(toml.keySet());
        unknown.removeAll(KEYS);
        if (!unknown.isEmpty()) {
            throw notUsable("its keys must be of " + String.join(", ", KEYS) + "; got "
                    + Labels.clean(String.join(", ", unknown)));
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

    private SetupException notUsable(String why) {
        return new SetupException("cannot use " + file + ": " + why
                + "; write it like peers = [\"HOST:PORT\", \"dns:NAME\"] or health = \"wifi\"");
    }
}

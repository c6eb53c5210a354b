package io.hearth.identity;

import io.hearth.core.SetupException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;

/**
 * The file {@code namespace.toml} of a {@link HearthHome}: the secrets of this machine's namespaces, one table for each.
 *
 * <pre>
 * [home]
 * secret = "hearth1-…"
 * </pre>
 *
 * <p>People may edit it. Hearth keeps other keys. No exception of this class repeats any part of a secret.
 */
public final class NamespaceFile {
    /** Room for about a hundred namespaces. */
    private static final int BYTES_MAX = 16 * 1024;

    /** Deepest nesting of brackets in a file of this kind. */
    static final int NESTING_MAX = 32;

    private static final String HEAD = """
            # The namespaces of this machine. Every holder of a secret is a member: never show this file.
            """;
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

    private final Path file;
    private final Path lock;

    private NamespaceFile(Path file, Path lock) {
        this.file = file;
        this.lock = lock;
    }

    public static NamespaceFile in(HearthHome home) {
        return new NamespaceFile(home.file("namespace.toml"), home.file("namespace.lock"));
    }

    /**
     * The names of the stored namespaces, in order.
     *
     * @throws SetupException if the file is readable by others, another user's or not TOML; names the remedy
     */
    public List<String> names() throws SetupException {
        return parse(content()).keySet().stream().sorted().toList();
    }

    /**
     * The stored namespace of that name.
     *
     * @throws SetupException as {@link #names}, or if its table has no secret
     */
    public Optional<NetworkNamespace> find(String name) throws SetupException {
        return find(name, parse(content()));
    }

    /**
     * Stores a namespace, unless it is stored already.
     *
     * @param namespace a closed one
     * @return whether it is new in this file
     * @throws SetupException as {@link #find}, or if another secret of that name is stored; it is never overwritten
     */
    public boolean add(NetworkNamespace namespace) throws SetupException {
        String secret = SecretText.of(namespace);
        try (LockFile _ = LockFile.lock(lock, LOCK_TIMEOUT)) {
            String content = content();
            Optional<NetworkNamespace> stored = find(namespace.name(), parse(content));
            if (stored.isPresent()) {
                if (!stored.get().equals(namespace)) {
                    throw new SetupException(
                            "namespace " + namespace.name() + " has another secret on this machine already (key id "
                                    + stored.get().keyId() + ", not " + namespace.keyId()
                                    + "): it is not overwritten; to give it"
                                    + " up, remove the table [" + namespace.name() + "] from " + file);
                }
                return false;
            }
            String start = content.isEmpty() || content.endsWith("\n") ? content : content + "\n";
            String added =
                    (start.isEmpty() ? HEAD : start) + "\n[" + namespace.name() + "]\nsecret = \"" + secret + "\"\n";
            byte[] bytes = added.getBytes(StandardCharsets.UTF_8);
            if (bytes.length > BYTES_MAX) {
                throw new SetupException("cannot add namespace " + namespace.name() + ": " + file
                        + " would be larger than " + BYTES_MAX + " bytes; remove namespaces that are no longer used");
            }
            OwnFile.replace(file, bytes);
            return true;
        }
    }

    /**
     * Replaces the stored secret by one of a newer generation. Does nothing if no secret is stored, or none that is older.
     *
     * @throws SetupException as {@link #find}, or if the line of the secret is not in the usual form
     */
    public void renew(NetworkNamespace namespace) throws SetupException {
        Optional<NetworkNamespace> stored = find(namespace.name());
        if (stored.isPresent() && stored.get().generation() < namespace.generation()) {
            put(namespace);
        }
    }

    /**
     * Checks that {@link #renew} could store that namespace.
     *
     * @throws SetupException as {@link #renew}
     */
    public void requireRenewable(NetworkNamespace namespace) throws SetupException {
        String content = content();
        TomlParseResult toml = parse(content);
        if (find(namespace.name(), toml).isPresent()) {
            var _ = secretAt(namespace.name(), toml, content);
        }
    }

    /** Index at which the secret of that table begins. */
    private int secretAt(String name, TomlParseResult toml, String content) throws SetupException {
        String written = String.valueOf(toml.getString(List.of(name, "secret")));
        int at = Math.max(content.indexOf("\"" + written + "\""), content.indexOf("'" + written + "'"));
        if (at < 0) {
            throw notUsable("the secret of [" + name + "] is not on one line in quotes");
        }
        return at + 1;
    }

    /**
     * Stores a namespace in place of any stored secret of that name, after a person paired this machine or it received a new secret.
     *
     * @throws SetupException as {@link #renew}
     */
    public void put(NetworkNamespace namespace) throws SetupException {
        if (find(namespace.name()).isEmpty()) {
            var _ = add(namespace);
            return;
        }
        try (LockFile _ = LockFile.lock(lock, LOCK_TIMEOUT)) {
            String content = content();
            TomlParseResult toml = parse(content);
            String written = String.valueOf(toml.getString(List.of(namespace.name(), "secret")));
            int at = secretAt(namespace.name(), toml, content);
            String changed =
                    content.substring(0, at) + SecretText.of(namespace) + content.substring(at + written.length());
            OwnFile.replace(file, changed.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * Whether the table of that namespace says {@code closed = true}: only machines on the roster are admitted.
     *
     * @throws SetupException as {@link #find}, or if the value is neither true nor false
     */
    public boolean isClosed(String name) throws SetupException {
        TomlParseResult toml = parse(content());
        List<String> key = List.of(name, "closed");
        if (!toml.contains(key)) {
            return false;
        }
        if (!toml.isBoolean(key)) {
            throw notUsable("closed in its table [" + name + "] is neither true nor false");
        }
        return Boolean.TRUE.equals(toml.getBoolean(key));
    }

    /** The path of the file. */
    public Path path() {
        return file;
    }

    private String content() throws SetupException {
        return OwnFile.read(file, BYTES_MAX)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .orElse("");
    }

    private TomlParseResult parse(String content) throws SetupException {
        if (nesting(content) > NESTING_MAX) {
            throw notUsable("its brackets are nested deeper than " + NESTING_MAX);
        }
        TomlParseResult toml = Toml.parse(content);
        if (toml.hasErrors()) {
            // the parser's own message may repeat a part of a secret
            throw notUsable(
                    "it is not well-formed TOML at " + toml.errors().getFirst().position());
        }
        return toml;
    }

    /** The depth of open brackets, even in strings and comments: the parser is recursive, so the depth must be bounded. */
    static int nesting(String content) {
        int deepest = 0;
        int open = 0;
        for (int i = 0; i < content.length(); i++) {
            switch (content.charAt(i)) {
                case '[', '{' -> deepest = Math.max(deepest, ++open);
                case ']', '}' -> open = Math.max(0, open - 1);
                default -> {}
            }
        }
        return deepest;
    }

    private SetupException notUsable(String why) {
        return new SetupException("cannot use " + file + ": " + why
                + "; write each namespace as [name] and, on the next line, secret = \"hearth1-…\"");
    }

    private Optional<NetworkNamespace> find(String name, TomlParseResult toml) throws SetupException {
        List<String> table = List.of(name);
        if (!toml.contains(table)) {
            return Optional.empty();
        }
        List<String> secret = List.of(name, "secret");
        if (!toml.isTable(table) || !toml.isString(secret)) {
            throw notUsable("its table [" + name + "] has no secret");
        }
        return Optional.of(
                SecretText.parse(name, String.valueOf(toml.getString(secret)), "table [" + name + "] of " + file));
    }
}

package io.hearth.identity;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the secret of a node's namespace.
 *
 * <p>The secret comes from {@code HEARTH_SECRET} or from the file that {@code HEARTH_SECRET_FILE} names, which scripts and containers use,
 * else from the {@link NamespaceFile}. It never comes from a command line, which other users of the machine can read. Without a secret
 * there is no namespace: a node never falls back to an open one.
 */
public final class NamespaceLookup {
    private final NamespaceFile file;
    private final String secret;
    private final String secretFile;

    /** @param environment as {@link System#getenv()} */
    public NamespaceLookup(HearthHome home, Map<String, String> environment) {
        this.file = NamespaceFile.in(home);
        this.secret = environment.getOrDefault("HEARTH_SECRET", "");
        this.secretFile = environment.getOrDefault("HEARTH_SECRET_FILE", "");
    }

    /**
     * The namespace of that name.
     *
     * @throws SetupException if there is no secret for it, or an invalid one; names the remedy
     */
    public NetworkNamespace named(String name) throws SetupException {
        if (!NetworkNamespace.isName(name)) {
            throw new SetupException(
                    "'" + Labels.clean(name)
                            + "' is not a name of a namespace: its characters or its length are not allowed; use 1 to 63 of a-z, 0-9 and '-'");
        }
        if (!secret.isEmpty() && !secretFile.isEmpty()) {
            throw new SetupException(
                    "both HEARTH_SECRET and HEARTH_SECRET_FILE are set: only one is allowed; unset the other");
        }
        if (!secret.isEmpty()) {
            return SecretText.parse(name, secret, "HEARTH_SECRET");
        }
        return secretFile.isEmpty() ? stored(name) : fromFile(name);
    }

    /**
     * The namespace of a node without a configured one: the only one in this home, else {@value NetworkNamespace#DEFAULT_NAME}.
     *
     * @throws SetupException as {@link #named}
     */
    public NetworkNamespace preferred() throws SetupException {
        List<String> names = isGiven() ? List.of() : file.names();
        return named(names.size() == 1 ? names.getFirst() : NetworkNamespace.DEFAULT_NAME);
    }

    /**
     * The namespace of that name, or the {@link #preferred} one if the name is empty.
     *
     * @throws SetupException as {@link #named}
     */
    public NetworkNamespace namedOrPreferred(String name) throws SetupException {
        return name.isEmpty() ? preferred() : named(name);
    }

    /** Whether the secret comes from the environment, so that the file of this home is ignored. */
    public boolean isGiven() {
        return !secret.isEmpty() || !secretFile.isEmpty();
    }

    /** A warning for people about the source of the secret, in one line; call it after a secret was found. */
    public Optional<String> warning() {
        return secretFile.isEmpty()
                ? Optional.empty()
                : SecretFile.warning(Path.of(secretFile), "the file that HEARTH_SECRET_FILE names");
    }

    private NetworkNamespace fromFile(String name) throws SetupException {
        try {
            return SecretFile.read(name, Path.of(secretFile), "HEARTH_SECRET_FILE");
        } catch (IOException | InvalidPathException broken) {
            throw new SetupException(
                    "cannot read the file that HEARTH_SECRET_FILE names: " + OwnFile.cause(broken)
                            + "; name a file that holds what 'hearth secret show " + name + "' prints",
                    broken);
        }
    }

    private NetworkNamespace stored(String name) throws SetupException {
        var found = file.find(name);
        if (found.isPresent()) {
            return found.get();
        }
        List<String> others = file.names();
        throw new SetupException("no secret for namespace " + name + " on this machine"
                + (others.isEmpty() ? "" : " (only for " + String.join(", ", others) + "; choose one with --namespace)")
                + ": nodes meet only if they hold the same; make one here with 'hearth init " + name
                + "', or pair with a machine that has it: 'hearth pair' there, 'hearth join CODE' here (in scripts:"
                + " 'hearth secret show " + name + "' there, 'hearth init " + name + " --secret-file -' here)");
    }
}

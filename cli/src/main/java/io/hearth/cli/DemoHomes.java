package io.hearth.cli;

import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.IntStream;

/** Throw-away homes for the demo's nodes: an identity each, one namespace and secret for all. */
final class DemoHomes {
    static final String NAMESPACE = "demo";

    private DemoHomes() {}

    /** A folder in the temporary folder, only for this user, that holds the homes. */
    static Path create(int nodes) throws SetupException {
        try {
            var onlyMe = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
            Path folder = Files.createTempDirectory("hearth-demo-", onlyMe);
            NetworkNamespace namespace = NetworkNamespace.create(NAMESPACE);
            for (Path home : in(folder, nodes)) {
                prepare(home, namespace);
            }
            return folder;
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot make a folder for the demo in " + System.getProperty("java.io.tmpdir") + ": "
                            + failed.getMessage() + "; set TMPDIR to a folder of yours with some room",
                    failed);
        }
    }

    /** Makes a home with an identity of its own that knows {@code namespace}. */
    static void prepare(Path home, NetworkNamespace namespace) throws SetupException {
        HearthHome made = HearthHome.open(home);
        NamespaceFile.in(made).add(namespace);
        IdentityFile.in(made).loadOrCreate();
    }

    static List<Path> in(Path folder, int nodes) {
        return IntStream.rangeClosed(1, nodes)
                .mapToObj(node -> folder.resolve("node-" + node))
                .toList();
    }
}

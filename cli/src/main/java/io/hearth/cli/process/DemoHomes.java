package io.hearth.cli.process;

import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Temporary homes for the nodes of a demo: each has its own identity, and all have the same namespace and secret. */
public final class DemoHomes {
    public static final String NAMESPACE = "demo";

    private DemoHomes() {}

    /** Makes the homes in an existing folder. */
    public static List<Path> create(Path folder, int nodes) throws SetupException {
        NetworkNamespace namespace = NetworkNamespace.create(NAMESPACE);
        List<Path> homes = IntStream.rangeClosed(1, nodes)
                .mapToObj(node -> folder.resolve("node-" + node))
                .toList();
        for (Path home : homes) {
            prepare(home, namespace);
        }
        return homes;
    }

    /** Makes a home with an identity of its own that knows {@code namespace}. */
    public static void prepare(Path home, NetworkNamespace namespace) throws SetupException {
        HearthHome made = HearthHome.open(home);
        NamespaceFile.in(made).add(namespace);
        IdentityFile.in(made).loadOrCreate();
    }
}

package io.hearth.cli.process;

import io.hearth.core.SetupException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The source tree that this program was built in, if it still lies in it. */
public final class SourceTree {
    private SourceTree() {}

    /**
     * Something in it.
     *
     * @param path below its root
     * @param isIt tells the right thing from another of that name
     * @throws SetupException this program cannot tell where it lies
     */
    public static Optional<Path> find(Path path, Predicate<Path> isIt) throws SetupException {
        for (@Nullable Path folder = program(); folder != null; folder = folder.getParent()) {
            Path found = folder.resolve(path);
            if (isIt.test(found)) {
                return Optional.of(found);
            }
        }
        return Optional.empty();
    }

    /** The folder of classes or the jar that this class comes from. */
    static Path program() throws SetupException {
        try {
            return Path.of(SourceTree.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException odd) {
            throw new SetupException("cannot tell where this program lies: " + odd.getMessage(), odd);
        }
    }
}

package io.hearth.cli.process;

import io.hearth.core.SetupException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The source tree that this program was built in, if the program is still there. */
public final class SourceTree {
    private SourceTree() {}

    /**
     * Finds a file or folder in the source tree.
     *
     * @param path relative to the root of the tree
     * @param isIt whether a path of that name is the right one
     * @throws SetupException the path of this program is unknown
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

    /** The jar or the folder of classes that holds this class. */
    static Path program() throws SetupException {
        try {
            return Path.of(SourceTree.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException odd) {
            throw new SetupException("cannot find the path of this program: " + odd.getMessage(), odd);
        }
    }
}

package io.hearth.identity;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;

/** A file with the text of one secret, made by a person or a container platform. */
public final class SecretFile {
    private static final Set<PosixFilePermission> OTHERS_READ =
            Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    private SecretFile() {}

    /**
     * Reads the file; follows symbolic links, because container platforms make them.
     *
     * @param source name of the file in messages
     * @throws SetupException as {@link SecretText#read}
     * @throws IOException if it cannot be opened
     */
    public static NetworkNamespace read(String name, Path file, String source) throws SetupException, IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return SecretText.read(name, in, source);
        }
    }

    /**
     * A warning in one line if other users may read the file; empty if not, or if files have no such permissions.
     *
     * @param source as for {@link #read}
     */
    public static Optional<String> warning(Path file, String source) {
        try {
            return Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS_READ::contains)
                    ? Optional.of("other users may read the secret in " + source + ": run chmod 600 '" + file
                            + "', or have your container platform mount it with mode 0400")
                    : Optional.empty();
        } catch (IOException | UnsupportedOperationException unknown) {
            return Optional.empty();
        }
    }
}

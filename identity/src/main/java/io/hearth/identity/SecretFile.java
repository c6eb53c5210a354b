package io.hearth.identity;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;

/** A file that a person or a container platform made, which holds one secret's text. */
public final class SecretFile {
    private static final Set<PosixFilePermission> OTHERS_READ =
            Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    private SecretFile() {}

    /**
     * Reads it; symbolic links are followed, because container platforms make them.
     *
     * @param source what to call the file in messages
     * @throws SetupException as {@link SecretText#read}
     * @throws IOException it cannot be opened
     */
    public static NetworkNamespace read(String name, Path file, String source) throws SetupException, IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return SecretText.read(name, in, source);
        }
    }

    /**
     * A warning in one line if other users may read the file; empty if not, and where files have no such permissions.
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

package io.hearth.identity;

import io.hearth.core.SetupException;
import java.nio.charset.Charset;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The folder with the persistent files of a user's Hearth: {@code $HEARTH_HOME}, else {@code ~/.hearth}.
 *
 * <p>A real folder of this user that no other user may enter. Hearth checks that before it reads anything in the folder, so other users
 * cannot reach its files.
 */
public final class HearthHome {
    /** A unix socket's path in bytes, without the final 0: macOS has room for 104, Linux for 108. */
    private static final int SOCKET_PATH_BYTES_MAX = 103;

    private final Path folder;

    private HearthHome(Path folder) {
        this.folder = folder;
    }

    /**
     * Finds the folder that {@code environment} names, and creates it if there is none.
     *
     * @param environment as {@link System#getenv()}: {@code HEARTH_HOME} and {@code HOME} are read
     * @throws SetupException if it cannot be created, is not a real folder, belongs to another user or can be entered by others
     */
    public static HearthHome open(Map<String, String> environment) throws SetupException {
        return open(locate(environment));
    }

    /**
     * As {@link #open(Map)}, at a given place.
     *
     * @throws SetupException as there
     */
    public static HearthHome open(Path folder) throws SetupException {
        Path absolute = folder.toAbsolutePath().normalize();
        OwnFile.createFolder(absolute);
        return new HearthHome(absolute);
    }

    /** The folder: absolute, and checked when this object was made. */
    public Path folder() {
        return folder;
    }

    /** The path of a file in this folder. */
    public Path file(String name) {
        return folder.resolve(name);
    }

    /**
     * A sub-folder of this user alone; created if there is none.
     *
     * @throws SetupException as {@link #open(Map)}
     */
    public Path subfolder(String name) throws SetupException {
        Path subfolder = folder.resolve(name);
        OwnFile.createFolder(subfolder);
        return subfolder;
    }

    /**
     * The path of a unix socket of that name: in the sub-folder {@code run}, which is created if there is none.
     *
     * @throws SetupException as {@link #open(Map)}, or if the path is longer than a socket's may be
     */
    public Path socket(String name) throws SetupException {
        Path socket = folder.resolve("run").resolve(name);
        int bytes = socket.toString().getBytes(Charset.defaultCharset()).length;
        if (bytes > SOCKET_PATH_BYTES_MAX) {
            throw new SetupException("cannot use " + folder + ": the path of the socket in it has " + bytes
                    + " bytes, and the system allows " + SOCKET_PATH_BYTES_MAX
                    + "; set HEARTH_HOME to a folder with a shorter path");
        }
        subfolder("run");
        return socket;
    }

    @Override
    public String toString() {
        return folder.toString();
    }

    private static Path locate(Map<String, String> environment) throws SetupException {
        String named = environment.getOrDefault("HEARTH_HOME", "");
        String user = environment.getOrDefault("HOME", "");
        try {
            return named.isEmpty()
                    ? Path.of(user.isEmpty() ? System.getProperty("user.home") : user, ".hearth")
                    : Path.of(named);
        } catch (InvalidPathException broken) {
            throw new SetupException(
                    "cannot use the folder that HEARTH_HOME or HOME names: it is not a path on this system;"
                            + " set HEARTH_HOME to a folder of your own",
                    broken);
        }
    }
}

package io.hearth.identity;

import com.sun.security.auth.module.UnixSystem;
import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Files and folders that belong to this user alone. They are created so that no other user can read them at any moment, and checked before
 * use. A crash leaves the old content or the new, never a part of it.
 */
final class OwnFile {
    static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    static final FileAttribute<Set<PosixFilePermission>> FOLDER_MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** Every permission of group and others. */
    private static final int FOREIGN_BITS = 0077;

    private OwnFile() {}

    /**
     * The content of a file, or nothing if there is no such file.
     *
     * @throws SetupException if it is not a regular file of this user that no other user can read, is larger than {@code bytesMax}, or
     *     cannot be read
     */
    static Optional<byte[]> read(Path file, int bytesMax) throws SetupException {
        try {
            Map<String, Object> found = attributes(file);
            if (!Boolean.TRUE.equals(found.get("isRegularFile"))) {
                throw new SetupException(file + " is rejected: it is " + kind(found)
                        + " and not a regular file; move it away or put the file itself there");
            }
            checkOwner(file, found);
            if ((mode(found) & FOREIGN_BITS) != 0) {
                throw new SetupException(file + " is rejected: other users can open it (mode " + octal(found)
                        + "); if none of them did, run: chmod 600 '" + file + "'");
            }
            try (var in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
                byte[] content = in.readNBytes(bytesMax + 1);
                if (content.length > bytesMax) {
                    throw new SetupException(file + " is rejected: it is larger than the " + bytesMax
                            + " bytes that such a file may have; move it away");
                }
                return Optional.of(content);
            }
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (IOException broken) {
            throw failed("read", file, broken);
        }
    }

    /** @throws SetupException unless {@code folder} is a real folder of this user that no other user can enter */
    static void checkFolder(Path folder) throws SetupException {
        try {
            Map<String, Object> found = attributes(folder);
            if (!Boolean.TRUE.equals(found.get("isDirectory"))) {
                throw new SetupException(folder + " is rejected: it is " + kind(found)
                        + " and not a real folder; move it away, or set HEARTH_HOME to a folder of your own");
            }
            checkOwner(folder, found);
            if ((mode(found) & FOREIGN_BITS) != 0) {
                throw new SetupException(folder + " is rejected: other users can enter it (mode " + octal(found)
                        + "); run: chmod 700 '" + folder + "'");
            }
        } catch (IOException broken) {
            throw failed("use", folder, broken);
        }
    }

    /** Creates the folder and its missing parents, for this user alone; checks it in any case. */
    static void createFolder(Path folder) throws SetupException {
        try {
            if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectories(folder, FOLDER_MODE);
            }
        } catch (IOException broken) {
            throw failed("create", folder, broken);
        }
        checkFolder(folder);
    }

    /**
     * Creates a new file with link(2). If several threads or processes try, exactly one succeeds, and no reader ever sees a part of the
     * file. It is on disk when this returns.
     *
     * @return false if a file of that name exists already; it is not changed
     */
    static boolean publish(Path file, byte[] content) throws SetupException {
        Path draft;
        try {
            draft = DurableFile.draft(file, content);
        } catch (IOException broken) {
            throw failed("write", file, broken);
        }
        try {
            Files.createLink(file, draft);
            DurableFile.syncFolder(file);
            return true;
        } catch (FileAlreadyExistsException lost) {
            return false;
        } catch (UnsupportedOperationException | IOException broken) {
            throw failed("create", file, broken);
        } finally {
            DurableFile.discard(draft);
        }
    }

    /** As {@link DurableFile#replace}, but with an exception for people. */
    static void replace(Path file, byte[] content) throws SetupException {
        try {
            DurableFile.replace(file, content);
        } catch (IOException broken) {
            throw failed("write", file, broken);
        }
    }

    /** Renames a file to a free name beside it, which holds the reason and the time. */
    static Path setAside(Path file, String why, long epochMillis) throws SetupException {
        Path aside =
                file.resolveSibling(file.getFileName() + "." + why + "-" + epochMillis + "-" + DurableFile.random());
        try {
            Files.move(file, aside, StandardCopyOption.ATOMIC_MOVE);
            DurableFile.syncFolder(file);
            return aside;
        } catch (IOException broken) {
            throw failed("rename", file, broken);
        }
    }

    /** The reason from the operating system, without the path, which the message names anyway. */
    static String cause(Exception broken) {
        return switch (broken) {
            case AccessDeniedException _ -> "permission denied";
            case NoSuchFileException _ -> "no such file";
            case FileSystemException failure when failure.getReason() != null -> failure.getReason();
            default -> String.valueOf(broken.getMessage());
        };
    }

    static SetupException failed(String what, Path path, Exception broken) {
        return new SetupException(
                "cannot " + what + " " + path + ": " + cause(broken)
                        + "; make its folder writable for you, with free space, or set HEARTH_HOME to another",
                broken);
    }

    private static Map<String, Object> attributes(Path path) throws IOException, SetupException {
        try {
            return Files.readAttributes(
                    path, "unix:mode,uid,isRegularFile,isDirectory,isSymbolicLink", LinkOption.NOFOLLOW_LINKS);
        } catch (UnsupportedOperationException | IllegalArgumentException foreign) {
            throw new SetupException(
                    path + " is rejected: its file system has no owners and permissions;"
                            + " set HEARTH_HOME to a folder of a Linux or macOS file system",
                    foreign);
        }
    }

    private static void checkOwner(Path path, Map<String, Object> found) throws SetupException {
        long owner = ((Number) found.getOrDefault("uid", -1)).longValue();
        long self = new UnixSystem().getUid();
        if (owner != self) {
            throw new SetupException(path + " is rejected: it belongs to user " + owner
                    + " and Hearth runs as user " + self
                    + "; run Hearth as its owner, without sudo, or set HEARTH_HOME to a folder of your own");
        }
    }

    private static int mode(Map<String, Object> found) {
        return ((Number) found.getOrDefault("mode", FOREIGN_BITS)).intValue();
    }

    private static String octal(Map<String, Object> found) {
        return "0" + Integer.toOctalString(mode(found) & 0777);
    }

    private static String kind(Map<String, Object> found) {
        if (Boolean.TRUE.equals(found.get("isSymbolicLink"))) {
            return "a symbolic link";
        }
        return Boolean.TRUE.equals(found.get("isDirectory"))
                ? "a folder"
                : Boolean.TRUE.equals(found.get("isRegularFile")) ? "a regular file" : "a special file";
    }
}

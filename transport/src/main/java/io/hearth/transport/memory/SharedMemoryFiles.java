package io.hearth.transport.memory;

import com.sun.security.auth.module.UnixSystem;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of shared-memory streams: the folder of this node's socket, and the folder in which a stream's memory has a name until both
 * ends have mapped it.
 *
 * <p>The memory is in {@code /dev/shm} where that exists (Linux): a file on a disk would be written back to it all the time.
 */
public final class SharedMemoryFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SharedMemoryFiles.class);
    private static final Path MEMORY_FILES = Path.of("/dev/shm");
    private static final Pattern SOCKET = Pattern.compile("data-[0-9a-f]{12}\\.sock");
    private static final Pattern MEMORY = Pattern.compile("hearth-[0-9a-f]{24}\\.ring");

    /** No file that is still in use by a handshake is older. */
    private static final Duration LEFT_AFTER = Duration.ofMinutes(1);

    private final SecureRandom random = new SecureRandom();
    private final Path socket;
    private final List<Path> memoryFolders;

    private SharedMemoryFiles(Path socket, List<Path> memoryFolders) {
        this.socket = socket;
        this.memoryFolders = memoryFolders;
    }

    /** A file in shared memory, and its mapping. */
    public record Made(Path path, SharedMemory memory) {}

    /**
     * Finds the folders, and removes files that dead processes left there.
     *
     * @param home its sub-folder {@code run} is used. Without it, or if its path is too long for a socket, a folder of this user among the
     *     temporary files is used
     * @throws SetupException if neither can be used
     */
    public static SharedMemoryFiles open(Optional<HearthHome> home) throws SetupException {
        byte[] name = new byte[6];
        new SecureRandom().nextBytes(name);
        Path socket = socket(home, "data-" + HexFormat.of().formatHex(name) + ".sock");
        Path run = Optional.ofNullable(socket.getParent()).orElseThrow();
        List<Path> memory = Files.isWritable(MEMORY_FILES) ? List.of(MEMORY_FILES, run) : List.of(run);
        var folder = new SharedMemoryFiles(socket, memory);
        folder.sweep(run);
        return folder;
    }

    private static Path socket(Optional<HearthHome> home, String name) throws SetupException {
        if (home.isPresent()) {
            try {
                return home.get().socket(name);
            } catch (SetupException tooLong) {
                LOG.debug("local streams use a temporary folder: {}", tooLong.getMessage());
            }
        }
        long user = new UnixSystem().getUid(); // the number, because not every user has a name
        Path temporary = Path.of(System.getProperty("java.io.tmpdir", "/tmp"), "hearth-" + user);
        return HearthHome.open(temporary).socket(name);
    }

    /** The path of this node's socket, which does not exist yet. */
    public Path socket() {
        return socket;
    }

    /** Whether a path from a peer is one that a Hearth node would give to a socket. */
    public static boolean isSocketName(Path path) {
        return hasName(path, SOCKET);
    }

    /** Whether a path from a peer is one that a Hearth node would give to memory. */
    public static boolean isMemoryName(Path path) {
        return hasName(path, MEMORY);
    }

    private static boolean hasName(Path path, Pattern pattern) {
        Path name = path.getFileName();
        return path.isAbsolute()
                && name != null
                && pattern.matcher(name.toString()).matches();
    }

    /** Makes memory for one stream. */
    public Made make() throws IOException {
        byte[] name = new byte[12];
        random.nextBytes(name);
        IOException failure = new IOException("there is no folder for shared memory");
        for (Path folder : memoryFolders) {
            Path path = folder.resolve("hearth-" + HexFormat.of().formatHex(name) + ".ring");
            try {
                return new Made(path, SharedMemory.create(path));
            } catch (IOException full) {
                failure = full;
            }
        }
        throw failure;
    }

    private void sweep(Path run) {
        try {
            UserPrincipal self = Files.getOwner(run);
            for (Path folder : memoryFolders) {
                sweep(folder, "hearth-*.ring", self);
            }
            sweep(run, "data-*.sock", self);
        } catch (IOException | RuntimeException unreadable) {
            LOG.debug("what dead processes left was not looked for: {}", unreadable.getMessage());
        }
    }

    private static void sweep(Path folder, String names, UserPrincipal self) throws IOException {
        Instant before = Instant.now().minus(LEFT_AFTER);
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, names)) {
            for (Path path : found) {
                if (isMemoryName(path)
                        ? isLeft(path, self, before)
                        : isLeft(path, self, before) && isUnanswered(path)) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }

    private static boolean isLeft(Path path, UserPrincipal self, Instant before) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS) || !(isMemoryName(path) || isSocketName(path))) {
            return false;
        }
        var file = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return file.owner().equals(self) && file.lastModifiedTime().toInstant().isBefore(before);
    }

    private static boolean isUnanswered(Path socket) {
        try (var _ = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return false;
        } catch (IOException nobodyAnswers) {
            return true;
        }
    }
}

package io.hearth.agent.http;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** The file of a unix socket. */
final class SocketFile {
    private SocketFile() {}

    /**
     * Removes a socket where no process answers.
     *
     * @throws SetupException if a process answers there, or it is a file of another kind; its text says what to do
     */
    static void clearStale(Path path) throws IOException, SetupException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        BasicFileAttributes kind = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!kind.isOther()) {
            throw new SetupException(path + " is not a socket but a "
                    + (kind.isSymbolicLink() ? "symbolic link" : "file") + "; look at it and remove it");
        }
        try (var _ = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            throw new SetupException("an agent of this user already runs (it listens at " + path + "); stop it first");
        } catch (ConnectException nobody) {
            Files.delete(path);
        }
    }
}

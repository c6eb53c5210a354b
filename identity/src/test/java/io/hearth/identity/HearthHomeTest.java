package io.hearth.identity;

import static io.hearth.identity.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.security.auth.module.UnixSystem;
import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HearthHomeTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void aNewHomeIsForThisUserAlone() throws SetupException, IOException {
        HearthHome home = HearthHome.open(folder.resolve("a/b/.hearth"));
        assertEquals("rwx------", mode(home.folder()));
        assertEquals("rwx------", mode(folder.resolve("a")));
        assertEquals("rwx------", mode(home.subfolder("slots")));
        assertEquals(home.folder(), HearthHome.open(home.folder()).folder());
    }

    @Test
    void hearthHomeComesBeforeHome() throws SetupException {
        String own = folder.resolve("own").toString();
        String user = folder.resolve("user").toString();
        assertEquals(
                Path.of(own),
                HearthHome.open(Map.of("HEARTH_HOME", own, "HOME", user)).folder());
        assertEquals(
                Path.of(user, ".hearth"), HearthHome.open(Map.of("HOME", user)).folder());
        assertEquals(
                Path.of(user, ".hearth"),
                HearthHome.open(Map.of("HEARTH_HOME", "", "HOME", user)).folder());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxr-x---", "rwx--x--x", "rwxrwxrwx", "rwx-w----"})
    void aHomeThatOthersCanEnterIsRefused(String mode) throws IOException {
        Path home = Files.createDirectory(folder.resolve("home"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString(mode));
        assertRefused(() -> HearthHome.open(home), "other users can enter it", "chmod 700 '" + home + "'");
        assertEquals(mode, mode(home));
    }

    @Test
    void aSymbolicLinkIsRefused() throws IOException, SetupException {
        Path real = HearthHome.open(folder.resolve("real")).folder();
        Path link = Files.createSymbolicLink(folder.resolve("link"), real);
        assertRefused(() -> HearthHome.open(link), "a symbolic link", "HEARTH_HOME");
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("nowhere"));
        assertRefused(() -> HearthHome.open(dangling), "a symbolic link");
        assertFalse(Files.exists(folder.resolve("nowhere")));
    }

    @Test
    void aFileInTheWayIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "mine");
        assertRefused(() -> HearthHome.open(file), "a regular file and not a real folder");
        assertRefused(() -> HearthHome.open(file.resolve("below")), "cannot");
    }

    @Test
    void aHomeOfSomebodyElseIsRefused() throws IOException, SetupException {
        assumeTrue(new UnixSystem().getUid() == 0, "only root can give a folder away");
        Path home = HearthHome.open(folder.resolve("home")).folder();
        Files.setAttribute(home, "unix:uid", 12345);
        assertRefused(
                () -> HearthHome.open(home), "it belongs to user 12345 and Hearth runs as user 0", "without sudo");
    }

    @Test
    void aPlaceThatCannotBeWrittenIsRefused() {
        assertRefused(() -> HearthHome.open(Path.of("/proc/hearth")), "cannot create /proc/hearth", "set HEARTH_HOME");
    }

    @Test
    void aHomeThatIsNoPathIsRefused() {
        assertRefused(() -> HearthHome.open(Map.of("HEARTH_HOME", "a\0b")), "not a path");
    }

    @Test
    void aSocketsPathFitsOrIsRefused() throws SetupException {
        int room = 103 - "/run/agent.sock".length();
        Path fits = padded(room);
        assertEquals(
                103, HearthHome.open(fits).socket("agent.sock").toString().getBytes(StandardCharsets.UTF_8).length);
        HearthHome tooLong = HearthHome.open(padded(room + 1));
        assertRefused(() -> tooLong.socket("agent.sock"), "104 bytes", "shorter path");
    }

    @Test
    void theSocketsFolderIsCheckedToo() throws SetupException, IOException {
        HearthHome home = HearthHome.open(folder.resolve("h"));
        Files.setPosixFilePermissions(home.subfolder("run"), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertRefused(() -> home.socket("agent.sock"), "chmod 700");
    }

    /** A folder whose whole path has that many bytes. */
    private Path padded(int bytes) {
        int missing = bytes - folder.toString().length() - 1;
        assumeTrue(missing > 0, "the temporary folder's path is too long for this test");
        return folder.resolve("h".repeat(missing));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}

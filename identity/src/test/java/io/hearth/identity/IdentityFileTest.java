package io.hearth.identity;

import static io.hearth.identity.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.security.auth.module.UnixSystem;
import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IdentityFileTest {
    private static final Optional<String> MACHINE = Optional.of("0123456789abcdef0123456789abcdef");
    private static final Optional<String> OTHER_MACHINE = Optional.of("fedcba9876543210fedcba9876543210");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private HearthHome home;

    @SuppressWarnings("NullAway.Init") // set before each test
    private IdentityFile file;

    @BeforeEach
    void openHome() throws SetupException {
        home = HearthHome.open(folder.resolve("home"));
        file = IdentityFile.in(home, MACHINE);
    }

    @Test
    void theFirstStartMakesAKeyAndTheNextFindsIt() throws SetupException, IOException {
        assertTrue(file.load().isEmpty());
        NodeIdentity made = file.loadOrCreate();
        NodeIdentity found = file.loadOrCreate();
        assertEquals(made.peer(), found.peer());
        assertArrayEquals(made.privateKey().getEncoded(), found.privateKey().getEncoded());
        assertArrayEquals(
                found.peer().publicKey(),
                HexFormat.of()
                        .parseHex(HexFormat.of()
                                .formatHex(found.certificate().getPublicKey().getEncoded(), 12, 44)));
        assertEquals("rw-------", mode(file.path()));
        assertEquals(List.of("identity.pem"), filesOf(home.folder()));
    }

    @Test
    void theCertificateIsMadeOnceAndKept() throws SetupException {
        assertEquals(file.loadOrCreate().certificate(), file.loadOrCreate().certificate());
    }

    @Test
    void theCertificateOfAnotherKeyIsRefused() throws SetupException, IOException {
        String whole = create();
        file.reset();
        write(withBlockOf(whole, create(), "CERTIFICATE"));
        assertRefused(file::loadOrCreate, "is damaged", "its certificate is another's");
        write(withBlockOf(whole, whole.replace("MC4CAQAwBQYDK2VwBCIE", "MC4CAQAwBQYDK2VuBCIE"), "PRIVATE KEY"));
        assertRefused(file::loadOrCreate, "is damaged", "not an Ed25519 key");
    }

    /** The key of libp2p's peer id specification, so that private and public key are known to belong together. */
    @Test
    void thePublicKeyOfAStoredKeyIsComputed() throws SetupException, IOException {
        String pkcs8 =
                "302e020100300506032b657004220420" + "7e0830617c4a7de83925dfb2694556b12936c477a0e1feb2e148ec9da60fee7d";
        write("""
                # any words
                # peer: 12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq
                # machine: unknown
                -----BEGIN PRIVATE KEY-----
                %s
                -----END PRIVATE KEY-----
                """.formatted(Base64.getEncoder().encodeToString(HexFormat.of().parseHex(pkcs8))));
        assertEquals(
                "1ed1e8fae2c4a144b8be8fd4b47bf3d3b34b871c3cacf6010f0e42d474fce27e",
                HexFormat.of().formatHex(file.loadOrCreate().peer().publicKey()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r--r--", "rw----r--", "rw-rw----", "rw---x---"})
    void aKeyThatOthersCanReadIsRefused(String mode) throws SetupException, IOException {
        String content = create();
        Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString(mode));
        assertRefused(file::loadOrCreate, "other users can open it", "chmod 600");
        assertEquals(content, Files.readString(file.path()));
    }

    @Test
    void aSymbolicLinkIsRefusedEvenToAGoodKey() throws SetupException, IOException {
        create();
        Path elsewhere = folder.resolve("elsewhere.pem");
        Files.move(file.path(), elsewhere);
        Files.createSymbolicLink(file.path(), elsewhere);
        assertRefused(file::loadOrCreate, "a symbolic link");
    }

    @Test
    void aSymbolicLinkToNothingIsNotWrittenThrough() throws IOException {
        Path target = folder.resolve("target");
        Files.createSymbolicLink(file.path(), target);
        assertRefused(file::loadOrCreate, "a symbolic link");
        assertFalse(Files.exists(target));
    }

    @Test
    void aFolderInTheWayIsRefused() throws IOException {
        Files.createDirectory(file.path());
        assertRefused(file::loadOrCreate, "a folder and not a regular file");
    }

    @Test
    void aKeyOfSomebodyElseIsRefused() throws SetupException, IOException {
        assumeTrue(new UnixSystem().getUid() == 0, "only root can give a file away");
        create();
        Files.setAttribute(file.path(), "unix:uid", 12345);
        assertRefused(file::loadOrCreate, "it belongs to user 12345");
    }

    @Test
    void everyHalfOfAKeyFileIsRefusedAndKept() throws SetupException, IOException {
        String whole = create();
        for (int length = 0; length < whole.length(); length++) {
            String half = whole.substring(0, length);
            write(half);
            assertRefused(file::loadOrCreate, "is damaged", "hearth identity reset");
            assertEquals(half, Files.readString(file.path()));
        }
    }

    @Test
    void everyChangedCharacterOfTheKeyIsRefused() throws SetupException, IOException {
        String whole = create();
        int start = whole.indexOf("# peer: ") + 8;
        for (int at = start; at < whole.length() - 1; at++) {
            char changed = whole.charAt(at) == 'A' ? 'Q' : 'A'; // not only in bits that padding leaves unused
            write(whole.substring(0, at) + changed + whole.substring(at + 1));
            String line = assertRefused(file::loadOrCreate, "hearth identity reset");
            assertKeyIsAbsent(whole, line);
        }
    }

    @Test
    void aFileOfMegabytesIsRefused() throws IOException {
        write("x".repeat(1 << 20));
        assertRefused(file::loadOrCreate, "larger than");
    }

    @Test
    void aHomeCopiedToAnotherMachineIsRefusedUntilReset() throws SetupException {
        NodeIdentity original = file.loadOrCreate();
        IdentityFile copied = IdentityFile.in(home, OTHER_MACHINE);
        assertRefused(copied::loadOrCreate, "made on another machine", "hearth identity reset");
        assertTrue(copied.reset().isPresent());
        assertNotEquals(original.peer(), copied.loadOrCreate().peer());
    }

    @Test
    void aComputerIsKnownAgainByAHashThatNeedsTheKey() throws SetupException {
        NodeIdentity identity = file.loadOrCreate();
        Optional<String> computer = file.computer(identity);
        assertTrue(computer.orElseThrow().matches("[0-9a-f]{64}"));
        assertEquals(computer, file.computer(identity));
        assertNotEquals(computer, IdentityFile.in(home, OTHER_MACHINE).computer(identity));
        assertNotEquals(computer, file.computer(NodeIdentity.generate()));
        assertEquals(Optional.empty(), IdentityFile.in(home, Optional.empty()).computer(identity));
    }

    @Test
    void anUnknownMachineIsNoReasonToRefuse() throws SetupException {
        NodeIdentity made = file.loadOrCreate();
        assertEquals(
                made.peer(),
                IdentityFile.in(home, Optional.empty()).loadOrCreate().peer());
        file.reset();
        NodeIdentity unbound = IdentityFile.in(home, Optional.empty()).loadOrCreate();
        assertEquals(unbound.peer(), file.loadOrCreate().peer());
    }

    @Test
    void theMachinesIdIsNotInTheFile() throws SetupException, IOException {
        assertFalse(create().contains(MACHINE.orElseThrow()));
    }

    @Test
    void resetKeepsTheFormerFileWhateverItIs() throws SetupException, IOException {
        assertTrue(file.reset().isEmpty());
        String content = create();
        Path aside = file.reset().orElseThrow();
        assertEquals(content, Files.readString(aside));
        assertEquals("rw-------", mode(aside));
        assertFalse(Files.exists(file.path()));

        write("half");
        assertEquals("half", Files.readString(file.reset().orElseThrow()));
        Files.createSymbolicLink(file.path(), folder.resolve("nowhere"));
        assertTrue(Files.isSymbolicLink(file.reset().orElseThrow()));
        file.loadOrCreate();
        assertEquals(4, filesOf(home.folder()).size());
    }

    @Test
    void nothingOfTheKeyIsInAnyToString() throws SetupException, IOException {
        String whole = create();
        NodeIdentity identity = file.loadOrCreate();
        assertKeyIsAbsent(whole, identity + " " + IdentityPem.of(identity, MACHINE));
    }

    /** One file with one PEM block of another. */
    private static String withBlockOf(String text, String other, String label) {
        String block = "(?s)-----BEGIN " + label + "-----.*-----END " + label + "-----";
        Matcher found = Pattern.compile(block).matcher(other);
        assertTrue(found.find());
        return text.replaceFirst(block, Matcher.quoteReplacement(found.group()));
    }

    private String create() throws SetupException, IOException {
        file.loadOrCreate();
        return Files.readString(file.path());
    }

    private void write(String content) throws IOException {
        Files.writeString(file.path(), content);
        Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("rw-------"));
    }

    private static void assertKeyIsAbsent(String whole, String shown) {
        String base64 =
                whole.lines().filter(line -> line.startsWith("MC4")).findFirst().orElseThrow();
        for (int from = 22; from + 8 <= base64.length(); from++) {
            assertFalse(shown.contains(base64.substring(from, from + 8)), shown);
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static List<String> filesOf(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(path -> String.valueOf(path.getFileName()))
                    .sorted()
                    .toList();
        }
    }
}

package io.hearth.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RememberedPeersTest {
    private static final PeerAddress CABLE = new PeerAddress("192.168.1.7", 52_416);
    private static final PeerAddress LINK_LOCAL = new PeerAddress("fe80::1%eth0", 52_417);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private Path file;

    @BeforeEach
    void setUp() {
        file = folder.resolve("peers");
    }

    @Test
    void whatWasRememberedIsToldAtTheNextStartLatestFirst() throws IOException {
        try (var first = started(new ArrayList<>())) {
            first.remember(node(1), List.of(CABLE));
            first.remember(node(2), List.of(CABLE, LINK_LOCAL));
            first.remember(node(3), List.of(LINK_LOCAL));
            first.remember(node(1), List.of(LINK_LOCAL, CABLE));
            first.forget("remembered:" + node(3));
            first.forget("mdns:00");
        }
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        var told = new ArrayList<Sighting>();
        started(told).close();
        assertEquals(
                List.of("remembered:" + node(1), "remembered:" + node(2)),
                told.stream().map(Sighting::name).toList());
        assertEquals(
                List.of(LINK_LOCAL, CABLE),
                told.getFirst().candidates().stream().map(Candidate::address).toList());
        assertEquals(SourceKind.REMEMBERED, told.getFirst().source());
        assertEquals(List.of("peers"), names(), "drafts are left");
    }

    @Test
    void theFileIsBoundedAndTheLatestStay() {
        try (var source = started(new ArrayList<>())) {
            for (int i = 0; i < 300; i++) {
                source.remember(node(i), List.of(CABLE));
            }
        }
        var told = new ArrayList<Sighting>();
        started(told).close();
        assertEquals(RememberedPeers.PEERS_MAX, told.size());
        assertEquals("remembered:" + node(299), told.getFirst().name());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "garbage", "hearth peers 2\n", "hearth peers 1\nnobody 10.0.0.1:7\n", "hearth peers 1\n\n"})
    void aDamagedFileIsSetAsideAndRebuilt(String content) throws IOException {
        Files.writeString(file, content);
        var told = new ArrayList<Sighting>();
        try (var source = started(told)) {
            source.remember(node(1), List.of(CABLE));
        }
        assertTrue(told.isEmpty());
        started(told).close();
        assertEquals(1, told.size());
        Path aside = folder.resolve(names().stream()
                .filter(name -> name.contains("damaged"))
                .findFirst()
                .orElseThrow());
        assertEquals(content, Files.readString(aside), "what was there is lost");
    }

    @Test
    void aNameInTheFileIsNeverResolved() throws IOException {
        Files.writeString(file, "hearth peers 1\n" + node(1) + " evil.example:7\n");
        var told = new ArrayList<Sighting>();
        started(told).close();
        assertTrue(told.isEmpty());
    }

    @Test
    void aFileThatCannotBeReadOrWrittenDisturbsNobody() throws IOException {
        Files.createDirectory(file);
        var told = new ArrayList<Sighting>();
        try (var source = started(told)) {
            source.remember(node(1), List.of(CABLE));
        }
        assertTrue(told.isEmpty());
        assertEquals(List.of("peers"), names());
    }

    /** Any bytes give addresses or a file set aside, never an exception and never more addresses than the bound. */
    @Test
    void mutatedFilesNeverEscape() throws IOException {
        byte[] good = ("hearth peers 1\n" + node(1) + " 192.168.1.7:52416 [fe80::1%eth0]:52417\n")
                .getBytes(StandardCharsets.UTF_8);
        var random = new SplittableRandom(5);
        int read = 0;
        for (int i = 0; i < 500; i++) {
            byte[] bytes = Arrays.copyOf(good, random.nextInt(8) == 0 ? random.nextInt(good.length) : good.length);
            for (int flips = random.nextInt(1, 4); flips > 0 && bytes.length > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            Files.write(file, bytes);
            var told = new ArrayList<Sighting>();
            try {
                told.addAll(sightings());
            } catch (SetupException impossible) {
                throw new AssertionError("mutation " + i, impossible);
            }
            read += told.size();
            assertTrue(told.size() <= 1);
        }
        assertTrue(read > 5, read + " mutations were read");
        assertFalse(names().isEmpty());
    }

    private List<Sighting> sightings() throws SetupException {
        return new PeersFile(file)
                .read().entrySet().stream()
                        .map(peer -> new Sighting(
                                peer.getKey().text(),
                                peer.getValue().stream()
                                        .map(address -> new Candidate(address, Medium.OTHER))
                                        .toList(),
                                SourceKind.REMEMBERED,
                                OptionalInt.empty()))
                        .toList();
    }

    private RememberedPeers started(List<Sighting> told) {
        var source = new RememberedPeers(file);
        source.start(told::add);
        return source;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    private static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) (number >> 8);
        key[31] = (byte) number;
        return new NodeId(PeerId.of(key), "trainer-" + number);
    }
}

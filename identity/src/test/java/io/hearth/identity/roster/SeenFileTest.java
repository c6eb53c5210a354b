package io.hearth.identity.roster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.Labels;
import io.hearth.identity.PeerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SeenFileTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long YEAR = 31_536_000_000L;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private SeenFile file;

    @BeforeEach
    void openHome() throws SetupException {
        file = SeenFile.in(HearthHome.open(folder.resolve("home")), Hands.HOME);
    }

    private Path path() {
        return folder.resolve("home").resolve("seen-" + Hands.HOME);
    }

    /** With labels of the greatest length: the file has room for them. */
    @Test
    void theMachineThatWasAwayForLongestGivesWay() throws SetupException, IOException {
        String longest = "\uD83D\uDE00".repeat(Labels.CHARACTERS_MAX);
        var all = new TreeMap<PeerId, SeenFile.Seen>();
        for (int number = 1; number <= SeenFile.MACHINES_MAX; number++) {
            all.put(Hands.peer(number), new SeenFile.Seen(1_700_000_000_000L - number, longest));
        }
        file.add(all, NOW);
        assertEquals(all, file.read());
        file.add(Map.of(Hands.peer(999), new SeenFile.Seen(1_700_000_000_000L, "new")), NOW);
        assertEquals(SeenFile.MACHINES_MAX, Files.readAllLines(path()).size());
        assertEquals(SeenFile.MACHINES_MAX, file.read().size());
        assertTrue(file.read().containsKey(Hands.peer(999)));
        assertFalse(file.read().containsKey(Hands.peer(SeenFile.MACHINES_MAX)));
    }

    @Test
    void theNewerTimeOfAMachineCounts() throws SetupException {
        file.add(Map.of(Hands.peer(1), new SeenFile.Seen(20, "now")), NOW);
        file.add(Map.of(Hands.peer(1), new SeenFile.Seen(10, "before")), NOW);
        assertEquals(Map.of(Hands.peer(1), new SeenFile.Seen(20, "now")), file.read());
        file.add(Map.of(Hands.peer(1), new SeenFile.Seen(30, "later")), NOW);
        assertEquals(Map.of(Hands.peer(1), new SeenFile.Seen(30, "later")), file.read());
    }

    /** The clock was a year ahead for a while: times of then neither stay for a year nor displace other machines. */
    @Test
    void aTimeAfterNowGivesWay() throws SetupException {
        var ahead = new TreeMap<PeerId, SeenFile.Seen>();
        for (int number = 1; number <= SeenFile.MACHINES_MAX; number++) {
            ahead.put(Hands.peer(number), new SeenFile.Seen(NOW + YEAR, "m"));
        }
        file.add(ahead, NOW + YEAR);
        file.add(
                Map.of(Hands.peer(1), new SeenFile.Seen(NOW, "now"), Hands.peer(999), new SeenFile.Seen(5, "old")),
                NOW);
        assertEquals(new SeenFile.Seen(NOW, "now"), file.read().get(Hands.peer(1)));
        assertEquals(new SeenFile.Seen(5, "old"), file.read().get(Hands.peer(999)));
        file.add(Map.of(Hands.peer(2), new SeenFile.Seen(NOW + YEAR, "kept back")), NOW);
        assertEquals(
                new SeenFile.Seen(NOW, "kept back"), file.read().get(Hands.peer(2)), "this process saw it before now");
    }

    @Test
    void linesThatAreDamagedArePassedOver() throws SetupException, IOException {
        file.add(Map.of(Hands.peer(1), new SeenFile.Seen(20, "kitchen")), NOW);
        String sound = Files.readString(path());
        Files.writeString(path(), "nonsense\nx\t1\ty\n" + Hands.peer(2).text() + "\tsoon\tdesk\n" + sound);
        assertEquals(Map.of(Hands.peer(1), new SeenFile.Seen(20, "kitchen")), file.read());
    }
}

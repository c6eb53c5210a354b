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

    /** With the longest labels there are: the file has room for them. */
    @Test
    void theMachineThatWasAwayForLongestGivesWay() throws SetupException, IOException {
        String longest = "\uD83D\uDE00".repeat(Labels.CHARACTERS_MAX);
        var all = new TreeMap<PeerId, SeenFile.Seen>();
        for (int number = 1; number <= SeenFile.MACHINES_MAX; number++) {
            all.put(Hands.peer(number), new SeenFile.Seen(1_700_000_000_000L - number, longest));
        }
        file.add(all);
        assertEquals(all, file.read());
        file.add(Map.of(Hands.peer(999), new SeenFile.Seen(1_700_000_000_000L, "new")));
        assertEquals(SeenFile.MACHINES_MAX, Files.readAllLines(path()).size());
        assertEquals(SeenFile.MACHINES_MAX, file.read().size());
        assertTrue(file.read().containsKey(Hands.peer(999)));
        assertFalse(file.read().containsKey(Hands.peer(SeenFile.MACHINES_MAX)));
    }

    @Test
    void theNewerTimeOfAMachineCounts() throws SetupException {
        file.add(Map.of(Hands.peer(1), new SeenFile.Seen(20, "now")));
        file.add(Map.of(Hands.peer(1), new SeenFile.Seen(10, "before")));
        assertEquals(Map.of(Hands.peer(1), new SeenFile.Seen(20, "now")), file.read());
        file.add(Map.of(Hands.peer(1), new SeenFile.Seen(30, "later")));
        assertEquals(Map.of(Hands.peer(1), new SeenFile.Seen(30, "later")), file.read());
    }

    @Test
    void linesThatAreDamagedArePassedOver() throws SetupException, IOException {
        file.add(Map.of(Hands.peer(1), new SeenFile.Seen(20, "kitchen")));
        String sound = Files.readString(path());
        Files.writeString(path(), "nonsense\nx\t1\ty\n" + Hands.peer(2).text() + "\tsoon\tdesk\n" + sound);
        assertEquals(Map.of(Hands.peer(1), new SeenFile.Seen(20, "kitchen")), file.read());
    }
}

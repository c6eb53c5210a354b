package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.How;
import io.hearth.identity.roster.RosterDesk;
import io.hearth.identity.roster.RosterFile;
import io.hearth.identity.roster.SeenFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RosterCommandsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("home");
    private final PeerId desk = NodeIdentity.generate().peer();
    private final PeerId kitchen = NodeIdentity.generate().peer();

    @SuppressWarnings("NullAway.Init") // set before each test
    private Commands commands;

    @SuppressWarnings("NullAway.Init") // set before each test
    private NodeIdentity self;

    @SuppressWarnings("NullAway.Init") // set before each test
    private RosterDesk roster;

    @BeforeEach
    void home() throws Exception {
        commands = Commands.in(folder.resolve("home"), namespace);
        HearthHome home = HearthHome.open(commands.home());
        self = IdentityFile.in(home).loadOrCreate();
        roster = new RosterDesk(home, namespace, self, "own");
    }

    private void pair(PeerId machine, String label) throws Exception {
        var _ = roster.grant(machine, label, How.PAIRED, 1_700_000_000_000L);
    }

    private void seen(PeerId machine, String label) throws Exception {
        SeenFile.in(HearthHome.open(commands.home()), "home")
                .add(Map.of(machine, new SeenFile.Seen(1_700_000_100_000L, label)));
    }

    private void fails(String line, String... words) {
        Commands.Outcome outcome = commands.line(line);
        assertEquals(1, outcome.code(), outcome.toString());
        for (String word : words) {
            assertTrue(outcome.line().contains(word), outcome.line());
        }
        assertFalse(outcome.line().contains("hearth1-"));
    }

    @Test
    void peersWorksWithoutAnAgentAndBeforeAnybodyWasPaired() throws Exception {
        JsonObject alone = commands.line("peers --json").json();
        assertEquals(1, alone.getAsJsonArray("peers").size());
        pair(desk, "desk");
        seen(kitchen, "kitchen");
        JsonObject all = commands.line("peers --json").json();
        assertEquals(3, all.getAsJsonArray("peers").size());
        String text = commands.line("peers").out();
        assertTrue(text.contains("desk") && text.contains("paired") && text.contains("own"), text);
        assertTrue(text.contains("kitchen") && text.contains("by secret"), text);
        assertTrue(text.contains("2023-11-14T22:13:20Z"), text);
    }

    @Test
    void aMachineIsRemovedByItsNameAndTheOthersGetANewSecret() throws Exception {
        pair(desk, "desk");
        pair(kitchen, "kitchen");
        JsonObject done = commands.line("remove kitchen --json").json();
        assertEquals(2, done.get("generation").getAsInt());
        assertTrue(done.get("waiting").getAsString().contains("no agent runs here"));
        assertTrue(commands.line("peers").out().contains("removed"));
        assertTrue(roster.book().roster().isRemoved(kitchen));
        assertTrue(roster.book().roster().isMember(desk));
        fails("remove nobody", "no machine 'nobody'", "hearth peers");
    }

    @Test
    void removingOneselfIsOneClearLine() throws Exception {
        fails("remove " + self.peer().text(), "only machine on the roster");
        pair(desk, "desk");
        fails("remove " + self.peer().shortText(), "cannot remove itself", "another one");
        assertEquals(1, roster.book().current().generation());
    }

    @Test
    void whoWasNotPairedByAnotherHasToBeDecidedAboutFirst() throws Exception {
        pair(desk, "desk");
        seen(kitchen, "kitchen");
        fails("remove desk", "kitchen", "--keep", "nothing was changed");
        fails("secret rotate", "kitchen", "--keep");
        fails("remove desk --keep garden", "garden");
        assertEquals(0, commands.line("remove desk --keep kitchen").code());
        assertTrue(roster.book().roster().isMember(kitchen));
        assertTrue(roster.book().roster().isRemoved(desk));
    }

    @Test
    void aDroppedMachineGoesWithTheOneThatIsRemoved() throws Exception {
        pair(desk, "desk");
        seen(kitchen, "kitchen");
        assertEquals(0, commands.line("remove desk --drop all").code());
        assertTrue(roster.book().roster().isRemoved(kitchen));
    }

    @Test
    void aSecretIsRotatedForAll() throws Exception {
        pair(desk, "desk");
        Commands.Outcome done = commands.line("secret rotate");
        assertEquals(0, done.code());
        assertTrue(done.out().contains("generation 2") && done.out().contains("2 machines"), done.out());
        assertTrue(done.err().contains("no agent runs here"), done.err());
        JsonObject again = commands.line("secret rotate --json").json();
        assertEquals(3, again.get("generation").getAsInt());
    }

    @Test
    void aBlockIsTakenBack() throws Exception {
        pair(desk, "desk");
        assertTrue(commands.line("block desk").out().contains("blocked"));
        assertTrue(commands.line("peers").out().contains("blocked here"));
        assertTrue(commands.line("block desk").out().contains("already"));
        assertTrue(commands.line("unblock desk").out().contains("admitted again"));
        fails("block " + self.peer().text(), "cannot block itself");
    }

    @Test
    void aDamagedRosterIsOneClearLineForEveryCommand() throws Exception {
        pair(desk, "desk");
        Path file = RosterFile.in(HearthHome.open(commands.home()), "home").path();
        byte[] bytes = Files.readAllBytes(file);
        bytes[60] ^= 1;
        Files.write(file, bytes);
        for (String line : new String[] {"peers", "remove desk", "block desk", "secret rotate"}) {
            fails(line, "is damaged", "hearth join");
        }
    }

    @Test
    void aMachineBySecretSignsForNobody() throws Exception {
        HearthHome home = HearthHome.open(commands.home());
        var other = new RosterDesk(home, namespace, NodeIdentity.generate(), "first");
        var _ = other.found(1);
        seen(kitchen, "kitchen");
        fails("remove kitchen", "by its secret only");
        fails("secret rotate --keep all", "by its secret only");
    }
}

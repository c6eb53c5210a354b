package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.hearth.agent.LocalAgent;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.SecretText;
import io.hearth.identity.roster.BlockFile;
import io.hearth.identity.roster.GrantKind;
import io.hearth.identity.roster.Roster;
import io.hearth.identity.roster.RosterDesk;
import io.hearth.identity.roster.RosterFile;
import io.hearth.identity.roster.SeenFile;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RosterCommandsTest {
    private static final long YEAR = 31_536_000_000L;

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
        var _ = roster.found(1);
        var _ = roster.grant(machine, label, GrantKind.PAIRED, 1_700_000_000_000L);
    }

    private void seen(PeerId machine, String label) throws Exception {
        seen(machine, label, 1_700_000_100_000L);
    }

    private void seen(PeerId machine, String label, long atMillis) throws Exception {
        SeenFile.in(HearthHome.open(commands.home()), "home")
                .add(Map.of(machine, new SeenFile.Seen(atMillis, label)), atMillis);
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
        fails("remove " + self.peer().shortText(), "cannot remove itself", "on another machine");
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
        assertFalse(roster.book().roster().isMember(kitchen));
        assertFalse(
                roster.book().roster().isRemoved(kitchen), "it is not given the secret; an entry would be for ever");
    }

    @Test
    void aCrowdOfMachinesBySecretDoesNotPreventARemoval() throws Exception {
        pair(desk, "desk");
        for (int i = 0; i < Roster.UNGRANTED_BY_ONE_MAX + 2; i++) {
            seen(NodeIdentity.generate().peer(), "x");
        }
        assertEquals(0, commands.line("remove desk --drop all").code());
        assertTrue(roster.book().roster().isRemoved(desk));
        assertEquals(2, roster.book().current().generation());
        assertEquals(0, commands.line("secret rotate --drop all").code());
    }

    @Test
    void aRemovalThatIsDoneIsNotDoneAgain() throws Exception {
        pair(desk, "desk");
        pair(kitchen, "kitchen");
        assertEquals(0, commands.line("remove kitchen").code());
        Commands.Outcome again = commands.line("remove " + kitchen.shortText());
        assertEquals(0, again.code(), again.toString());
        assertTrue(again.out().contains("removed already"), again.out());
        assertEquals(2, roster.book().current().generation());
    }

    /** The removed machine paired a second one, and that one a third. The command asks about each, and --drop removes the whole chain. */
    @Test
    void aChainOfGrantsIsDecidedAboutToItsEnd() throws Exception {
        NodeIdentity stolen = NodeIdentity.generate();
        NodeIdentity sybil = NodeIdentity.generate();
        pair(stolen.peer(), "stolen");
        HearthHome home = HearthHome.open(commands.home());
        var _ = new RosterDesk(home, namespace, stolen, "stolen").grant(sybil.peer(), "s1", GrantKind.PAIRED, 1);
        var _ = new RosterDesk(home, namespace, sybil, "s1").grant(kitchen, "s2", GrantKind.PAIRED, 1);
        fails("remove stolen", "s1", "nothing was changed");
        fails("remove stolen --drop s1", "s2", "nothing was changed");
        assertEquals(1, roster.book().current().generation());
        assertEquals(0, commands.line("remove stolen --drop s1 --drop s2").code());
        assertTrue(roster.book().roster().isRemoved(kitchen));
        assertEquals(1, roster.book().roster().members().size());
    }

    @Test
    void aNewNamespaceOfAnOldNameBeginsWithAnEmptyRoster() throws Exception {
        pair(desk, "desk");
        seen(kitchen, "kitchen");
        assertEquals(0, commands.line("remove desk --drop all").code());
        Files.delete(NamespaceFile.in(HearthHome.open(commands.home())).path());
        assertEquals(0, commands.line("init home").code());
        JsonObject fresh = commands.line("peers --json").json();
        assertEquals(1, fresh.get("generation").getAsInt());
        assertEquals(1, fresh.getAsJsonArray("peers").size(), fresh.toString());
        assertEquals(
                NamespaceFile.in(HearthHome.open(commands.home()))
                        .find("home")
                        .orElseThrow()
                        .keyId(),
                fresh.get("key_id").getAsString());
    }

    @Test
    void aBlockedMachineThatNobodyElseKnowsIsFoundByAPartOfItsId() throws Exception {
        assertEquals(0, commands.line("block " + kitchen.text()).code());
        assertEquals(0, commands.line("unblock " + kitchen.shortText()).code());
    }

    @Test
    void aSecretIsRotatedForAll() throws Exception {
        pair(desk, "desk");
        Commands.Outcome done = commands.line("secret rotate");
        assertEquals(0, done.code());
        assertTrue(done.out().contains("generation 2") && done.out().contains("2 machines"), done.out());
        assertTrue(done.err().contains("no agent runs here"), done.err());
        seen(desk, "desk", System.currentTimeMillis()); // its link had the new secret
        JsonObject again = commands.line("secret rotate --json").json();
        assertEquals(3, again.get("generation").getAsInt());
        assertEquals(0, again.getAsJsonArray("pair_again").size(), again.toString());
        assertTrue(again.get("waiting").getAsString().contains("desk"), again.toString());
    }

    /** The machine was off for a month. After a second change, no other machine would accept its secret. */
    @Test
    void aSecondNewSecretIsNotMadeBehindTheBackOfWhoIsAway() throws Exception {
        pair(desk, "desk");
        pair(kitchen, "kitchen");
        seen(desk, "desk");
        assertEquals(0, commands.line("secret rotate").code());
        seen(kitchen, "kitchen", System.currentTimeMillis());
        fails("secret rotate", "not fetched the present secret", "desk", "--force", "nothing was changed");
        assertFalse(commands.line("secret rotate").line().contains("kitchen"));
        assertEquals(2, roster.book().current().generation());
        Commands.Outcome forced = commands.line("secret rotate --force");
        assertEquals(0, forced.code(), forced.toString());
        String again = forced.err()
                .lines()
                .filter(line -> line.contains("pair again"))
                .findFirst()
                .orElse("");
        assertTrue(again.contains("desk") && !again.contains("kitchen"), forced.err());
        assertTrue(
                forced.err().lines().anyMatch(line -> line.contains("kitchen") && line.contains("when a node")),
                forced.err());
        assertEquals(3, roster.book().current().generation());
    }

    @Test
    void aRemovalSaysWhoHasToBePairedAgain() throws Exception {
        pair(desk, "desk");
        pair(kitchen, "kitchen");
        PeerId study = NodeIdentity.generate().peer();
        pair(study, "study");
        assertFalse(commands.line("remove study").err().contains("pair again"));
        Commands.Outcome second = commands.line("remove kitchen --json");
        assertEquals(0, second.code(), second.toString());
        assertEquals(
                "[\"" + desk.text() + "\"]",
                second.json().getAsJsonArray("pair_again").toString());
        assertFalse(second.json().has("waiting"), "nothing reaches it any more: " + second);
    }

    /** A time in the future does not count; a time that the clock has reached counts again. */
    @Test
    void aClockThatWasAYearAheadHidesNobodyFromANewSecret() throws Exception {
        pair(desk, "desk");
        assertEquals(0, commands.line("secret rotate").code());
        seen(desk, "desk", System.currentTimeMillis() + YEAR);
        fails("secret rotate", "not fetched the present secret", "desk");
        SeenFile.in(HearthHome.open(commands.home()), "home")
                .add(Map.of(desk, new SeenFile.Seen(System.currentTimeMillis(), "desk")), System.currentTimeMillis());
        assertEquals(0, commands.line("secret rotate").code());
    }

    /** The secret has a date of next year, so no machine is known to have it. A removal does not wait for that. */
    @Test
    void aClockThatWasAYearAheadKeepsNoMachineFromRemoval() throws Exception {
        pair(desk, "desk");
        pair(kitchen, "kitchen");
        var _ = roster.rotate(Map.of(), System.currentTimeMillis() + YEAR);
        seen(desk, "desk", System.currentTimeMillis());
        Commands.Outcome outcome = commands.line("remove kitchen");
        assertEquals(0, outcome.code(), outcome.toString());
        assertTrue(
                outcome.err().contains("as far as this machine saw")
                        && outcome.err().contains("desk"),
                outcome.err());
        assertTrue(roster.book().roster().isRemoved(kitchen));
        assertTrue(roster.book().roster().isMember(desk));
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

    /** The agent is like a stopped process: the kernel accepts its connections and requests. */
    @Tag("full")
    @Test
    void aStoppedAgentKeepsNobodyFromReadingAndChangingTheFiles() throws Exception {
        pair(desk, "desk");
        pair(kitchen, "kitchen");
        Path socket = HearthHome.open(commands.home()).socket(LocalAgent.SOCKET);
        try (var stopped = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            stopped.bind(UnixDomainSocketAddress.of(socket));
            for (String line : new String[] {"peers", "block kitchen", "remove kitchen"}) {
                Commands.Outcome outcome = commands.line(line);
                assertEquals(0, outcome.code(), outcome.toString());
                String warning = outcome.err().lines().findFirst().orElse("");
                assertTrue(warning.contains("does not answer"), outcome.toString());
                assertTrue(warning.contains("going on with the files of this machine only"), outcome.toString());
            }
        }
        assertTrue(BlockFile.in(HearthHome.open(commands.home())).read().contains(kitchen));
        assertTrue(roster.book().roster().isRemoved(kitchen));
        assertEquals(2, roster.book().current().generation());
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

    /** A second roster is dangerous: two rosters do not share their removals. */
    @Test
    void aMachineThatHasOnlyTheSecretFoundsNoRosterUnasked() throws Exception {
        seen(kitchen, "kitchen");
        for (String line : new String[] {"remove kitchen", "secret rotate --keep all", "pair"}) {
            fails(line, "no roster of namespace home", "hearth agent", "hearth init home --first", "no other machine");
        }
        assertTrue(roster.book().roster().root().isEmpty());
        assertEquals(0, commands.line("init home").code());
        assertTrue(roster.book().roster().root().isEmpty(), "the secret was here already");
        JsonObject founded = commands.line("init home --first --json").json();
        assertTrue(founded.get("founded").getAsBoolean() && !founded.get("new").getAsBoolean(), founded.toString());
        assertEquals(Optional.of(self.peer()), roster.book().roster().root());
        assertTrue(commands.line("init home --first").out().contains("founded on this machine"));
        assertEquals(0, commands.line("secret rotate --keep kitchen").code());
        assertTrue(roster.book().roster().isMember(kitchen));
    }

    @Test
    void whoMakesTheSecretFoundsTheRosterAndWhoGetsItDoesNot() throws Exception {
        Commands fresh = Commands.in(folder.resolve("fresh"));
        JsonObject made = fresh.line("init lab --json").json();
        assertTrue(made.get("founded").getAsBoolean(), made.toString());
        JsonObject peers = fresh.line("peers --json").json();
        assertEquals(
                "founded",
                peers.getAsJsonArray("peers")
                        .get(0)
                        .getAsJsonObject()
                        .get("standing")
                        .getAsString());
        String secret = SecretText.of(
                NamespaceFile.in(HearthHome.open(fresh.home())).find("lab").orElseThrow());
        Path file = Files.writeString(folder.resolve("secret"), secret);
        Commands other = Commands.in(folder.resolve("other"));
        JsonObject given = other.run("init", "lab", "--secret-file", file.toString(), "--json")
                .json();
        assertFalse(given.get("founded").getAsBoolean(), given.toString());
        assertTrue(other.line("peers").out().contains("by secret"));
        Commands script = Commands.in(folder.resolve("script")).with("HEARTH_SECRET", secret);
        JsonObject first = script.line("init lab --first --json").json();
        assertEquals(made.get("key_id"), first.get("key_id"));
        assertTrue(script.line("peers --namespace lab").out().contains("founded"));
        assertFalse(NamespaceFile.in(HearthHome.open(script.home())).find("lab").isPresent(), "it is not written down");
    }

    @Test
    void aSecondFounderIsRefusedWhereTheFirstIsKnown() throws Exception {
        NodeIdentity other = NodeIdentity.generate();
        var _ = new RosterDesk(HearthHome.open(commands.home()), namespace, other, "first").found(1);
        fails("init home --first", "is here already", other.peer().shortText(), "hearth peers");
    }

    /** The command reports all problems before it shows a code. */
    @Test
    void aMachineThatMayLetNobodyInShowsNoCode() throws Exception {
        HearthHome home = HearthHome.open(commands.home());
        NodeIdentity first = NodeIdentity.generate();
        var founders = new RosterDesk(home, namespace, first, "first");
        var _ = founders.found(1);
        fails("pair", "by its secret only");
        var _ = founders.grant(self.peer(), "own", GrantKind.PAIRED, 2);
        var _ = founders.remove(List.of(self.peer()), Map.of(), 3);
        fails("pair", "was removed", "hearth identity reset");
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

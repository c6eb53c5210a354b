package io.hearth.cli.namespace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.cli.Commands;
import io.hearth.cli.Commands.Outcome;
import io.hearth.cli.terminal.Exit;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.pairing.machine.JoinerMachine;
import io.hearth.identity.pairing.machine.PairingFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each wrong input to the pairing commands gives one line that says what to do. */
final class PairingInputTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private Path home() {
        return folder.resolve("home");
    }

    @Test
    void withoutANamespaceThereIsNothingToPairWith() {
        Outcome outcome = Commands.in(home()).line("pair --interface lo");
        assertEquals(Exit.FAILED, outcome.code());
        assertTrue(outcome.line().contains("'hearth init home'"), outcome.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"join 12-3456-789", "join 12-3456-78901", "join 12-3456-78x0", "join abcdefgh", "join"})
    void aMalformedCodeIsNotRepeated(String line) {
        Outcome outcome = Commands.in(home()).line(line);
        assertEquals(Exit.USAGE, outcome.code());
        String said = outcome.line();
        assertTrue(said.contains("no pairing code: a code has 10 digits"), said);
        assertTrue(said.contains("such as 12-3456-7890; try 'hearth join --help'"), said);
        assertFalse(said.contains("abcdefgh") || said.contains("78x0") || said.contains("78901"), said);
        assertFalse(Files.exists(home().resolve("namespace.toml")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "join 1234567890 --wait 0s",
                "join 1234567890 --wait 2h",
                "join 1234567890 --wait soon",
                "join 1234567890 --peer :7",
                "pair --port 0",
                "pair --port 65536",
                "pair --namespace NOPE"
            })
    void optionsThatMakeNoSenseAreWrongUsage(String line) {
        Outcome outcome = Commands.in(home()).line(line);
        assertEquals(Exit.USAGE, outcome.code(), outcome.err());
        assertTrue(outcome.line().contains("--help"), outcome.err());
    }

    @Test
    void aMachineThatIsInANamespaceJoinsNoOther() throws Exception {
        Commands commands = Commands.in(home(), NetworkNamespace.create("lab"));
        String before = Files.readString(home().resolve("namespace.toml"));
        Outcome outcome = commands.line("join 12-3456-7890 --interface lo");
        assertEquals(Exit.FAILED, outcome.code());
        String said = outcome.line();
        assertTrue(said.contains("in namespace lab already"), said);
        assertTrue(said.contains("remove the table [lab] from " + home().resolve("namespace.toml")), said);
        assertEquals(before, Files.readString(home().resolve("namespace.toml")));
    }

    @Test
    void anInterfaceThatIsNotThereIsNamed() throws Exception {
        Commands commands = Commands.in(home());
        assertEquals(Exit.OK, commands.line("init").code());
        Outcome pair = commands.line("pair --interface nope0");
        assertEquals(Exit.FAILED, pair.code());
        assertTrue(pair.line().contains("no network interface 'nope0'"), pair.err());
        Outcome join = Commands.in(folder.resolve("other")).line("join 1234567890 --interface nope0");
        assertEquals(Exit.FAILED, join.code());
        assertTrue(join.line().contains("no network interface 'nope0'"), join.err());
    }

    @ParameterizedTest
    @EnumSource(PairingFailure.class)
    void eachFailureSaysWhereWhyAndWhatToDo(PairingFailure failure) {
        for (int left = 0; left < 3; left++) {
            String said = JoinCommand.remedy(
                    new JoinerMachine.Outcome.Failed(1, failure, failure.text(), "10.0.0.7:52400", left));
            assertTrue(said.contains("10.0.0.7:52400"), said);
            assertTrue(said.contains("'hearth pair'") || said.contains("type them again"), said);
            assertEquals(1, said.lines().count());
        }
    }
}

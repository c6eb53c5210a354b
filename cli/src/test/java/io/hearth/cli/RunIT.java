package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import io.hearth.cli.Commands.Outcome;
import io.hearth.cli.terminal.Exit;
import io.hearth.identity.NetworkNamespace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code hearth run} as scripts use it: the same command on several machines, here homes of one machine. */
final class RunIT {
    private static final String TOLD = "echo told $RANK $WORLD_SIZE $LOCAL_RANK $MASTER_ADDR $MASTER_PORT $MLX_RANK"
            + " $MLX_HOSTFILE $GLOO_SOCKET_IFNAME; exit $((RANK + 5))";

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("home");

    @Test
    void eachMachineGetsARankAndAllTheSameMaster() throws Exception {
        var programs = new ArrayList<RunningProcess>();
        try {
            for (String name : List.of("a", "b", "c")) {
                Commands there = Commands.in(folder.resolve(name), namespace);
                String[] arguments = {
                    "run", "--interface", "lo", "--peers", "2", "--timeout", "50s", "--", "sh", "-c", TOLD
                };
                var environment = new HashMap<>(there.environment());
                environment.put("HEARTH_LOG", "info");
                programs.add(RunningProcess.hearth(environment, List.of(), arguments));
            }
            Set<String> ranks = new TreeSet<>();
            Set<String> masters = new TreeSet<>();
            for (RunningProcess program : programs) {
                String[] told = program.await("its variables", line -> line.startsWith("told "))
                        .split(" ", -1);
                int rank = Integer.parseInt(told[1]);
                assertEquals(rank + 5, program.exitCode(), "the program's code is the command's");
                ranks.add(told[1] + " of " + told[2] + ", MLX " + told[6]);
                masters.add(told[4] + ":" + told[5]);
                assertEquals(told[1], told[3], "all are on this machine, so the local ranks are the ranks");
                assertEquals(
                        3,
                        JsonParser.parseString(Files.readString(Path.of(told[7])))
                                .getAsJsonArray()
                                .size());
                assertEquals("lo", told[8]);
            }
            assertEquals(Set.of("0 of 3, MLX 0", "1 of 3, MLX 1", "2 of 3, MLX 2"), ranks);
            assertEquals(1, masters.size(), masters.toString());
            assertTrue(masters.iterator().next().startsWith("127.0.0.1:"), masters.toString());
        } catch (AssertionError failed) { // each waits for the others, so one alone does not explain it
            for (RunningProcess program : programs) {
                failed.addSuppressed(new AssertionError(program.threads()));
            }
            throw failed;
        } finally {
            programs.forEach(RunningProcess::close);
        }
    }

    @Test
    void aloneItRunsAtOnce() throws Exception {
        Outcome alone = Commands.in(folder.resolve("a"), namespace)
                .run("run", "--interface", "lo", "--peers", "0", "--", "sh", "-c", "exit $((RANK + 7))");
        assertEquals(7, alone.code(), alone.err());
    }

    @Test
    void withoutAProgramItIsAMistake() throws Exception {
        Outcome mistake = Commands.in(folder.resolve("a"), namespace).run("run", "--peers", "0");
        assertEquals(Exit.USAGE, mistake.code());
        assertTrue(mistake.err().contains("name it after --"), mistake.err());
    }

    @Test
    void withoutTheOthersItTimesOutAndRunsNothing() throws Exception {
        Path never = folder.resolve("never");
        Outcome late = Commands.in(folder.resolve("a"), namespace)
                .run("run", "--interface", "lo", "--peers", "1", "--timeout", "1s", "--", "touch", never.toString());
        assertEquals(Exit.TIMED_OUT, late.code(), late.err());
        assertTrue(late.err().contains("found 0 of 1 peers of group 'run'"), late.err());
        assertTrue(Files.notExists(never));
    }
}

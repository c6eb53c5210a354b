package io.hearth.cli.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.cli.Commands;
import io.hearth.cli.Commands.Outcome;
import io.hearth.cli.terminal.Exit;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers that no job has. */
final class JobsSubmitCommandTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--epochs -1, 'the number of epochs is 1 to 1000000, got -1'",
        "--epochs 2000000, 'the number of epochs is 1 to 1000000, got 2000000'",
        "--batch -7, 'the batch size is 0 to 16777216, got -7'",
        "--samples -2, 'the number of samples is 0 to 9223372036854, got -2'",
        "--size -5, 'the size of the data set is 0 to 9223372036854775807, got -5'",
        "--shards -3, 'the number of shards is 0 to 4096, got -3'",
    })
    void wrongNumbersAreNamedAsTheyWereTyped(String option, String text) {
        Outcome refused = Commands.in(folder).line("jobs submit job " + option);
        assertEquals(Exit.USAGE, refused.code(), refused.err());
        assertTrue(refused.line().contains(text), refused.err());
    }
}

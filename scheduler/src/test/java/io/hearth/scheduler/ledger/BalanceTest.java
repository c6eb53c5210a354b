package io.hearth.scheduler.ledger;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.Bytes;
import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.Samples;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As many shards as there may be move at once. */
final class BalanceTest {
    private static final int JOBS = Bounds.ALL_SHARDS_MAX / Bounds.SHARDS_MAX;
    private static final int ROUNDS = 40;

    private final LedgerApplication application = new LedgerApplication();
    private SchedulerLedger ledger = application.empty();

    private void done(Bytes command) {
        var outcome = application.apply(ledger, command);
        assertEquals(Optional.empty(), Verdict.of(outcome.answer()));
        ledger = outcome.state();
    }

    private void register(String node) {
        done(Commands.register(NodeSpec.worker(node, "host-" + node)));
    }

    @BeforeEach
    void asManyShardsAsThereMayBe() {
        register("a");
        register("b");
        for (int i = 0; i < JOBS; i++) {
            done(Commands.submit(
                    Samples.job("job-" + i, 2, Bounds.SHARDS_MAX),
                    false,
                    new TreeMap<>(Map.of("a", 0.0, "b", 0.0)),
                    List.of()));
        }
    }

    /** A search through the shards for each move would be more than five thousand million looks, and take minutes. */
    @Test
    @Timeout(20)
    void aNodeThatLeavesAndComesAgainMovesAllShardsInOneLook() {
        for (int i = 0; i < ROUNDS; i++) {
            done(Commands.leave("b"));
            allHave(Bounds.SHARDS_MAX, 0);
            register("b");
            allHave(Bounds.SHARDS_MAX / 2, Bounds.SHARDS_MAX / 2);
        }
    }

    private void allHave(int a, int b) {
        for (Job job : ledger.jobs().values()) {
            assertArrayEquals(new int[] {a, b}, job.shards().open(2));
            assertEquals(JobState.RUNNING, job.state());
        }
    }
}

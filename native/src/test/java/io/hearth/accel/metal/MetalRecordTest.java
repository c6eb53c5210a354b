package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class MetalRecordTest {
    private final List<String> lines = new ArrayList<>();
    private final MetalRecord record = new MetalRecord(lines::add);

    private void fault(MetalFault fault, String why) {
        record.fault(new MetalException(fault, why));
    }

    @Test
    void eachKindOfFaultHasOneLineAndIsCountedEachTime() {
        record.opened("M1");
        fault(MetalFault.COMMAND, "first");
        fault(MetalFault.COMMAND, "second");
        fault(MetalFault.OUT_OF_MEMORY, "third");
        assertEquals(2, lines.size(), lines::toString);
        assertEquals("metal: the GPU gave up: first; the CPU goes on with the same bits", lines.getFirst());
        assertEquals(
                Map.of(MetalFault.COMMAND, 2L, MetalFault.OUT_OF_MEMORY, 1L),
                record.status().faults());
        assertEquals("out of memory: third", record.status().why());
    }

    @Test
    void theLineOfALastingFaultSaysSoAndWhatToDo() {
        record.opened("M1");
        fault(MetalFault.HANG, "no answer");
        assertTrue(lines.getFirst().contains("for good") && lines.getFirst().contains("'cpu'"), lines::toString);
        assertTrue(record.lost() && record.hung());
    }

    @Test
    void whatWasNeverOpenedIsNeverAsked() {
        record.notOpened(new MetalException(MetalFault.COMMAND, "no queue"));
        assertTrue(record.lost());
        record.done(true);
        assertFalse(record.asks());
        assertFalse(record.status().usable());
        assertEquals("", record.status().device());
    }

    @Test
    void callsAreCountedWhereTheyEnded() {
        record.opened("M1");
        record.done(true);
        record.done(true);
        record.done(false);
        record.finishedByCpu();
        fault(MetalFault.COMMAND, "once");
        assertFalse(record.asks());
        assertEquals(2, record.status().callsOnGpu());
        assertEquals(2, record.status().callsOnCpu());
        assertEquals("M1", record.status().device());
    }

    @Test
    void whoAsksAgainGetsAnAnswerUnlessAllIsLost() {
        record.opened("M1");
        fault(MetalFault.COMMAND, "once");
        assertFalse(record.asks());
        record.askAgain();
        assertTrue(record.asks());
        fault(MetalFault.HANG, "no answer");
        record.askAgain();
        assertFalse(record.asks());
    }
}

package io.hearth.replicated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LogTest {
    private static Entry entry(long number, long round) {
        return new Entry(Samples.at(number, round, Samples.A), new Content.Begin());
    }

    @Test
    void entriesFollowTheirBase() {
        var log = new Log(Samples.at(4, 1, Samples.A), List.of(entry(5, 1), entry(6, 2)));
        assertEquals(6, log.lastNumber());
        assertEquals(Optional.empty(), log.at(3));
        assertEquals(Optional.of(log.base()), log.at(4));
        assertEquals(Optional.of(Samples.at(6, 2, Samples.A)), log.at(6));
        assertEquals(Optional.empty(), log.at(7));
        assertEquals(List.of(entry(6, 2)), log.after(5));
        assertEquals(List.of(), log.after(6));
        assertEquals(
                List.of(entry(5, 1), entry(6, 3), entry(7, 3)),
                log.replaceAfter(5, List.of(entry(6, 3), entry(7, 3))).entries());
        assertEquals(List.of(entry(6, 2)), log.from(Samples.at(5, 1, Samples.A)).entries());
        assertThrows(IllegalArgumentException.class, () -> new Log(log.base(), List.of(entry(6, 1))));
    }
}

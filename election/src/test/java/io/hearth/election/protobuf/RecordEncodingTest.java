package io.hearth.election.protobuf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.election.DamagedRecordException;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Nodes;
import io.hearth.election.Proposal;
import io.hearth.election.Role;
import io.hearth.election.View;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class RecordEncodingTest {
    private static final Lineage LINEAGE = new Lineage(false, 1_763_000_000_000L, Nodes.agent(1), 5, 0);
    private static final View VIEW = new View(
            LINEAGE,
            4,
            List.of(
                    new Member(Nodes.agent(1), 5, 1, Role.AGENT, "", 71),
                    new Member(Nodes.trainer(2, 0), 6, 2, Role.TRAINER, "job", 72)),
            List.of(new GroupView("job", 2, Bytes.EMPTY)));
    private static final Ballot BALLOT = new Ballot(8, Nodes.agent(1));
    private static final LineageRecord FULL = LineageRecord.fresh(LINEAGE, Long.MAX_VALUE)
            .learned(VIEW)
            .accept(new Proposal(BALLOT, new View(LINEAGE, 5, VIEW.members(), VIEW.groups())));

    @Test
    void recordsSurviveTheDisk() throws DamagedRecordException {
        for (LineageRecord record : List.of(
                LineageRecord.fresh(LINEAGE, 71),
                LineageRecord.fresh(LINEAGE, 71).learned(VIEW),
                LineageRecord.fresh(LINEAGE, 71).learned(VIEW).promise(BALLOT),
                FULL)) {
            assertEquals(record, RecordEncoding.decode(RecordEncoding.encode(record)));
        }
    }

    @Test
    void aTornFileIsNeverReadAsARecord() {
        byte[] file = RecordEncoding.encode(FULL);
        for (int length = 0; length < file.length; length++) {
            byte[] torn = Arrays.copyOf(file, length);
            assertThrows(DamagedRecordException.class, () -> RecordEncoding.decode(torn));
        }
        byte[] longer = Arrays.copyOf(file, file.length + 1);
        assertThrows(DamagedRecordException.class, () -> RecordEncoding.decode(longer));
    }

    @Test
    void everyFlippedBitIsDetected() {
        byte[] file = RecordEncoding.encode(FULL);
        for (int bit = 0; bit < file.length * 8; bit++) {
            byte[] damaged = file.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertThrows(DamagedRecordException.class, () -> RecordEncoding.decode(damaged));
        }
    }

    @Test
    void garbageIsRejected() {
        var random = new SplittableRandom(3);
        for (int i = 0; i < 20_000; i++) {
            byte[] garbage = new byte[random.nextInt(200)];
            random.nextBytes(garbage);
            assertThrows(DamagedRecordException.class, () -> RecordEncoding.decode(garbage));
        }
    }
}

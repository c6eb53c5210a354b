package io.hearth.agent.group.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.collective.group.GroupActivity;
import io.hearth.core.MalformedMessageException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Trainer notes, and malformed bytes in their place. */
final class TrainerNoteTest {
    @Test
    void everyNoteComesBackAsItWas() throws Exception {
        for (GroupActivity activity : GroupActivity.values()) {
            for (boolean spare : new boolean[] {false, true}) {
                for (String group : new String[] {"g", "a-1".repeat(21)}) {
                    var note = new TrainerNote(group, 3, 256, activity, spare);
                    assertEquals(note, TrainerNote.decode(note.encode()));
                }
            }
        }
    }

    @Test
    void anyOtherBytesAreRefused() throws Exception {
        byte[] good = new TrainerNote("job", 2, 4, GroupActivity.STARTING, false).encode();
        var random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = random.nextBoolean() ? good.clone() : new byte[random.nextInt(100)];
            if (bytes.length == good.length) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            } else {
                random.nextBytes(bytes);
            }
            try {
                TrainerNote note = TrainerNote.decode(bytes);
                assertEquals(note, TrainerNote.decode(note.encode()));
            } catch (MalformedMessageException refused) {
                // as it should be
            }
        }
        for (int length : new int[] {0, 6, 70, 1_000}) {
            assertThrows(MalformedMessageException.class, () -> TrainerNote.decode(new byte[length]));
        }
    }
}

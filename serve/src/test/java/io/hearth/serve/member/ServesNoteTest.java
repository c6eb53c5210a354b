package io.hearth.serve.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.serve.wire.ServesFrame;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What nodes tell each other of their services. */
final class ServesNoteTest {
    private static final NodeId OTHER = new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "agent");

    @Test
    void aNoteIsReadAsItWasWritten() throws MalformedMessageException {
        var note = new ServesNote(new TreeMap<>(Map.of("coordinator", "worker-timeout=30000ms", "x", "")), 7);
        assertEquals(note, ServesNote.decode(note.encode()));
    }

    private static ServesFrame.Builder frame(List<String> services, List<String> settings) {
        return ServesFrame.newBuilder().addAllServices(services).addAllSettings(settings);
    }

    private static ServesNote decoded(ServesFrame.Builder frame) throws MalformedMessageException {
        return ServesNote.decode(frame.build().toByteArray());
    }

    @Test
    void anEarlierReleaseTellsNoSettings() throws MalformedMessageException {
        assertEquals(
                new ServesNote(new TreeMap<>(Map.of("x", "")), 7),
                decoded(frame(List.of("x"), List.of()).setPort(7)));
    }

    @Test
    void brokenNotesAreRefused() {
        for (ServesFrame.Builder broken : List.of(
                frame(List.of("x"), List.of("")),
                frame(List.of("x"), List.of("")).setPort(70_000),
                frame(List.of("x", "y"), List.of("a")).setPort(7),
                frame(List.of("x"), List.of("two\nlines")).setPort(7),
                frame(List.of("x"), List.of("a".repeat(257))).setPort(7),
                frame(List.of("x".repeat(ServiceFrame.NAME_BYTES_MAX + 1)), List.of())
                        .setPort(7))) {
            assertThrows(MalformedMessageException.class, () -> decoded(broken), broken::toString);
        }
    }

    @Test
    void otherSettingsAreFoundWhereTheyAreKnown() {
        assertEquals(Optional.of("parts=9"), others("parts=9"));
        assertTrue(others("parts=8").isEmpty(), "the same");
        assertTrue(others("").isEmpty(), "an earlier release");
        assertTrue(KnownNodes.NONE.otherSettings(OTHER, "x", "parts=8").isEmpty(), "it serves nothing");
    }

    private static Optional<String> others(String theirs) {
        return KnownNodes.NONE
                .linked(OTHER, Optional.empty())
                .said(OTHER, new ServesNote(new TreeMap<>(Map.of("x", theirs)), 7))
                .otherSettings(OTHER, "x", "parts=8");
    }
}

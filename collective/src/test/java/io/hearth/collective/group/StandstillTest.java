package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.engine.TestGroup;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class StandstillTest {
    private static final String SUBGROUP = "00112233aabbccdd";
    private static final List<NodeId> NODES = List.of(TestGroup.node(0), TestGroup.node(1), TestGroup.node(2));
    private static final NodeId OTHER = NODES.get(1);

    /** This member waits in the group's number 3, and has made 2 calls of the subgroup. */
    private static final OpenCall OWN = new OpenCall(
            "one", OpenCall.GROUP, 3, "barrier", NODES, new TreeMap<>(Map.of(OpenCall.GROUP, 3L, SUBGROUP, 2L)));

    private static WaitNote note(String lineage, String place, long number, boolean isAwaited, long calledInGroup) {
        return new WaitNote(
                lineage,
                place,
                number,
                "all-reduce",
                isAwaited,
                "",
                new TreeMap<>(Map.of(OpenCall.GROUP, calledInGroup, SUBGROUP, number)));
    }

    private static Optional<String> found(WaitNote note) {
        return Standstill.of(OWN, Map.of(OTHER, note), NODES);
    }

    @Test
    void twoThatWaitForEachOtherAreNamedWithTheirCalls() {
        String why = found(note("one", SUBGROUP, 3, true, 2)).orElseThrow();
        assertTrue(why.contains("barrier of the whole group") && why.contains("all-reduce of a subgroup"), why);
        assertTrue(why.contains("rank 1"), why);
    }

    @Test
    void whoeverCanStillGoOnIsLeftAlone() {
        assertEquals(Optional.empty(), found(note("one", SUBGROUP, 2, true, 2)), "it has this member's call");
        assertEquals(Optional.empty(), found(note("one", SUBGROUP, 3, false, 2)), "it waits for others only");
        assertEquals(Optional.empty(), found(note("one", SUBGROUP, 3, true, 3)), "it has ended the common call");
        assertEquals(Optional.empty(), found(note("two", SUBGROUP, 3, true, 2)), "it is in another lineage");
        assertEquals(Optional.empty(), found(note("one", OpenCall.GROUP, 3, true, 3)), "it is in the same call");
        assertEquals(Optional.empty(), found(WaitNote.NONE));
        OpenCall without = new OpenCall("one", SUBGROUP, 4, "barrier", List.of(NODES.getFirst()), new TreeMap<>());
        assertEquals(
                Optional.empty(),
                Standstill.of(without, Map.of(OTHER, note("one", OpenCall.GROUP, 4, true, 4)), NODES),
                "this member does not wait for it");
    }

    @Test
    void aMemberOfTheSameCallEndsWithTheErrorOfTheOther() {
        var ended =
                new WaitNote("one", OpenCall.GROUP, 3, "barrier", true, "they wait for each other", new TreeMap<>());
        assertEquals(Optional.of("they wait for each other"), found(ended));
    }

    @Test
    void aNoteArrivesAsItWasSentAndAnyBytesAreRead() throws Exception {
        WaitNote note = note("one", SUBGROUP, 3, true, 2);
        assertEquals(note, CollectiveMessages.waitNote(CollectiveMessages.encode(note)));
        assertEquals(WaitNote.NONE, CollectiveMessages.waitNote(CollectiveMessages.encode(WaitNote.NONE)));
        assertThrows(MalformedMessageException.class, () -> CollectiveMessages.waitNote(new byte[] {1, 2, 3}));
        var many = new TreeMap<String, Long>();
        for (long place = 0; place <= WaitNote.PLACES_MAX; place++) {
            many.put("place " + place, place);
        }
        assertThrows(IllegalArgumentException.class, () -> new WaitNote("one", SUBGROUP, 3, "", true, "", many));
    }
}

package io.hearth.agent.group.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.agent.loop.NodeInboxTest;
import io.hearth.collective.group.GroupActivity;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Places of a group, and its spares. Trainers are 0, 1, 2, … by id. A note is written {@code 1W}: trainer 1 works without steps, S with
 * steps, A is starting, I idle. A small letter means a spare, {@code /3} that it allows 3 ranks.
 */
final class GroupPlacesTest {
    private static List<NodeId> ids() {
        var ids = new ArrayList<NodeId>();
        for (int i = 0; i < 6; i++) {
            ids.add(NodeInboxTest.node(i));
        }
        ids.sort(null);
        return ids;
    }

    private static TrainerNote note(String text) {
        String[] parts = text.split("/", -1);
        char letter = parts[0].charAt(1);
        GroupActivity activity = switch (Character.toUpperCase(letter)) {
            case 'W' -> GroupActivity.WORKING;
            case 'S' -> GroupActivity.STEPPING;
            case 'A' -> GroupActivity.STARTING;
            default -> GroupActivity.IDLE;
        };
        int most = parts.length > 1 ? Integer.parseInt(parts[1]) : 256;
        return new TrainerNote("g", 1, most, activity, Character.isLowerCase(letter));
    }

    @ParameterizedTest(name = "{0}, view {1}, hears {2}: elsewhere {3}, spare {4}")
    @CsvSource({
        // no trainer has a bound
        "2I,   2,     '',            IDLE,     false",
        "2A,   2,     0A 1I,         IDLE,     false",
        "2A,   2,     0W 1W,         WORKING,  false",
        "2A,   2,     0S 1W,         STEPPING, false",
        "2A,   012,   0S 1S,         IDLE,     false",
        "2A,   12,    0W 1A,         WORKING,  false",
        "2A,   2,     0s 1w,         IDLE,     false",
        // in a view that is too large the last ones go
        "2A/2, 012,   0A/2 1A/2,     IDLE,     true",
        "1A/2, 012,   0A/2 2A/2,     IDLE,     false",
        "2A,   012,   0A/2 1A,       IDLE,     true",
        "1S,   012,   0S 2A/1,       IDLE,     false",
        "2A/1, 012,   0S 1S,         IDLE,     true",
        "2A/2, 012,   '',            IDLE,     true",
        // outside, each working trainer has a place
        "2A/2, 2,     0W/2 1W/2,     WORKING,  true",
        "2A/2, 2,     0A/2 1A/2,     IDLE,     false",
        "2A,   2,     0W/2 1W/2,     WORKING,  true",
        "2A/3, 2,     0W/3 1W/3,     WORKING,  false",
        // a spare counts all that are no spares, and the first spares take what is free
        "2a/2, 2,     0A/2 1A/2,     IDLE,     true",
        "2a/2, 2,     0A/2,          IDLE,     false",
        "2a/2, 2,     0A/2 1a/2,     IDLE,     true",
        "1a/2, 1,     0A/2 2a/2,     IDLE,     false",
        "2a/2, 2,     0a/2 1a/2,     IDLE,     true",
        "1a/2, 1,     0a/2 2a/2,     IDLE,     false",
        "2a/2, 2,     '',            IDLE,     false"
    })
    void placesGoByRankAndThenById(String own, String view, String hears, GroupActivity elsewhere, boolean spare) {
        List<NodeId> ids = ids();
        List<NodeId> inView =
                view.chars().mapToObj(digit -> ids.get(digit - '0')).toList();
        SortedMap<NodeId, TrainerNote> notes = new TreeMap<>();
        for (String text : hears.isEmpty() ? new String[0] : hears.split(" ", -1)) {
            notes.put(ids.get(text.charAt(0) - '0'), note(text));
        }
        assertEquals(
                new GroupPlaces(elsewhere, view.length() > 1 && hears.contains("S"), spare),
                GroupPlaces.of(ids.get(own.charAt(0) - '0'), note(own), inView, notes));
    }
}

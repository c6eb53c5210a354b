package io.hearth.replicated.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.replicated.Samples;
import org.junit.jupiter.api.Test;

final class SessionsTest {
    private static final Bytes ANSWER = Samples.bytes(1);

    private static Sessions.Known known(Sessions sessions, long incarnation, long number) {
        return sessions.known(Samples.key(Samples.A, incarnation, number, 0));
    }

    @Test
    void aCommandIsKnownUntilItsAnswerWasReceived() {
        Sessions sessions = Sessions.NONE.applied(Samples.key(Samples.A, 5, 2, 0), ANSWER, 10);
        assertEquals(new Sessions.Known.Applied(ANSWER), known(sessions, 5, 2));
        assertInstanceOf(Sessions.Known.New.class, known(sessions, 5, 1)); // numbers may come in any order
        assertInstanceOf(Sessions.Known.New.class, known(sessions, 5, 3));
        Sessions later = sessions.applied(Samples.key(Samples.A, 5, 4, 2), ANSWER, 11);
        assertInstanceOf(Sessions.Known.Outdated.class, known(later, 5, 2));
        assertInstanceOf(Sessions.Known.Outdated.class, known(later, 5, 1));
        assertInstanceOf(Sessions.Known.New.class, known(later, 5, 3));
    }

    @Test
    void aNewerIncarnationEndsTheOlder() {
        Sessions sessions = Sessions.NONE
                .applied(Samples.key(Samples.A, 5, 2, 0), ANSWER, 10)
                .applied(Samples.key(Samples.A, 6, 1, 0), ANSWER, 11);
        assertInstanceOf(Sessions.Known.Outdated.class, known(sessions, 5, 2));
        assertInstanceOf(Sessions.Known.Outdated.class, known(sessions, 5, 9));
        assertInstanceOf(Sessions.Known.New.class, known(sessions, 6, 2));
    }

    @Test
    void answersWithoutAnEndAreBounded() {
        Sessions sessions = Sessions.NONE;
        for (int number = 1; number <= 2 * Session.ANSWERS_MAX; number++) {
            sessions = sessions.applied(Samples.key(Samples.A, 5, number, 0), ANSWER, number);
        }
        assertEquals(
                Session.ANSWERS_MAX,
                sessions.byNode().values().iterator().next().answers().size());
        assertInstanceOf(Sessions.Known.Outdated.class, known(sessions, 5, Session.ANSWERS_MAX));
        assertInstanceOf(Sessions.Known.Applied.class, known(sessions, 5, Session.ANSWERS_MAX + 1));
    }

    /** The node that was used longest ago goes; what it repeats is not applied again. */
    @Test
    void nodesAreBounded() {
        Sessions sessions = Sessions.NONE;
        for (int node = 0; node <= Sessions.NODES_MAX; node++) {
            var origin = new io.hearth.identity.NodeId(Samples.A.peer(), "trainer-" + node);
            sessions = sessions.applied(Samples.key(origin, 100 + node, 1, 0), ANSWER, node);
        }
        assertEquals(Sessions.NODES_MAX, sessions.byNode().size());
        assertEquals(100, sessions.floor());
        var first = new io.hearth.identity.NodeId(Samples.A.peer(), "trainer-0");
        assertInstanceOf(Sessions.Known.Outdated.class, sessions.known(Samples.key(first, 100, 1, 0)));
        assertInstanceOf(Sessions.Known.New.class, sessions.known(Samples.key(first, 5_000, 1, 0)));
    }

    @Test
    void twoStoresJoinWhatTheyKnow() {
        Sessions one = Sessions.NONE.applied(Samples.key(Samples.A, 5, 1, 0), ANSWER, 1);
        Sessions other = Sessions.NONE
                .applied(Samples.key(Samples.A, 5, 2, 0), ANSWER, 1)
                .applied(Samples.key(Samples.B, 3, 1, 0), ANSWER, 2);
        Sessions both = one.join(other);
        assertInstanceOf(Sessions.Known.Applied.class, known(both, 5, 1));
        assertInstanceOf(Sessions.Known.Applied.class, known(both, 5, 2));
        assertInstanceOf(Sessions.Known.Applied.class, both.known(Samples.key(Samples.B, 3, 1, 0)));
        assertEquals(both, other.join(one));
        Sessions newer = Sessions.NONE.applied(Samples.key(Samples.A, 6, 1, 0), ANSWER, 1);
        assertTrue(known(one.join(newer), 5, 1) instanceof Sessions.Known.Outdated);
    }

    @Test
    void aFarRoundRaisesTheHighestByASingleStep() {
        long second = 1_000_000_000L;
        Rounds rounds = Rounds.NONE.heard(Rounds.STEP, 0);
        assertEquals(Rounds.STEP, rounds.highest());
        Rounds far = rounds.heard(1L << 40, 5 * second);
        assertEquals(2 * Rounds.STEP, far.highest());
        assertEquals(2 * Rounds.STEP, far.heard(1L << 40, 5 * second + 1).highest());
        assertEquals(3 * Rounds.STEP, far.heard(1L << 40, 6 * second).highest());
    }
}

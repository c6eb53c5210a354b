package io.hearth.collective.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.core.Bytes;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The vote on the group's state. A claim is written {@code 7a}: revision 7, digest a; {@code +} marks one that joined, {@code @}
 * one that resumed.
 */
final class StateVoteTest {
    private static StateClaim claim(String text, Integer... sources) {
        boolean resumed = text.startsWith("@");
        boolean joined = text.startsWith("+") || resumed;
        String bare = joined ? text.substring(1) : text;
        byte[] digest = new byte[StateClaim.DIGEST_BYTES];
        Arrays.fill(digest, (byte) bare.charAt(bare.length() - 1));
        return new StateClaim(
                Long.parseLong(bare.substring(0, bare.length() - 1)),
                Bytes.of(digest),
                joined,
                List.of(sources),
                resumed);
    }

    @ParameterizedTest(name = "{0}: {1} is right, apart: {3}")
    @CsvSource({
        "@5a,             5a, 0,   none",
        "@5a @5a,         5a, 01,  none",
        "@5a @5b,         5a, 0,   none",
        "@5a +0b,         5a, 0,   none",
        "@5a +0a +0b,     5a, 01,  none",
        "+0b @0a,         0b, 0,   none",
        "@5a @4a,         5a, 01,  1 resumes at 4 and 0 begins at 5",
        "@4a +0b @5a,     5a, 02,  2 resumes at 5 and 0 begins at 4",
        "+0b @5a,         5a, 1,   1 resumes at 5 and 0 begins at 0",
        "@0b @5a,         5a, 1,   1 resumes at 5 and 0 begins at 0",
        "@9a 7b,          7b, 1,   none",
        "7b @9a,          7b, 0,   none",
        "+7b @9a +0c,     7b, 0,   none",
        "@9a +7b,         7b, 1,   none",
        "+3a +7b @9a,     7b, 1,   none"
    })
    void whoResumesBeginsAtTheLeadsStepUnlessAGroupIsAtWork(
            String claims, String agreed, String holders, String apart) {
        StateVote vote = decide(claims);
        assertEquals(claim(agreed), vote.agreed());
        assertEquals(
                holders,
                String.join("", vote.holders().stream().map(String::valueOf).toList()));
        assertEquals(
                apart,
                StateVote.disagreement(Stream.of(claims.split(" ", -1))
                                .map(StateVoteTest::claim)
                                .toList())
                        .map(found ->
                                found.rank() + " resumes at " + found.step() + " and 0 begins at " + found.leadStep())
                        .orElse("none"));
    }

    private static StateVote decide(String claims) {
        return StateVote.decide(
                Stream.of(claims.split(" ", -1)).map(StateVoteTest::claim).toList());
    }

    @ParameterizedTest(name = "{0}: {1} is right")
    @CsvSource({
        "7a,             7a, 0",
        "0a,             0a, 0",
        "+0a,            0a, 0",
        "7a 7a,          7a, 01",
        "7a 7b,          7a, 0",
        "7b 7a,          7b, 0",
        "7a 7b 7b,       7b, 12",
        "7b 7a 7b,       7b, 02",
        "7a 7b 7c,       7a, 0",
        "7a 7b 7c 7c,    7c, 23",
        "7a 7b 7b 7a,    7a, 03",
        "7b 7a 7a 7b,    7b, 03",
        "+0b 7a,         7a, 1",
        "+0b +0b 7a,     7a, 2",
        "+9b +9b 7a,     7a, 2",
        "+0a 7a 7b,      7a, 01",
        "7a 6a,          7a, 01",
        "6a 7a 7a,       7a, 012",
        "6b 6b 7a,       6b, 01",
        "+0a +0b +0b,    0b, 12",
        "+0a +0b,        0a, 0",
        "+0a +3b +0a,    3b, 1",
        "+3c +3b +0a +3b, 3b, 13",
        "0a +5b,         5b, 1",
        "0a 0b +0b,      0b, 12",
        "0a 1b 0a,       1b, 1"
    })
    void whatMostVotersHoldIsRight(String claims, String right, String holders) {
        StateVote vote = decide(claims);
        assertEquals(claim(right), vote.agreed());
        assertEquals(holders.chars().mapToObj(rank -> rank - '0').toList(), vote.holders());
        int world = claims.split(" ", -1).length;
        assertEquals(world - holders.length(), vote.sources().size());
    }

    @Test
    void whoLacksItAsksHoldersOfItsChoiceOrTheFirstTwo() {
        StateVote vote = StateVote.decide(List.of(
                claim("+0x", 3, 1, 4, 2), claim("5a"), claim("5b", 0, 2), claim("5a"), claim("5a"), claim("+0y", 0)));
        assertEquals(Map.of(0, List.of(3, 1, 4), 2, List.of(1, 3), 5, List.of(1, 3)), vote.sources());
        assertEquals(List.of(), vote.fetchersFrom(0));
        assertEquals(List.of(0, 2, 5), vote.fetchersFrom(1));
        assertEquals(List.of(0, 2, 5), vote.fetchersFrom(3));
        assertEquals(List.of(0), vote.fetchersFrom(4));
    }

    @Test
    void aClaimSurvivesTheWire() {
        try (var arena = Arena.ofConfined()) {
            var table = arena.allocate(3L * StateClaim.BYTES).fill((byte) 0x55);
            for (StateClaim claim : List.of(
                    claim("0a"), claim("+281474976710656z", 1), claim("12c", 65534, 0, 3, 2), claim("+1d", 5))) {
                claim.writeTo(table, StateClaim.BYTES);
                assertEquals(claim, StateClaim.readFrom(table, StateClaim.BYTES));
                assertEquals(0x55, table.get(ValueLayout.JAVA_BYTE, 2L * StateClaim.BYTES));
            }
            table.set(ValueLayout.JAVA_BYTE, 7, (byte) 0x80);
            assertThrows(IllegalArgumentException.class, () -> StateClaim.readFrom(table, 0));
        }
    }
}

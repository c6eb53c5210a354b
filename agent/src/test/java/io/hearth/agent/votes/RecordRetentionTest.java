package io.hearth.agent.votes;

import static io.hearth.agent.votes.VoteWorld.SEAT;
import static io.hearth.agent.votes.VoteWorld.found;
import static io.hearth.agent.votes.VoteWorld.lineage;
import static io.hearth.agent.votes.VoteWorld.lone;
import static io.hearth.agent.votes.VoteWorld.open;
import static io.hearth.agent.votes.VoteWorld.records;
import static io.hearth.agent.votes.VoteWorld.view;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.agent.votes.RecordRetention.Sighting;
import io.hearth.agent.votes.RecordRetention.State;
import io.hearth.agent.votes.RecordRetention.Verdict;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecordRetentionTest {
    private static final long NOW = 1_763_000_000_000L;
    private static final long MINUTE = 60_000;
    private static final long DAY = 24 * 60 * MINUTE;
    private static final int NEVER = -1;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    /** The minute at which the one record is deleted, while the wall clock advances by {@code stepMillis}. */
    private static int deletedAt(boolean needed, long modifiedMillis, long stepMillis, int minutesMax) {
        State state = State.EMPTY;
        for (int minute = 0; minute <= minutesMax; minute++) {
            Verdict verdict = RecordRetention.observe(
                    state,
                    List.of(new Sighting(lineage(0), modifiedMillis, needed)),
                    Set.of(),
                    NOW + minute * stepMillis);
            if (!verdict.deleted().isEmpty()) {
                return minute;
            }
            state = verdict.next();
        }
        return NEVER;
    }

    @Test
    void aRecordThatNoOtherMachineNeedsGoesAfterTenAwakeMinutesWhateverTheClockSays() {
        assertEquals(10, deletedAt(false, NOW - MINUTE, MINUTE, 100));
        assertEquals(10, deletedAt(false, NOW - MINUTE, 0, 100), "the clock stands still");
        assertEquals(10, deletedAt(false, NOW - MINUTE, -DAY, 100), "it runs backwards");
        assertEquals(10, deletedAt(false, NOW - MINUTE, 400 * DAY, 100), "a night's sleep between the minutes");
        assertEquals(10, deletedAt(false, NOW + 400 * DAY, MINUTE, 100), "a time stamp of the future");
    }

    @Test
    void aRecordThatAnotherMachineNeedsGoesAfterThirtyDays() {
        assertEquals(NEVER, deletedAt(true, NOW - MINUTE, MINUTE, 1_000));
        assertEquals(NEVER, deletedAt(true, NOW - 29 * DAY, MINUTE, 1_000));
        assertEquals(10, deletedAt(true, NOW - 30 * DAY, MINUTE, 1_000));
        assertEquals(15, deletedAt(true, NOW, 2 * DAY, 1_000));
        assertEquals(
                10, deletedAt(true, NOW, 365 * DAY, 1_000), "not before ten awake minutes, though the clock jumped");
    }

    @Test
    void whatAnyProcessUsesStays() {
        State state = State.EMPTY;
        for (int minute = 0; minute < 100; minute++) {
            List<Sighting> sightings = List.of(
                    new Sighting(lineage(0), NOW - 400 * DAY, false), // this process uses it
                    new Sighting(lineage(1), NOW + minute / 9 * MINUTE, false), // another process, at long intervals
                    new Sighting(lineage(2), NOW - 365 * DAY - minute, false)); // another one, with a wrong clock
            Verdict verdict = RecordRetention.observe(state, sightings, Set.of(lineage(0)), NOW);
            assertEquals(Set.of(), verdict.deleted(), "minute " + minute);
            state = verdict.next();
        }
    }

    @Test
    void anInterruptedQuietStartsAgainFromNothing() {
        State state = State.EMPTY;
        for (int minute = 0; minute < 10; minute++) {
            state = RecordRetention.observe(state, List.of(new Sighting(lineage(0), NOW, false)), Set.of(), NOW)
                    .next();
        }
        state = RecordRetention.observe(state, List.of(new Sighting(lineage(0), NOW + 1, false)), Set.of(), NOW)
                .next();
        for (int minute = 1; minute <= 10; minute++) {
            Verdict verdict =
                    RecordRetention.observe(state, List.of(new Sighting(lineage(0), NOW + 1, false)), Set.of(), NOW);
            assertEquals(minute == 10, !verdict.deleted().isEmpty(), "minute " + minute);
            state = verdict.next();
        }
    }

    /** Records 0 to {@code count - 1}, oldest first, all older than an hour. */
    private static List<Sighting> many(int count, boolean needed) {
        return new ArrayList<>(IntStream.range(0, count)
                .mapToObj(number -> new Sighting(lineage(number), NOW - 10 * DAY + number * MINUTE, needed))
                .toList());
    }

    private static SortedSet<Lineage> lineages(int from, int to) {
        var lineages = new TreeSet<Lineage>();
        for (int number = from; number < to; number++) {
            lineages.add(lineage(number));
        }
        return lineages;
    }

    @Test
    void ofMoreThanSixtyFourThoseUnusedLongestGoAtOnce() {
        assertEquals(Set.of(), deleted(many(64, true), Set.of()));
        assertEquals(lineages(0, 1), deleted(many(65, true), Set.of()));
        assertEquals(lineages(0, 36), deleted(many(100, true), Set.of()));
        assertEquals(lineages(3, 5), deleted(many(66, true), lineages(0, 3)), "not those that this process uses");
    }

    private static SortedSet<Lineage> deleted(List<Sighting> sightings, Set<Lineage> used) {
        return RecordRetention.observe(State.EMPTY, sightings, used, NOW).deleted();
    }

    @Test
    void ofMoreThanSixtyFourThoseThatNoMachineNeedsGoFirst() {
        List<Sighting> sightings = many(65, true);
        sightings.set(40, new Sighting(lineage(40), NOW - DAY, false));
        assertEquals(lineages(40, 41), deleted(sightings, Set.of()));
    }

    @Test
    void ofMoreThanSixtyFourThoseThatOtherProcessesUseStay() {
        List<Sighting> sightings = many(70, true);
        for (int number = 0; number < 70; number++) {
            sightings.set(number, new Sighting(lineage(number), NOW - number * 1_000L, true));
        }
        assertEquals(Set.of(), deleted(sightings, Set.of()), "touched within ten minutes");
        State state = State.EMPTY;
        for (int minute = 0; minute < 3; minute++) {
            Verdict verdict = RecordRetention.observe(state, sightings, Set.of(), NOW);
            assertEquals(
                    minute < 2 ? Set.of() : lineages(64, 70), verdict.deleted(), "their users would have touched them");
            state = verdict.next();
        }
    }

    @Test
    void theFolderMarksWhatIsUsedDeletesTheRestAndNamesWhatIsMissing() throws Exception {
        Path folder = home.resolve("votes");
        try (VoteFolder votes = open(folder)) {
            votes.carryOut(new VoterTask.Found(lone(0)));
            votes.carryOut(new VoterTask.Found(lone(1)));
            votes.carryOut(found(2));
            votes.carryOut(new VoterTask.Enter(lineage(3), SEAT));
            votes.carryOut(new VoterTask.Enter(lineage(4), SEAT + 1));
            votes.carryOut(new VoterTask.Learn(view(4, 7))); // lists this machine with another seat
            for (int minute = 0; minute <= 10; minute++) {
                assertEquals(
                        new VoterAnswer.Retained(lineages(5, 6)),
                        votes.carryOut(retain(new TreeSet<>(Set.of(lineage(0), lineage(5))))));
                votes.load(); // is no minute
                assertEquals(minute < 10 ? 5 : 2, records(folder).size(), "minute " + minute);
            }
            assertEquals(
                    Set.of(lineage(0), lineage(2)),
                    Set.copyOf(votes.load().stream().map(LineageRecord::lineage).toList()));
            assertEquals(new VoterAnswer.Retained(lineages(1, 2)), votes.carryOut(retain(lineages(0, 2))));
        }
    }

    @Test
    void theTouchOfOneProcessKeepsARecordForAllOthers() throws Exception {
        Path folder = home.resolve("votes");
        var clock = new VoteWorld.SetClock();
        try (VoteFolder votes = open(folder, clock);
                VoteFolder user = open(folder, clock)) {
            votes.carryOut(new VoterTask.Found(lone(0)));
            for (int minute = 0; minute < 30; minute++) {
                clock.add(Duration.ofMinutes(1));
                assertEquals(new VoterAnswer.Retained(lineages(0, 0)), user.carryOut(retain(lineages(0, 1))));
                assertEquals(new VoterAnswer.Retained(lineages(0, 0)), votes.carryOut(retain(lineages(0, 0))));
                assertEquals(1, records(folder).size(), "minute " + minute);
            }
            for (int minute = 1; minute <= 10; minute++) {
                assertEquals(1, records(folder).size(), "minute " + minute);
                clock.add(Duration.ofMinutes(1));
                votes.carryOut(retain(lineages(0, 0)));
            }
            assertEquals(List.of(), records(folder));
            assertEquals(new VoterAnswer.Retained(lineages(0, 1)), user.carryOut(retain(lineages(0, 1))));
        }
    }

    private static VoterTask retain(SortedSet<Lineage> used) {
        return new VoterTask.Retain(used);
    }

    @Test
    void theOldestOfSixtyFiveRecordsGoesAtTheNextStart() throws Exception {
        Path folder = home.resolve("votes");
        try (VoteFolder votes = open(folder)) {
            for (int number = 0; number < 65; number++) {
                votes.carryOut(found(number));
                Path file = new RecordFiles(folder).file(lineage(number));
                Files.setLastModifiedTime(file, FileTime.fromMillis(NOW - DAY + number * MINUTE));
            }
        }
        try (VoteFolder votes = open(folder)) {
            assertEquals(
                    lineages(1, 65),
                    new TreeSet<>(
                            votes.load().stream().map(LineageRecord::lineage).toList()));
            assertEquals(64, records(folder).size());
        }
    }
}

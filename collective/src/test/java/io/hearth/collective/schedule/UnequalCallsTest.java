package io.hearth.collective.schedule;

import static org.junit.jupiter.api.Assertions.fail;

import io.hearth.collective.schedule.Patterns.Size;
import io.hearth.collective.schedule.PlayedWorld.Play;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Members that play different schedules: a member detects it before all of them wait for bytes that never come. */
final class UnequalCallsTest {
    private static final int[] COUNTS = {0, 1, 40};
    private static final int ROOTS_MAX = 3;

    /** One member's call; the first segment in each of its streams carries it. */
    private record Call(Patterns kind, int count, int root) {}

    private static List<Call> calls(int world) {
        List<Call> calls = new ArrayList<>();
        for (Patterns kind : Patterns.values()) {
            for (int count : COUNTS) {
                for (int root = 0; root < Math.min(world, ROOTS_MAX); root++) {
                    calls.add(new Call(kind, count, root));
                }
            }
        }
        return calls;
    }

    @ParameterizedTest
    @EnumSource
    void anyTwoCallsAmongTheMembersAreSeen(Play play) {
        for (int world = 2; world <= 4; world++) {
            List<Call> calls = calls(world);
            for (Call one : calls) {
                for (Call other : calls) {
                    for (int who = 1; who < (1 << world) - 1 && !one.equals(other); who++) {
                        List<Call> mixed = new ArrayList<>();
                        for (int position = 0; position < world; position++) {
                            mixed.add((who >> position & 1) == 1 ? one : other);
                        }
                        assertSeen(mixed, play);
                    }
                }
            }
        }
    }

    @Test
    void anyMixtureOfCallsIsSeen() {
        for (int seed = 0; seed < 20_000; seed++) {
            var random = new SplittableRandom(seed);
            int world = random.nextInt(2, 12);
            List<Call> calls = calls(world);
            List<Call> few = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                few.add(calls.get(random.nextInt(calls.size())));
            }
            List<Call> mixed = new ArrayList<>();
            for (int position = 0; position < world; position++) {
                mixed.add(few.get(random.nextInt(random.nextInt(1, 4))));
            }
            if (Set.copyOf(mixed).size() > 1) {
                assertSeen(mixed, random.nextBoolean() ? Play.OVERLAPPED : Play.IN_TURN);
            }
        }
    }

    /**
     * A stream takes one segment; in turn, any number. The order in which members move does not affect how far they get, because each has
     * fixed sequences.
     */
    private static void assertSeen(List<Call> calls, Play play) {
        int world = calls.size();
        List<Schedule> schedules = new ArrayList<>();
        for (int position = 0; position < world; position++) {
            Call call = calls.get(position);
            schedules.add(call.kind()
                    .of(new Size(world, call.count(), 8, 64), call.root())
                    .schedule()
                    .apply(position));
        }
        var streams = new ArrayList<Deque<Call>>();
        for (int i = 0; i < world * world; i++) {
            streams.add(new ArrayDeque<>());
        }
        int streamMax = play == Play.OVERLAPPED ? 1 : Integer.MAX_VALUE;
        long[] sent = new long[world];
        long[] received = new long[world];
        Transfer transfer = new Transfer();
        Set<Integer> heard = new HashSet<>();
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int position = 0; position < world; position++) {
                Schedule schedule = schedules.get(position);
                boolean mustSend = false;
                if (sent[position] < schedule.sends()) {
                    schedule.send(sent[position], transfer);
                    Deque<Call> stream = streams.get(position * world + transfer.peer());
                    mustSend = transfer.after() <= received[position];
                    if (mustSend && stream.size() < streamMax) {
                        stream.add(calls.get(position));
                        sent[position]++;
                        moved = true;
                        continue;
                    }
                }
                if (received[position] < schedule.receives() && (play == Play.OVERLAPPED || !mustSend)) {
                    schedule.receive(received[position], transfer);
                    int stream = transfer.peer() * world + position;
                    Call other = streams.get(stream).poll();
                    if (other != null && heard.add(stream) && !other.equals(calls.get(position))) {
                        return;
                    }
                    received[position] += other == null ? 0 : 1;
                    moved |= other != null;
                }
            }
        }
        fail("no member detects the difference: " + calls + " " + play);
    }
}

package io.hearth.collective.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * All positions of one schedule, each with an input, a buffer with random content at first, and a bounded stream to every other position.
 *
 * <p>Elements are raw bits of any type; {@code op} combines two of them, and {@code average} is applied once all contributions are in.
 */
final class PlayedWorld {
    /** Ways in which a member plays a schedule. */
    enum Play {
        /** A sender and a receiver, each in its order. */
        OVERLAPPED,
        /** One thread: sends as early as it may, receives only what the next send needs, and the rest in the end. */
        IN_TURN,
        /** One thread, around a ring: its lead of sent over received segments stays below what a stream takes. */
        AHEAD
    }

    /** A segment in a stream. */
    private record Segment(int chunk, long offset, List<Long> values) {}

    private final List<Schedule> schedules = new ArrayList<>();
    private final List<List<Deque<Segment>>> streams = new ArrayList<>();
    private final Play[] plays;
    private final int elementBytes;
    private final int segmentsMax;
    private final LongBinaryOperator op;
    private final LongUnaryOperator average;
    private final SplittableRandom random;
    private final Transfer transfer = new Transfer();
    private final long[][] bytesTo;

    /** By position. */
    final List<long[]> inputs = new ArrayList<>();

    /** By position. */
    final List<long[]> buffers = new ArrayList<>();

    /** The initial content of the buffers. */
    final List<long[]> rubbish = new ArrayList<>();

    final long[] sent;
    final long[] received;

    /** Streams take {@code segmentsMax} segments if no member plays in turn, and any number otherwise. */
    PlayedWorld(
            int world,
            int count,
            int elementBytes,
            IntFunction<Schedule> schedule,
            LongBinaryOperator op,
            LongUnaryOperator average,
            int segmentsMax,
            SplittableRandom random) {
        this.elementBytes = elementBytes;
        this.op = op;
        this.average = average;
        this.segmentsMax = segmentsMax;
        this.random = random;
        plays = new Play[world];
        sent = new long[world];
        received = new long[world];
        bytesTo = new long[world][world];
        for (int position = 0; position < world; position++) {
            schedules.add(schedule.apply(position));
            plays[position] = Play.OVERLAPPED;
            inputs.add(random.longs(count).toArray());
            buffers.add(random.longs(count).toArray());
            rubbish.add(buffers.getLast().clone());
            List<Deque<Segment>> out = new ArrayList<>();
            for (int to = 0; to < world; to++) {
                out.add(new ArrayDeque<>());
            }
            streams.add(out);
        }
    }

    /** Gives each position numbers as its input, by their raw bits. */
    void inputs(LongUnaryOperator ofRandom) {
        for (long[] input : inputs) {
            for (int i = 0; i < input.length; i++) {
                input[i] = ofRandom.applyAsLong(input[i]);
            }
        }
    }

    void play(int position, Play play) {
        plays[position] = play;
    }

    /** Whether that position may play {@link Play#AHEAD}. */
    boolean isEvenRing(int position) {
        Schedule schedule = schedules.get(position);
        return schedule.isAround() && schedule.sends() == schedule.receives();
    }

    boolean isThrough(int position) {
        Schedule schedule = schedules.get(position);
        return sent[position] == schedule.sends() && received[position] == schedule.receives();
    }

    private boolean isOver() {
        for (int position = 0; position < sent.length; position++) {
            if (!isThrough(position)) {
                return false;
            }
        }
        return true;
    }

    /** Plays until all have completed; some members move far more often than others. */
    void play(String what) {
        int favourite = random.nextInt(2 * sent.length);
        while (!isOver()) {
            assertTrue(
                    move(random.nextInt(3) == 0 ? random.nextInt(2 * sent.length) : favourite, -1),
                    () -> what
                            + ": no member can move after " + Arrays.toString(sent) + " sends and "
                            + Arrays.toString(received) + " receives");
        }
        check(what);
    }

    /** Plays without one position until no member can move. */
    void playWithout(int absent) {
        while (move(random.nextInt(2 * sent.length), absent)) {
            assertTrue(sent[absent] == 0 && received[absent] == 0);
        }
    }

    private boolean move(int first, int absent) {
        for (int i = 0; i < 2 * sent.length; i++) {
            int move = (first + i) % (2 * sent.length);
            int position = move / 2;
            if (position != absent && (move % 2 == 0 ? trySend(position) : tryReceive(position))) {
                return true;
            }
        }
        return false;
    }

    private boolean trySend(int position) {
        Schedule schedule = schedules.get(position);
        if (sent[position] == schedule.sends()) {
            return false;
        }
        schedule.send(sent[position], transfer);
        Deque<Segment> stream = streams.get(position).get(transfer.peer());
        boolean anyInTurn = List.of(plays).contains(Play.IN_TURN);
        assertTrue(transfer.after() <= schedule.receives(), "a send that waits for more receives than there are");
        if (!maySend(position) || (!anyInTurn && stream.size() == segmentsMax)) {
            return false;
        }
        assertTrue(transfer.peer() != position, "no position sends to itself");
        long[] from = (transfer.fromInput() ? inputs : buffers).get(position);
        assertEquals(0, transfer.offset() % elementBytes + transfer.length() % elementBytes, "whole elements");
        int start = (int) (transfer.offset() / elementBytes);
        List<Long> values = Arrays.stream(from, start, start + transfer.length() / elementBytes)
                .boxed()
                .toList();
        stream.add(new Segment(transfer.chunk(), transfer.offset(), values));
        bytesTo[position][transfer.peer()] += transfer.length();
        sent[position]++;
        return true;
    }

    private boolean maySend(int position) {
        Schedule schedule = schedules.get(position);
        if (sent[position] == schedule.sends()) {
            return false;
        }
        schedule.send(sent[position], transfer);
        boolean isTooFarAhead = plays[position] == Play.AHEAD
                && received[position] < schedule.receives()
                && sent[position] - received[position] >= segmentsMax - 1;
        return transfer.after() <= received[position] && !isTooFarAhead;
    }

    private boolean tryReceive(int position) {
        Schedule schedule = schedules.get(position);
        if (received[position] == schedule.receives()) {
            return false;
        }
        if (plays[position] != Play.OVERLAPPED && maySend(position)) {
            return false; // that thread sends, or waits for space in the stream
        }
        schedule.receive(received[position], transfer);
        Segment segment = streams.get(transfer.peer()).get(position).poll();
        if (segment == null) {
            return false;
        }
        assertEquals(
                List.of(segment.chunk(), segment.offset(), segment.values().size() * elementBytes),
                List.of(transfer.chunk(), transfer.offset(), transfer.length()),
                () -> transfer.peer() + " to " + position);
        take(position, segment);
        received[position]++;
        return true;
    }

    private void take(int position, Segment segment) {
        long[] input = inputs.get(position);
        long[] buffer = buffers.get(position);
        int start = (int) (segment.offset() / elementBytes);
        for (int i = 0; i < segment.values().size(); i++) {
            long came = segment.values().get(i);
            int at = start + i;
            switch (transfer.action()) {
                case NOTE -> throw new AssertionError("a note has no bytes");
                case COPY -> buffer[at] = came;
                case COMBINE_WITH_INPUT -> buffer[at] = op.applyAsLong(input[at], came);
                case COMBINE -> buffer[at] = op.applyAsLong(buffer[at], came);
                case COPY_THEN_INPUT -> buffer[at] = op.applyAsLong(came, input[at]);
                case COMBINE_THEN_INPUT -> buffer[at] = op.applyAsLong(op.applyAsLong(buffer[at], came), input[at]);
            }
            if (transfer.completes()) {
                buffer[at] = average.applyAsLong(buffer[at]);
            }
        }
    }

    private void check(String what) {
        long most = 0;
        for (int position = 0; position < sent.length; position++) {
            long bytes = 0;
            for (int to = 0; to < sent.length; to++) {
                bytes += bytesTo[position][to];
                most = Math.max(most, bytesTo[position][to]);
                assertTrue(streams.get(position).get(to).isEmpty(), what + ": segments that no position receives");
            }
            assertEquals(bytes, schedules.get(position).bytesSent(), what + ": bytes sent by " + position);
        }
        for (Schedule schedule : schedules) {
            assertEquals(most, schedule.bytesToOneMax(), what + ": most bytes to one");
        }
    }
}

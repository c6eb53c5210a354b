package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.select.Engines;
import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.exchange.ExchangeFuzzTest;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.identity.NodeId;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * As {@link ExchangeFuzzTest}, for collectives that move values unchanged: rank 1 sometimes sends changed records. Each honest rank
 * gets the right values, or a typed error and unchanged memory. No rank waits for ever.
 */
final class MovementFuzzTest {
    private static final int SEEDS = Boolean.getBoolean("hearth.full") ? 240 : 60;
    private static final int ROUNDS = 2;
    private static final int GUARD = 4; // elements
    private static final float UNTOUCHED = -7;
    private static final CollectiveOptions SOON = CollectiveOptions.DEFAULTS.within(Duration.ofMillis(500));
    private static final CollectiveOptions PATIENT = CollectiveOptions.DEFAULTS;

    private enum Kind {
        BROADCAST,
        GATHER,
        SCATTER,
        PAIR
    }

    static LongStream seeds() {
        Long one = Long.getLong("hearth.seed");
        return one == null ? LongStream.range(0, SEEDS) : LongStream.of(one);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whatArrivesIsRightOrATypedError(long seed) throws Exception {
        var random = new SplittableRandom(seed);
        Kind kind = Kind.values()[(int) (seed % Kind.values().length)];
        int world = random.nextInt(2, 5);
        int count = random.nextInt(1, kind == Kind.PAIR ? 150_000 : 900);
        boolean fromLiar = random.nextBoolean();
        var config = CollectiveConfig.DEFAULTS
                .cut(512, random.nextBoolean() ? 0 : CollectiveConfig.IN_TURN_BYTES_MAX)
                .by(random.nextBoolean() ? BroadcastStrategy.RING : BroadcastStrategy.TREE);
        int first = random.nextInt(12);
        int last = first + random.nextInt(1, 3);
        long mutations = random.nextLong();
        var seen = new AtomicInteger();
        LyingStreams.Lie lie = record -> {
            int at = seen.getAndIncrement();
            if (at < first || at >= last) {
                return List.of(record);
            }
            var draw = new SplittableRandom(mutations + at);
            boolean isTwice = kind == Kind.PAIR && draw.nextInt(3) == 0; // only their order identifies its records
            return isTwice ? List.of(record, record) : ExchangeFuzzTest.mutated(record, draw);
        };
        var fabric = new MemoryFabric();
        List<NodeId> nodes = IntStream.range(0, world).mapToObj(TestGroup::node).toList();
        NodeId liar = nodes.get(LiedTo.LIAR);
        var play = new Play("seed " + seed + ": " + kind + " of " + count, world, count, fromLiar ? LiedTo.LIAR : 0);
        try (var group = new TestGroup(
                nodes,
                EngineOptions.DEFAULTS.within(Duration.ofMinutes(1)).with(config),
                List.of(),
                rank -> Engines.best().newReducer(),
                node -> node.equals(liar) ? new LyingStreams(fabric.of(node), lie) : fabric.of(node),
                Clock.system())) {
            TestGroup.Work work = (rank, _) -> {
                for (int round = 0; round < ROUNDS; round++) {
                    play.one(kind, group.engine(rank), rank, round);
                }
            };
            LiedTo.settle(group, work, new ArrayList<>())
                    .forEach((rank, thrown) -> assertTrue(
                            thrown instanceof CollectiveException, play.what + ", rank " + rank + ": " + thrown));
        }
    }

    /** Memory between guards; a call may write all of it or nothing. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Room(float[] whole) {
        static Room of(float[] values) {
            float[] whole = new float[values.length + 2 * GUARD];
            Arrays.fill(whole, UNTOUCHED);
            System.arraycopy(values, 0, whole, GUARD, values.length);
            return new Room(whole);
        }

        static Room empty(int count) {
            float[] values = new float[count];
            Arrays.fill(values, UNTOUCHED);
            return of(values);
        }

        MemorySegment values() {
            return MemorySegment.ofArray(whole).asSlice(4L * GUARD, 4L * (whole.length - 2 * GUARD));
        }

        void holds(float[] expected, String what) {
            assertArrayEquals(of(expected).whole, whole, what);
        }
    }

    private record Play(String what, int world, int count, int root) {
        float[] values(int rank, int round) {
            return CollectiveEngineTest.input(rank + 100 * round, count);
        }

        void one(Kind kind, CollectiveEngine engine, int rank, int round) throws CollectiveException {
            int root = engine.worldSize() == world ? this.root : 0; // the liar was removed
            String where = what + ", rank " + rank + ", round " + round;
            switch (kind) {
                case BROADCAST -> {
                    Room room = Room.of(values(rank, round));
                    float[] after = values(rank, round);
                    try {
                        engine.broadcast(room.values(), DataType.FLOAT32, root, PATIENT);
                        after = values(root, round);
                    } finally {
                        check(rank, room, after, where);
                    }
                }
                case GATHER -> {
                    Room block = Room.of(values(rank, round));
                    Room all = Room.empty(world * count);
                    float[] after = untouched(world * count);
                    try {
                        int blocks = engine.gather(block.values(), all.values(), DataType.FLOAT32, root, PATIENT)
                                .contributors();
                        if (rank == root) {
                            fill(after, blocks, round);
                        }
                    } finally {
                        check(rank, all, after, where);
                        check(rank, block, values(rank, round), where);
                    }
                }
                case SCATTER -> {
                    Room blocks = Room.empty(world * count);
                    float[] sent = untouched(world * count);
                    fill(sent, world, round);
                    blocks.values().copyFrom(MemorySegment.ofArray(sent));
                    Room block = Room.empty(count);
                    float[] after = untouched(count);
                    try {
                        int contributors = engine.scatter(
                                        blocks.values(), block.values(), DataType.FLOAT32, root, PATIENT)
                                .contributors();
                        after = values(contributors < world && rank > LiedTo.LIAR ? rank - 1 : rank, round);
                    } finally {
                        check(rank, block, after, where);
                    }
                }
                case PAIR -> pairs(engine, rank, round, where);
            }
        }

        /** Transfers from rank 0 to each other rank and back. The liar can change only its own transfers. */
        private void pairs(CollectiveEngine engine, int rank, int round, String where) throws CollectiveException {
            for (int other = 1; other < world; other++) {
                if (rank == 0 || rank == other) {
                    int peer = rank == 0 ? other : 0;
                    for (int way = 0; way < 2; way++) {
                        boolean sends = (rank == 0) == (way == 0);
                        try {
                            pass(engine, rank, peer, sends, round, other == LiedTo.LIAR ? SOON : PATIENT, where);
                        } catch (CollectiveException typed) {
                            assertEquals(LiedTo.LIAR, other, where + ": " + typed);
                        }
                    }
                }
            }
        }

        private void pass(
                CollectiveEngine engine,
                int rank,
                int peer,
                boolean sends,
                int round,
                CollectiveOptions how,
                String where)
                throws CollectiveException {
            if (sends) {
                engine.send(Room.of(values(rank, round)).values(), DataType.FLOAT32, peer, how);
                return;
            }
            Room room = Room.empty(count);
            boolean isThere = false;
            try {
                engine.receive(room.values(), DataType.FLOAT32, peer, how);
                isThere = true;
            } finally {
                if (isThere
                        && peer == LiedTo.LIAR) { // after an error at one end, the other one may be a transfer behind
                    boolean isFirst = Arrays.equals(room.values().toArray(ValueLayout.JAVA_FLOAT), values(peer, 0));
                    room.holds(values(peer, isFirst ? 0 : 1), where);
                } else if (isThere) {
                    check(rank, room, values(peer, round), where);
                } else {
                    check(rank, room, untouched(count), where);
                }
            }
        }

        private void fill(float[] all, int blocks, int round) {
            for (int block = 0; block < blocks; block++) {
                int rank = blocks < world && block >= LiedTo.LIAR ? block + 1 : block;
                System.arraycopy(values(rank, round), 0, all, block * count, count);
            }
        }

        private static float[] untouched(int length) {
            float[] all = new float[length];
            Arrays.fill(all, UNTOUCHED);
            return all;
        }

        private static void check(int rank, Room room, float[] expected, String where) {
            if (rank != LiedTo.LIAR) {
                room.holds(expected, where);
            }
        }
    }
}

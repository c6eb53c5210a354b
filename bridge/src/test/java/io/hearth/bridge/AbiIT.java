package io.hearth.bridge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.bridge.log.LogFunction;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two trainers that use only the functions of the table, on the loopback interface. */
final class AbiIT {
    private static final int FLOAT32 = DataType.FLOAT32.number();
    private static final int SUM = ReduceOp.SUM.number();
    private static final MemorySegment NULL = MemorySegment.NULL;
    private static final BlockingQueue<String> LOGGED = new LinkedBlockingQueue<>();

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final Arena arena = Arena.ofShared();
    private final AbiClient api = new AbiClient(arena);
    private final NetworkNamespace namespace = NetworkNamespace.create("test");
    private long first;
    private long second;

    @BeforeEach
    void twoTrainersMeet() throws Exception {
        first = open("first", "");
        second = open("second", "peers=127.0.0.1:" + status(first).get("port").getAsInt());
        long one = api.ok("waitForPeers", first, 1, 60_000);
        long other = api.ok("waitForPeers", second, 1, 60_000);
        assertEquals(1, api.end(one));
        assertEquals(1, api.end(other));
        one = api.ok("start", first, 2, 60_000);
        other = api.ok("start", second, 2, 60_000);
        assertEquals(2, api.end(one));
        assertEquals(2, api.end(other));
        if (api.ok("rank", first) == 1) { // first is rank 0 from here on
            long swapped = first;
            first = second;
            second = swapped;
        }
    }

    @AfterEach
    void end() {
        api.call("abort", first);
        api.call("abort", second);
        arena.close();
    }

    private long open(String home, String more) throws Exception {
        HearthHome made = HearthHome.open(folder.resolve(home));
        NamespaceFile.in(made).add(namespace);
        String settings = "home=" + made.folder() + "\nnamespace=test\ninterfaces=" + loopback() + "\n" + more;
        return api.end(api.ok("open", settings));
    }

    private static String loopback() throws SocketException {
        for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
            if (each.isLoopback()) {
                return each.getName();
            }
        }
        throw new AssertionError("no loopback interface");
    }

    private JsonObject status(long group) {
        return JsonParser.parseString(api.text("status", group)).getAsJsonObject();
    }

    /** Begins a call on both trainers and waits for both. */
    private void both(BiFunction<Long, Integer, Long> call) {
        long one = call.apply(first, 0);
        long other = call.apply(second, 1);
        assertEquals(2, api.end(one));
        assertEquals(2, api.end(other));
    }

    private static float[] values(MemorySegment memory) {
        return memory.toArray(ValueLayout.JAVA_FLOAT);
    }

    @Test
    void everyCollectiveDoesWhatItsNameSays() {
        MemorySegment[] own = {api.floats(1, 2, 3, 4), api.floats(10, 20, 30, 40)};
        MemorySegment[] sums = {api.floats(0, 0, 0, 0), api.floats(0, 0, 0, 0)};
        both((group, i) -> api.ok("allReduce", group, own[i], sums[i], 16, FLOAT32, SUM, NULL, NULL));
        assertArrayEquals(new float[] {11, 22, 33, 44}, values(sums[0]));
        assertArrayEquals(new float[] {11, 22, 33, 44}, values(sums[1]));
        assertArrayEquals(new float[] {10, 20, 30, 40}, values(own[1]), "the input is not written");
        both((group, i) -> api.ok("allReduce", group, sums[i], sums[i], 16, FLOAT32, SUM, NULL, "named"));
        assertArrayEquals(new float[] {22, 44, 66, 88}, values(sums[0]), "in place");

        both((group, i) -> api.ok("broadcast", group, sums[i], 16, FLOAT32, 1));
        MemorySegment[] gathered = {api.floats(new float[8]), api.floats(new float[8])};
        both((group, i) -> api.ok("allGather", group, own[i], 16, gathered[i], 32, FLOAT32));
        assertArrayEquals(new float[] {1, 2, 3, 4, 10, 20, 30, 40}, values(gathered[0]));

        MemorySegment[] counts = {arena.allocate(16), arena.allocate(16)};
        both((group, i) -> api.ok("allGatherUnequal", group, own[i], 4 + 8 * i, gathered[i], 32, counts[i], FLOAT32));
        assertArrayEquals(new long[] {1, 3}, counts[0].toArray(ValueLayout.JAVA_LONG));
        assertArrayEquals(new float[] {1, 10, 20, 30}, values(gathered[1].asSlice(0, 16)));

        MemorySegment outcome = arena.allocate(Outcome.BYTES);
        long one = api.ok("reduceScatter", first, own[0], 16, FLOAT32, SUM);
        long other = api.ok("reduceScatter", second, own[1], 16, FLOAT32, SUM);
        api.end(one);
        api.end(other, outcome);
        assertEquals(2, outcome.getAtIndex(ValueLayout.JAVA_LONG, 2), "first element of rank 1");
        assertEquals(2, outcome.getAtIndex(ValueLayout.JAVA_LONG, 3), "elements of rank 1");
        assertArrayEquals(new float[] {10, 20, 33, 44}, values(own[1]));

        MemorySegment[] at = {api.floats(1), api.floats(2)};
        both((group, i) -> api.ok("reduce", group, at[i], 4, FLOAT32, ReduceOp.MAX.number(), 0));
        assertArrayEquals(new float[] {2}, values(at[0]));
        MemorySegment[] pair = {api.floats(0, 0), api.floats(0, 0)};
        both((group, i) -> api.ok("gather", group, at[i], 4, i == 1 ? pair[1] : NULL, 8, FLOAT32, 1));
        assertArrayEquals(new float[] {2, 2}, values(pair[1]));
        MemorySegment parts = api.floats(7, 8);
        both((group, i) -> api.ok("scatter", group, i == 0 ? parts : NULL, 8, at[i], 4, FLOAT32, 0));
        assertArrayEquals(new float[] {8}, values(at[1]));
        MemorySegment[] blocks = {api.floats(1, 2), api.floats(3, 4)};
        both((group, i) -> api.ok("allToAll", group, blocks[i], pair[i], 8, 1, FLOAT32));
        assertArrayEquals(new float[] {1, 3}, values(pair[0]));
        assertArrayEquals(new float[] {2, 4}, values(pair[1]));
        both((group, i) -> api.ok("barrier", group));
        assertTrue(api.ok("sentBytes", first, 0) > 0);
        assertTrue(api.ok("sentBytes", first, 1) > 0);
        assertEquals(0, api.ok("report", first, 1, 10, 0.5));
    }

    @Test
    void transfersOfOnePairArriveInTheirOrder() {
        long[] sends = new long[8];
        for (int i = 0; i < sends.length; i++) {
            sends[i] = api.ok("send", first, api.floats(i), 4, FLOAT32, 1);
        }
        for (int i = 0; i < sends.length; i++) {
            MemorySegment got = api.floats(-1);
            assertEquals(0, api.end(api.ok("receive", second, got, 4, FLOAT32, 0)));
            assertArrayEquals(new float[] {i}, values(got));
            assertEquals(0, api.end(sends[i]));
        }
        assertEquals(-Answers.INVALID_ARGUMENT, api.call("send", first, api.floats(1), 4, FLOAT32, 7));
    }

    /** Lets the first two trainers make a step. */
    private void step() {
        long one = api.ok("beginStep", first);
        long other = api.ok("beginStep", second);
        api.end(one);
        api.end(other);
    }

    /** A third trainer, which has found the two; they are at work, without steps so far. */
    private long third() throws Exception {
        long third = open(
                "third",
                "peers=127.0.0.1:" + status(first).get("port").getAsInt() + ",127.0.0.1:"
                        + status(second).get("port").getAsInt());
        api.end(api.ok("waitForPeers", third, 2, 60_000));
        both((group, i) -> api.ok("barrier", group));
        return third;
    }

    @Test
    void aStartBesideAGroupWithoutStepsEndsAtItsLimit() throws Exception {
        long third = third();
        try {
            long started = api.ok("start", third, 2, 300);
            assertEquals(-8, api.call("wait", started, 60_000, NULL)); // HEARTH_NOT_ENOUGH_PEERS
            assertTrue(api.lastError().contains("start all of them again"), api.lastError());
        } finally {
            api.ok("abort", third);
        }
    }

    @Test
    void aTransferGoesToTheNodeThatHadTheRankWhenItBegan() throws Exception {
        long third = third();
        try {
            long started = api.ok("start", third, 2, 60_000);
            while (api.ok("isDone", started) == 0) { // it is told at a step that it can enter by one
                step();
            }
            assertEquals(0, api.end(started));
            long entering = api.ok("beginStep", third);
            while (api.ok("worldSize", first) < 3) {
                step();
            }
            api.end(entering);
            assertEquals(2, api.ok("rank", third));
            long one = api.ok("send", first, api.floats(1), 4, FLOAT32, 2);
            long two = api.ok("send", first, api.floats(2), 4, FLOAT32, 2); // waits behind the first one
            api.ok("abort", second);
            long[] barriers = {api.ok("barrier", first), api.ok("barrier", third)};
            for (long barrier : barriers) {
                assertEquals(2, api.end(barrier));
            }
            assertEquals(1, api.ok("rank", third));
            for (int i = 1; i <= 2; i++) {
                MemorySegment got = api.floats(0);
                api.end(api.ok("receive", third, got, 4, FLOAT32, 0));
                assertArrayEquals(new float[] {i}, values(got));
            }
            api.end(one);
            api.end(two);
        } finally {
            api.call("abort", third);
        }
    }

    @Test
    void stepsShareTensorsThatMoveAndBytesThatGrow() {
        MemorySegment[] weights = {api.floats(1, 2), api.floats(5, 6)};
        MemorySegment[] moved = {api.floats(3), api.floats(9)};
        byte[] sampler = "epoch 3, place 17".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 2; i++) {
            long group = i == 0 ? first : second;
            share(group, weights[i]);
            api.ok("shareBlob", group, "sampler", 100);
            share(group, moved[i]);
        }
        assertEquals(-Answers.INVALID_ARGUMENT, api.call("setBlob", first, "sampler", arena.allocate(101), 101));
        api.ok("setBlob", first, "sampler", arena.allocateFrom(ValueLayout.JAVA_BYTE, sampler), sampler.length);
        MemorySegment outcome = arena.allocate(Outcome.BYTES);
        long one = api.ok("beginStep", first);
        long other = api.ok("beginStep", second);
        assertEquals(0, api.end(one));
        assertEquals(0, api.end(other, outcome));
        assertEquals(1, outcome.getAtIndex(ValueLayout.JAVA_LONG, 2), "replaced");
        assertArrayEquals(new float[] {3}, values(moved[1]));
        assertArrayEquals(new float[] {5, 6}, values(weights[1]), "no longer shared");
        assertEquals("epoch 3, place 17", api.text("getBlob", second, "sampler"));
        api.ok("unshare", first, "sampler");
        api.ok("unshare", second, "sampler");
        one = api.ok("beginStep", first);
        other = api.ok("beginStep", second);
        assertEquals(1, api.end(one));
        assertEquals(1, api.end(other));
        assertEquals(-Answers.INVALID_ARGUMENT, api.call("getBlob", second, "sampler", NULL, 0));
    }

    @Test
    void aSavedStateIsThatOfItsStep() {
        share(first, api.floats(1));
        share(second, api.floats(1));
        api.ok("resumeAt", first, 41);
        api.ok("resumeAt", second, 41);
        long one = api.ok("beginStep", first);
        long other = api.ok("beginStep", second);
        assertEquals(41, api.end(one));
        assertEquals(41, api.end(other));
        assertEquals(-Answers.WRONG_STATE, api.call("resumeAt", first, 50));
        assertTrue(api.lastError().contains("before"), api.lastError());
    }

    private void share(long group, MemorySegment memory) {
        MemorySegment pairs = arena.allocateFrom(ValueLayout.JAVA_LONG, memory.address(), memory.byteSize());
        api.ok("share", group, "weights", pairs, 1);
    }

    @Test
    void aSubgroupHasRanksOfItsOwnAndEndsWithItsGroup() {
        both((group, i) -> api.ok("barrier", group));
        MemorySegment turned = arena.allocateFrom(ValueLayout.JAVA_LONG, 1, 0);
        long[] pair = {api.end(api.ok("split", first, turned, 2)), api.end(api.ok("split", second, turned, 2))};
        assertEquals(1, api.ok("rank", pair[0]));
        MemorySegment[] values = {api.floats(1), api.floats(2)};
        long one = api.ok("broadcast", pair[0], values[0], 4, FLOAT32, 0);
        long other = api.ok("broadcast", pair[1], values[1], 4, FLOAT32, 0);
        assertEquals(2, api.end(one));
        assertEquals(2, api.end(other));
        assertArrayEquals(new float[] {2}, values(values[0]), "rank 0 of the subgroup is rank 1 of the group");
        MemorySegment own = arena.allocateFrom(ValueLayout.JAVA_LONG, 0L);
        assertEquals(0, api.end(api.ok("split", second, own, 1)), "not in the list");
        assertEquals(-Answers.INVALID_ARGUMENT, api.call("split", first, own, 0));
        long step = api.ok("beginStep", pair[0]);
        assertEquals(-Answers.WRONG_STATE, api.call("wait", step, 60_000, NULL));
        assertEquals(0, api.end(api.ok("close", pair[0])));
        assertEquals(-Answers.INVALID_ARGUMENT, api.call("rank", pair[0]));
        both((group, i) -> api.ok("barrier", group));
        assertEquals(0, api.end(api.ok("close", second)));
        assertEquals(-Answers.INVALID_ARGUMENT, api.call("rank", pair[1]), "its group is closed");
    }

    @Test
    void differentCallsAreAnErrorOnBoth() {
        long one = api.ok("allReduce", first, api.floats(1), api.floats(1), 4, FLOAT32, SUM, NULL, NULL);
        long other = api.ok("allReduce", second, api.floats(1, 2), api.floats(1, 2), 8, FLOAT32, SUM, NULL, NULL);
        for (long call : new long[] {one, other}) {
            MemorySegment outcome = arena.allocate(Outcome.BYTES);
            assertEquals(-3, api.call("wait", call, 60_000, outcome));
            assertEquals(-3, outcome.get(ValueLayout.JAVA_LONG, 0), "also in the outcome");
            assertTrue(api.lastError().contains("1 float32") && api.lastError().contains("2 float32"), api.lastError());
            assertEquals(-Answers.INVALID_ARGUMENT, api.call("wait", call, 0, NULL));
        }
    }

    @Test
    void aWaitEndsInTimeAndAbortEndsTheCall() {
        long open = api.ok("allReduce", first, api.floats(1), api.floats(1), 4, FLOAT32, SUM, NULL, NULL);
        assertEquals(Answers.NOT_YET, api.call("wait", open, 0, NULL));
        assertEquals(Answers.NOT_YET, api.call("wait", open, 20, NULL));
        assertEquals(0, api.ok("isDone", open));
        api.ok("abort", first);
        assertTrue(api.call("wait", open, 60_000, NULL) < 0);
        assertNotEquals("", api.lastError());
        assertEquals(-Answers.INVALID_ARGUMENT, api.call("rank", first));
        assertEquals("no group has the handle " + first + " any more: it was closed, or waited for", api.lastError());
    }

    /** The program's function for log lines. */
    @SuppressWarnings("unused") // called by its address
    private static void take(MemorySegment user, long level, MemorySegment logger, MemorySegment text) {
        LOGGED.add(LogFunction.line(user, level, logger, text));
    }

    @Test
    void logLinesGoToTheFunctionOfTheProgramUntilItTakesItBack() throws Exception {
        MemorySegment function = LogFunction.of(MethodHandles.lookup(), arena);
        assertEquals(0, api.ok("onLog", 20, function, MemorySegment.ofAddress(77)));
        long third = open("third", "");
        String line;
        do { // warnings may come first
            line = LOGGED.poll(60, TimeUnit.SECONDS);
            assertTrue(line != null && line.startsWith("77 "), "log line: " + line);
        } while (!line.startsWith("77 20 io.hearth."));
        assertEquals(0, api.ok("onLog", 20, NULL, NULL));
        LOGGED.clear();
        api.ok("abort", third);
        api.ok("abort", open("fourth", ""));
        assertTrue(LOGGED.isEmpty(), LOGGED::toString);
        assertNotEquals("", api.text("libraryVersion"));
    }

    @Test
    void closingLeavesInOrder() {
        both((group, i) -> api.ok("barrier", group)); // the first call of a group waits for all
        long closing = api.ok("close", second);
        assertEquals(0, api.end(closing));
        assertEquals(-Answers.INVALID_ARGUMENT, api.call("barrier", second));
        assertEquals(1, api.end(api.ok("barrier", first)), "the other one goes on alone");
        assertEquals(1, status(first).get("world_size").getAsInt());
        // the link ends a moment after the view; the time limit of tests ends this
        while (!api.text("progress", first).startsWith("no other node found")) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    @Test
    void closingDoesNotWaitForAStepOfTheOthers() {
        both((group, i) -> api.ok("barrier", group));
        long step = api.ok("beginStep", first);
        assertEquals(0, api.end(api.ok("close", first)));
        long ended = api.call("wait", step, 60_000, NULL);
        assertTrue(ended < 0 && ended != Answers.NOT_YET, api::lastError);
    }

    @Test
    void wrongArgumentsAreNamed() {
        refused("no element type has the number 99", "broadcast", first, api.floats(1), 4, 99, 0);
        refused("a buffer of 4 bytes cannot begin at address 0", "broadcast", first, NULL, 4, FLOAT32, 0);
        refused("a buffer of -1 bytes", "broadcast", first, api.floats(1), -1, FLOAT32, 0);
        refused("the type cannot be 4294967296", "broadcast", first, api.floats(1), 4, 1L << 32, 0);
        refused("the rank cannot be -2147483649", "send", first, api.floats(1), 4, FLOAT32, Integer.MIN_VALUE - 1L);
        refused("the name is a null pointer", "share", first, NULL, NULL, 0);
        refused("the name has more than 63 bytes", "share", first, "n".repeat(64), NULL, 0);
        refused("no group has the handle 999999", "rank", 999_999);
        refused("no call has the handle 999999", "wait", 999_999, 0, NULL);
        long wrong = api.ok("open", "grup=x");
        assertEquals(-Answers.INVALID_ARGUMENT, api.call("wait", wrong, 60_000, NULL));
        assertTrue(api.lastError().contains("did you mean 'group'?"), api.lastError());
        long missing = api.ok("open", "home=" + folder.resolve("none") + "\nnamespace=absent");
        assertEquals(-12, api.call("wait", missing, 60_000, NULL), "no secret");
        long idle = api.end(api.ok("open", "home=" + folder.resolve("first") + "\ninterfaces=lo"));
        assertEquals(-Answers.WRONG_STATE, api.call("rank", idle));
        assertEquals("the group 'default' has not started: call start first", api.lastError());
        api.ok("abort", idle);
    }

    private void refused(String text, String name, Object... arguments) {
        long answer = api.call(name, arguments);
        if (answer > 0) { // the mistake shows at the end of the call
            answer = api.call("wait", answer, 60_000, NULL);
        }
        assertEquals(-Answers.INVALID_ARGUMENT, answer, api.lastError());
        assertTrue(api.lastError().startsWith(text), api.lastError());
    }
}

package io.hearth.coordinator.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.replicated.Application;
import io.hearth.replicated.Content;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What commands do to the list of workers and checkpoints. */
final class WorkerLedgerTest {
    private WorkerLedger ledger = WorkerLedger.EMPTY;

    /** "OK" with the rank, or the code and the text. */
    private String apply(WorkerCommand command) {
        Bytes encoded = command.encoded();
        assertTrue(encoded.size() <= Content.COMMAND_BYTES_MAX);
        var outcome = WorkerLedger.APPLICATION.apply(ledger, encoded);
        ledger = outcome.state();
        assertTrue(outcome.answer().size() <= Content.COMMAND_BYTES_MAX);
        WorkerCommand.Answer answer = WorkerCommand.Answer.decode(outcome.answer());
        return answer.failure().map(why -> why.code() + ": " + why.text()).orElse("OK " + answer.rank());
    }

    /** A ledger with this many workers. */
    static WorkerLedger ledger(int workers, IntFunction<RegisteredWorker> worker) {
        var byId = new TreeMap<String, RegisteredWorker>();
        var byRank = new TreeMap<Integer, RegisteredWorker>();
        for (int i = 0; i < workers; i++) {
            byId.put(worker.apply(i).id(), worker.apply(i));
            byRank.put(i, worker.apply(i));
        }
        return new WorkerLedger(
                byId, byRank, Map.of(), worker.apply(workers - 1).registration(), workers);
    }

    private String register(String id) {
        return apply(new WorkerCommand.Register(id, id + ":1", 0));
    }

    private String leave(String id) {
        return apply(new WorkerCommand.Unregister(id, 0));
    }

    private String end(String id, long epoch) {
        return apply(new WorkerCommand.End(id, epoch, "ckpt-" + epoch));
    }

    private Checkpoint checkpoint(long epoch) {
        Checkpoint found = ledger.checkpoints().get(epoch);
        return Objects.requireNonNull(found);
    }

    @Test
    void ranksAreGivenInTheOrderOfRegistration() {
        assertEquals("OK 0", register("a"));
        assertEquals("OK 1", register("b"));
        assertEquals(List.of("a:1", "b:1"), ledger.peers());
        assertEquals("ALREADY_EXISTS: worker a already registered", register("a"));
        assertEquals("NOT_FOUND: worker q not found", leave("q"));
        assertEquals("INVALID_ARGUMENT: worker id cannot be empty", register(""));
        assertEquals(2, ledger.version());
    }

    /** The original gives rank 2 to the third worker although rank 0 is free: then the first peer is not rank 0. */
    @Test
    void theLowestFreeRankIsGivenAgainAndPeersStandAtTheirRank() {
        register("a");
        register("b");
        register("c");
        leave("a");
        assertEquals(List.of("", "b:1", "c:1"), ledger.peers());
        assertEquals(List.of(0L, 2L, 3L), ledger.registrationsByRank());
        leave("b");
        assertEquals("OK 0", register("d"));
        assertEquals(List.of("d:1", "", "c:1"), ledger.peers());
        assertEquals("OK 1", register("e"));
        assertEquals("OK 3", register("f"));
        assertEquals(List.of("d:1", "e:1", "c:1", "f:1"), ledger.peers());
        leave("f");
        assertEquals(3, ledger.peers().size());
    }

    /** A repeated call is of the same process only if it says so: two machines may claim one address. */
    @Test
    void onlyTheSameSessionMayRepeatItsRegistration() {
        assertEquals("OK 0", apply(new WorkerCommand.Register("a", "a:1", 7)));
        WorkerLedger before = ledger;
        assertEquals("OK 0", apply(new WorkerCommand.Register("a", "a:1", 7)));
        assertEquals(before, ledger);
        for (var other : List.of(
                new WorkerCommand.Register("a", "a:1", 8),
                new WorkerCommand.Register("a", "a:1", 0),
                new WorkerCommand.Register("a", "other:1", 7))) {
            assertEquals("ALREADY_EXISTS: worker a already registered", apply(other));
        }
        assertEquals("NOT_FOUND: worker a not found", apply(new WorkerCommand.Unregister("a", 8)));
        assertEquals("OK 0", apply(new WorkerCommand.Unregister("a", 7)));
    }

    /** An eviction that comes late does not hit the worker that has the rank, or the id, by then. */
    @Test
    void anEvictionIsOfOneRegistration() {
        register("a");
        var eviction = new WorkerCommand.Evict(List.of(1L));
        assertEquals("OK 0", apply(eviction));
        assertEquals(List.of(), ledger.peers());
        register("a");
        WorkerLedger before = ledger;
        apply(eviction);
        assertEquals(before, ledger);
    }

    @Test
    void aCheckpointIsCompleteWhenAllHaveEndedItOrLeft() {
        register("a");
        register("b");
        register("c");
        assertEquals("OK 0", apply(new WorkerCommand.Start(3, "/models")));
        assertEquals("OK 0", apply(new WorkerCommand.Start(3, "/models"))); // its answer was lost
        assertTrue(apply(new WorkerCommand.Start(3, "/other")).startsWith("ALREADY_EXISTS: checkpoint ckpt-3"));
        assertEquals("OK 0", end("a", 3));
        assertEquals("OK 0", end("a", 3));
        assertFalse(checkpoint(3).isComplete());
        leave("b");
        register("b"); // again, too late for this checkpoint
        assertTrue(end("b", 3).startsWith("FAILED_PRECONDITION: worker b registered after checkpoint ckpt-3"));
        assertFalse(checkpoint(3).isComplete());
        assertEquals("OK 0", end("c", 3));
        assertTrue(checkpoint(3).isComplete());
        assertEquals(2, checkpoint(3).ended());
        assertEquals(3, checkpoint(3).listed());
        assertEquals("OK 0", end("a", 3)); // repeated
        apply(new WorkerCommand.Start(3, "/models")); // the epoch is trained again
        assertFalse(checkpoint(3).isComplete());
        assertEquals("OK 0", end("b", 3));
    }

    /** The original takes the end of a checkpoint from anybody. */
    @Test
    void onlyWorkersEndACheckpoint() {
        assertTrue(apply(new WorkerCommand.Start(1, "")).startsWith("FAILED_PRECONDITION: no worker is registered"));
        register("a");
        apply(new WorkerCommand.Start(1, ""));
        apply(new WorkerCommand.Start(2, ""));
        assertEquals("NOT_FOUND: worker q not found", end("q", 1));
        assertEquals("NOT_FOUND: checkpoint ckpt-9 not found", end("a", 9));
        assertEquals(
                "INVALID_ARGUMENT: checkpoint ckpt-1 is not of epoch 2",
                apply(new WorkerCommand.End("a", 2, "ckpt-1")));
        assertTrue(apply(new WorkerCommand.Start(-1, "")).startsWith("INVALID_ARGUMENT"));
        assertFalse(checkpoint(1).isComplete());
    }

    @Test
    void checkpointsAreBounded() {
        register("a");
        for (int epoch = 0; epoch < 1_000; epoch++) {
            assertEquals("OK 0", apply(new WorkerCommand.Start(epoch, "p")));
            end("a", epoch);
        }
        assertEquals(Bounds.CHECKPOINTS_MAX, ledger.checkpoints().size());
        assertTrue(ledger.checkpoints().containsKey(999L));
        for (int epoch = 1_000; epoch < 1_000 + Bounds.OPEN_CHECKPOINTS_MAX; epoch++) {
            assertEquals("OK 0", apply(new WorkerCommand.Start(epoch, "p")));
        }
        assertTrue(apply(new WorkerCommand.Start(5_000, "p")).startsWith("RESOURCE_EXHAUSTED"));
        leave("a");
        assertEquals(0, ledger.openCheckpoints());
    }

    /** The largest ledger is a snapshot that the replicated state takes. */
    @Test
    void theLargestLedgerFitsASnapshot() {
        String longest = "\u20ac".repeat(84); // 252 bytes
        ledger = ledger(Bounds.WORKERS_MAX, i -> {
            String id = longest + Integer.toString(i, 36);
            return new RegisteredWorker(id, id, i, -1, Long.MAX_VALUE - Bounds.WORKERS_MAX + i);
        });
        assertTrue(register("one more").startsWith("RESOURCE_EXHAUSTED: 10000 workers are registered"));
        for (int epoch = 0; epoch < Bounds.OPEN_CHECKPOINTS_MAX; epoch++) {
            apply(new WorkerCommand.Start(epoch, "x".repeat(Bounds.PATH_BYTES_MAX)));
        }
        assertEquals(Bounds.OPEN_CHECKPOINTS_MAX, ledger.openCheckpoints());
        Bytes encoded = WorkerLedger.APPLICATION.encode(ledger);
        assertTrue(encoded.size() <= Application.STATE_BYTES_MAX, () -> encoded.size() + " bytes");
        assertEquals(ledger, WorkerLedger.APPLICATION.decode(encoded));
        assertTrue(new WorkerCommand.Evict(LongStream.range(0, WorkerCommand.EVICTED_MAX)
                                .map(i -> -1 - i)
                                .boxed()
                                .toList())
                        .encoded()
                        .size()
                <= Content.COMMAND_BYTES_MAX);
    }

    @Test
    void longNamesAreRefused() {
        assertTrue(register("x".repeat(257)).startsWith("INVALID_ARGUMENT: a worker id has at most 256 bytes"));
        assertTrue(register("\u20ac".repeat(86)).startsWith("INVALID_ARGUMENT")); // 258 bytes
        assertTrue(apply(new WorkerCommand.Register("a", "", 0)).startsWith("INVALID_ARGUMENT: worker address"));
        register("a");
        assertTrue(apply(new WorkerCommand.Start(1, "x".repeat(1_025))).startsWith("INVALID_ARGUMENT"));
    }

    /** Workers of a ledger that ended register again; their ranks may be taken. */
    @Test
    void twoLedgersThatMeetKeepTheRanksOfTheBetter() {
        register("a");
        register("b");
        apply(new WorkerCommand.Start(1, "p"));
        WorkerLedger better = ledger;
        ledger = WorkerLedger.EMPTY;
        for (String id : List.of("x", "a", "y")) {
            register(id);
        }
        apply(new WorkerCommand.Start(1, "q"));
        apply(new WorkerCommand.Start(2, "q"));
        WorkerLedger both = WorkerLedger.APPLICATION.merge(better, ledger);
        assertEquals(better.peers(), both.peers());
        assertEquals("p", Objects.requireNonNull(both.checkpoints().get(1L)).path());
        assertFalse(
                both.checkpoints().containsKey(2L)); // its writers have to register again: it never becomes complete
        ledger = both;
        assertEquals("OK 2", register("x"));
        assertEquals(4, ledger.registrations()); // above both
        assertTrue(ledger.version() > better.version());
    }

    /** A machine whose clock was wrong may have founded an empty store that is the better one. */
    @Test
    void aLedgerWithoutWorkersGivesWay() {
        register("a");
        register("b");
        apply(new WorkerCommand.Start(1, "p"));
        WorkerLedger both = WorkerLedger.APPLICATION.merge(WorkerLedger.EMPTY, ledger);
        assertEquals(ledger.byId(), both.byId());
        assertEquals(ledger.checkpoints(), both.checkpoints());
        ledger = both;
        assertEquals("OK 0", apply(new WorkerCommand.End("a", 1, "ckpt-1")));
    }

    @Test
    void noBytesThrow() {
        register("a");
        var random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            var bytes = new byte[random.nextInt(24)];
            random.nextBytes(bytes);
            var outcome = WorkerLedger.APPLICATION.apply(ledger, Bytes.of(bytes));
            var _ = WorkerCommand.Answer.decode(outcome.answer());
        }
        assertThrows(
                IllegalArgumentException.class, () -> WorkerLedger.APPLICATION.decode(Bytes.of((byte) 10, (byte) 99)));
        Bytes twice =
                Bytes.join(List.of(WorkerLedger.APPLICATION.encode(ledger), WorkerLedger.APPLICATION.encode(ledger)));
        assertThrows(IllegalArgumentException.class, () -> WorkerLedger.APPLICATION.decode(twice));
    }
}

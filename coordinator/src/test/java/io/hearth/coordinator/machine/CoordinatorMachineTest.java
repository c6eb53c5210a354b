package io.hearth.coordinator.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.coordinator.CoordinatorSettings;
import io.hearth.core.Step;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A coordinator in virtual time, whose ledger is at hand. Answers are written {@code call=answer}. */
final class CoordinatorMachineTest {
    private static final long MILLI = 1_000_000L;
    private static final Failure GONE = new Failure(Failure.Code.UNAVAILABLE, "gone");

    private final CoordinatorMachine machine = new CoordinatorMachine(new CoordinatorSettings(1_000 * MILLI));
    private CoordinatorState state = CoordinatorState.START;
    private WorkerLedger ledger = WorkerLedger.EMPTY;
    private long now = -5_000 * MILLI; // monotonic time may be negative
    private long calls;
    private boolean isStoreSlow;
    private final List<CoordinatorEffect.Store> stores = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();

    private void step(CoordinatorEvent event) {
        Step<CoordinatorState, CoordinatorEffect> step = machine.step(state, event, now);
        state = step.state();
        for (CoordinatorEffect effect : step.effects()) {
            switch (effect) {
                case CoordinatorEffect.Store store -> {
                    stores.add(store);
                    if (!isStoreSlow) {
                        store(store);
                    }
                }
                case CoordinatorEffect.AnswerRegister(long call, int rank, CoordinatorEffect.Peers peers) ->
                    answers.add(call + "=" + rank + " " + peers.addresses());
                case CoordinatorEffect.AnswerUnregister(long call) -> answers.add(call + "=left");
                case CoordinatorEffect.AnswerHeartbeat(
                        long call,
                        long version,
                        Optional<CoordinatorEffect.Peers> peers) ->
                    answers.add(call + "=OK " + version
                            + peers.map(all -> " " + all.addresses()).orElse(""));
                case CoordinatorEffect.AnswerStart(long call, String id) -> answers.add(call + "=" + id);
                case CoordinatorEffect.AnswerEnd(long call) -> answers.add(call + "=ended");
                case CoordinatorEffect.Fail(long call, Failure why) -> answers.add(call + "=" + why.code());
                case CoordinatorEffect.Explain _ -> {}
            }
        }
    }

    private void store(CoordinatorEffect.Store store) {
        var outcome = WorkerLedger.APPLICATION.apply(ledger, store.command());
        ledger = outcome.state();
        step(new CoordinatorEvent.Stored(store.attempt(), outcome.answer(), ledger));
    }

    private void elect() {
        step(new CoordinatorEvent.Elected(ledger));
    }

    private long call(CoordinatorEvent.Request request) {
        step(new CoordinatorEvent.Call(++calls, request));
        return calls;
    }

    private long register(String id) {
        return call(new CoordinatorEvent.Register(id, id + ":1", 0));
    }

    private long beat(String id) {
        return call(new CoordinatorEvent.Heartbeat(id, 0, 0));
    }

    private void pass(long millis) {
        long until = now + millis * MILLI;
        while (true) {
            long sleep = machine.sleepNanos(state, now);
            if (sleep > until - now) {
                now = until;
                return;
            }
            now += sleep;
            step(new CoordinatorEvent.Tick());
        }
    }

    private List<String> take() {
        List<String> taken = List.copyOf(answers);
        answers.clear();
        return taken;
    }

    @Test
    void aRegistrationIsAnsweredWhenItIsStored() {
        elect();
        isStoreSlow = true;
        long a = register("a");
        assertEquals(List.of(), take());
        assertEquals(1, stores.size());
        store(stores.getFirst());
        assertEquals(List.of(a + "=0 [a:1]"), take());
    }

    @Test
    void allCallsAreAnswered() {
        elect();
        register("a");
        register("b");
        call(new CoordinatorEvent.StartCheckpoint(3, "/p"));
        call(new CoordinatorEvent.EndCheckpoint("a", 3, "ckpt-3"));
        call(new CoordinatorEvent.EndCheckpoint("q", 3, "ckpt-3"));
        call(new CoordinatorEvent.Unregister("b", 0));
        beat("a");
        beat("b");
        register("a");
        assertEquals(
                List.of(
                        "1=0 [a:1]",
                        "2=1 [a:1, b:1]",
                        "3=ckpt-3",
                        "4=ended",
                        "5=NOT_FOUND",
                        "6=left",
                        "7=OK 3",
                        "8=NOT_FOUND",
                        "9=ALREADY_EXISTS"),
                take());
    }

    /** The original checks each half time-out, so a silent worker stays for up to one and a half. */
    @Test
    void aSilentWorkerIsTakenOffTheListOnTime() {
        elect();
        register("a");
        pass(400);
        register("b");
        pass(599);
        assertEquals(List.of("a:1", "b:1"), ledger.peers());
        pass(1);
        assertEquals(List.of("", "b:1"), ledger.peers());
        for (int i = 0; i < 100; i++) {
            beat("b");
            pass(999);
        }
        assertEquals(List.of("", "b:1"), ledger.peers());
        pass(1);
        assertEquals(List.of(), ledger.peers());
        assertEquals(Long.MAX_VALUE, machine.sleepNanos(state, now));
        register("c");
        pass(999);
        beat("c");
        pass(999);
        assertEquals(List.of("c:1"), ledger.peers());
    }

    @Test
    void aWorkerThatIsBeingTakenOffIsToldSo() {
        elect();
        register("a");
        take();
        isStoreSlow = true;
        pass(1_000);
        assertEquals(2, stores.size());
        long late = beat("a");
        assertEquals(List.of(late + "=NOT_FOUND"), take());
        step(new CoordinatorEvent.NotStored(stores.getLast().attempt(), GONE)); // then it is still there
        beat("a");
        assertEquals(List.of((late + 1) + "=OK 1"), take());
        isStoreSlow = false;
        pass(1_000);
        assertEquals(List.of(), ledger.peers());
    }

    /** Another machine does not know who was heard, so everybody gets the whole time again. */
    @Test
    void theGracePeriodRestartsAfterAnElection() {
        elect();
        register("a");
        register("b");
        pass(900);
        state = CoordinatorState.START; // what is not in the ledger is gone
        long early = beat("a");
        assertTrue(take().contains(early + "=UNAVAILABLE"));
        elect();
        pass(900);
        beat("a");
        assertEquals(List.of("a:1", "b:1"), ledger.peers());
        pass(100);
        assertEquals(List.of("a:1"), ledger.peers());
        assertEquals(1, state.ledger().byId().size());
    }

    @Test
    void aNodeThatAnswersNoMoreEndsItsCalls() {
        elect();
        isStoreSlow = true;
        long a = register("a");
        long b = register("b");
        step(new CoordinatorEvent.NotStored(stores.get(1).attempt(), GONE));
        step(new CoordinatorEvent.Deposed(GONE));
        long c = register("c");
        assertEquals(List.of(b + "=UNAVAILABLE", a + "=UNAVAILABLE", c + "=UNAVAILABLE"), take());
        store(stores.getFirst()); // it was stored all the same
        assertEquals(List.of(), take());
        assertEquals(Long.MAX_VALUE, machine.sleepNanos(state, now));
    }

    @Test
    void whatACallerThatIsGoneAskedForIsStoredAllTheSame() {
        elect();
        isStoreSlow = true;
        long a = register("a");
        step(new CoordinatorEvent.Ended(a));
        store(stores.getFirst());
        assertEquals(List.of(), take());
        assertEquals(List.of("a:1"), state.ledger().peers());
        isStoreSlow = false;
        pass(999);
        assertEquals(List.of("a:1"), state.ledger().peers());
        pass(1);
        assertEquals(List.of(), state.ledger().peers());
    }

    /** The original tells a worker only of those that came before it. */
    @Test
    void aHeartbeatWithASessionHearsOfNewWorkers() {
        elect();
        call(new CoordinatorEvent.Register("a", "a:1", 7));
        register("b");
        take();
        call(new CoordinatorEvent.Heartbeat("a", 7, 1));
        call(new CoordinatorEvent.Heartbeat("a", 7, 2));
        call(new CoordinatorEvent.Heartbeat("a", 0, 0)); // the original's clients do not ask
        call(new CoordinatorEvent.Heartbeat("a", 8, 0)); // of another process
        assertEquals(List.of("3=OK 2 [a:1, b:1]", "4=OK 2", "5=OK 2", "6=NOT_FOUND"), take());
    }

    @Test
    void callsOutOfRangeAreRefusedBeforeTheyAreStored() {
        elect();
        register("");
        register("x".repeat(257));
        call(new CoordinatorEvent.Register("a", "", 0));
        beat("");
        call(new CoordinatorEvent.Unregister("", 0));
        call(new CoordinatorEvent.StartCheckpoint(-1, ""));
        call(new CoordinatorEvent.StartCheckpoint(1, "x".repeat(1_025)));
        call(new CoordinatorEvent.EndCheckpoint("a", 1, "x".repeat(257)));
        assertEquals(
                8,
                take().stream()
                        .filter(answer -> answer.endsWith("=INVALID_ARGUMENT"))
                        .count());
        assertEquals(List.of(), stores);
    }

    @Test
    void openCallsAreBounded() {
        elect();
        isStoreSlow = true;
        for (int i = 0; i < CoordinatorMachine.OPEN_MAX + 10; i++) {
            register("worker-" + i);
        }
        assertEquals(
                10,
                take().stream()
                        .filter(answer -> answer.endsWith("=RESOURCE_EXHAUSTED"))
                        .count());
    }

    /** Ten thousand workers, of which most fall silent: evictions come in commands that the store takes. */
    @Test
    void tenThousandWorkersFallSilent() {
        ledger = WorkerLedgerTest.ledger(
                Bounds.WORKERS_MAX, i -> new RegisteredWorker("w" + i, "w" + i + ":1", i, 0, i + 1));
        elect();
        pass(900);
        for (int i = 0; i < 10; i++) {
            beat("w" + 1_000 * i);
        }
        pass(100);
        assertEquals(10, ledger.byId().size());
        assertEquals(10, stores.size());
        assertEquals(9_001, ledger.peers().size());
        assertEquals("w9000:1", ledger.peers().getLast());
        pass(900);
        assertEquals(List.of(), ledger.peers());
    }
}

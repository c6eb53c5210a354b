package io.hearth.parameterserver.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.parameterserver.ServerSettings;
import io.hearth.parameterserver.Sizes;
import io.hearth.serve.Failure;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What commands do to the ledger, and leases of trainers. */
final class PartLedgerTest {
    private static final long SECOND = 1_000_000_000L;

    private static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) number;
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }

    private static Assignment assignment(int part, long term, int primary) {
        return new Assignment(
                part,
                term,
                new Assignment.Seat(node(primary), 7),
                Optional.of(new Assignment.Seat(node(primary + 1), -8)),
                term == 1);
    }

    private static PartLedger after(PartLedger start, Bytes... commands) {
        PartLedger now = start;
        for (Bytes command : commands) {
            now = PartLedger.APPLICATION.apply(now, command).state();
        }
        return now;
    }

    private static PartLedger sample() {
        return after(
                PartLedger.EMPTY,
                PartLedger.found(3),
                PartLedger.assign(assignment(0, 1, 1)),
                PartLedger.assign(assignment(2, 1, 2)),
                PartLedger.join("a", 2 * SECOND),
                PartLedger.join("b", 2 * SECOND),
                PartLedger.leave("a"));
    }

    @Test
    void commandsChangeTheLedger() {
        PartLedger ledger = sample();
        assertEquals(3, ledger.parts());
        assertEquals(new TreeSet<>(List.of("b")), ledger.trainers());
        assertEquals(assignment(2, 1, 2), ledger.assignments().get(2));
        assertEquals(ledger, PartLedger.APPLICATION.decode(PartLedger.APPLICATION.encode(ledger)));
    }

    @Test
    void commandsThatComeTooLateChangeNothing() {
        PartLedger ledger = sample();
        for (Bytes late : List.of(
                PartLedger.found(5),
                PartLedger.assign(assignment(0, 1, 3)), // a repeat of a term
                PartLedger.assign(assignment(0, 3, 3)), // not the next one
                PartLedger.assign(assignment(3, 1, 3)), // no such part
                PartLedger.join("", 2 * SECOND),
                PartLedger.join("x".repeat(Sizes.TRAINER_CHARACTERS_MAX + 1), 2 * SECOND),
                PartLedger.leave("nobody"))) {
            var outcome = PartLedger.APPLICATION.apply(ledger, late);
            assertEquals(ledger, outcome.state());
            assertEquals(Bytes.of((byte) 0), outcome.answer());
        }
    }

    @Test
    void noBytesDoHarm() {
        var random = new Random(5);
        PartLedger ledger = sample();
        byte[] good = PartLedger.assign(assignment(0, 2, 1)).toArray();
        for (int i = 0; i < 3_000; i++) {
            byte[] junk = random.nextBoolean() ? good.clone() : new byte[random.nextInt(60)];
            for (int k = 0; k < 3 && junk.length > 0; k++) {
                junk[random.nextInt(junk.length)] = (byte) random.nextInt();
            }
            PartLedger next =
                    PartLedger.APPLICATION.apply(ledger, Bytes.of(junk)).state();
            assertEquals(next, PartLedger.APPLICATION.decode(PartLedger.APPLICATION.encode(next)));
        }
    }

    @Test
    void afterAMergeNoTermIsUsedAgain() {
        PartLedger better = sample();
        PartLedger worse = after(sample(), PartLedger.assign(assignment(0, 2, 4)), PartLedger.join("c", 2 * SECOND));
        PartLedger merged = PartLedger.APPLICATION.merge(better, worse);
        Assignment first = Objects.requireNonNull(merged.assignments().get(0));
        assertEquals(3, first.term());
        assertEquals(node(1), first.primary().node());
        assertEquals(new TreeSet<>(List.of("b", "c")), merged.trainers());
        assertEquals(worse, PartLedger.APPLICATION.merge(PartLedger.EMPTY, worse));
    }

    @Test
    void aTrainerIsRemovedWhenItsLeaseIsOver() {
        var machine = new RegistryMachine(new ServerSettings(1, true, SECOND, SECOND));
        RegistryState state = RegistryState.START;
        PartLedger ledger = after(PartLedger.EMPTY, PartLedger.found(1));
        state = machine.step(state, new RegistryEvent.Elected(ledger), 0).state();
        Step<RegistryState, RegistryEffect> step =
                machine.step(state, new RegistryEvent.Register(9, "a", 2 * SECOND), SECOND);
        assertTrue(step.effects().stream()
                .anyMatch(effect -> effect instanceof RegistryEffect.Submit submit
                        && submit.command().equals(PartLedger.join("a", 2 * SECOND))));
        ledger = after(ledger, PartLedger.join("a", 2 * SECOND));
        assertEquals(1, step.state().waiting().size());
        step = machine.step(step.state(), new RegistryEvent.Applied(ledger), SECOND);
        assertEquals(List.of(new RegistryEffect.Answer(9, ledger.trainers())), step.effects()); // the ledger has it
        state = step.state();
        state = machine.step(state, new RegistryEvent.Stored(1), SECOND).state();
        step = machine.step(state, new RegistryEvent.Tick(), 3 * SECOND);
        assertTrue(step.effects().stream()
                .anyMatch(effect -> effect instanceof RegistryEffect.Submit submit
                        && submit.command().equals(PartLedger.leave("a"))));
    }

    /** A trainer that died with the machine that answered is waited for as long as it said, and one with a long lease keeps that. */
    @Test
    void whoAnswersNextBeginsLeasesAnewAsLongAsTheyWere() {
        var machine = new RegistryMachine(new ServerSettings(1, true, SECOND, SECOND));
        PartLedger ledger = after(
                PartLedger.EMPTY,
                PartLedger.found(1),
                PartLedger.join("brief", SECOND),
                PartLedger.join("long", 600 * SECOND));
        PartLedger read = PartLedger.APPLICATION.decode(PartLedger.APPLICATION.encode(ledger));
        assertEquals(ledger, read);
        RegistryState state = machine.step(RegistryState.START, new RegistryEvent.Elected(read), 0)
                .state();
        assertEquals(List.of(), left(machine, state, SECOND - 1));
        assertEquals(List.of(PartLedger.leave("brief")), left(machine, state, SECOND));
        read = after(read, PartLedger.leave("brief"));
        state = machine.step(RegistryState.START, new RegistryEvent.Elected(read), 0)
                .state();
        assertEquals(List.of(), left(machine, state, 600 * SECOND - 1));
        assertEquals(List.of(PartLedger.leave("long")), left(machine, state, 600 * SECOND));
    }

    private static List<Bytes> left(RegistryMachine machine, RegistryState state, long now) {
        return machine.step(state, new RegistryEvent.Tick(), now).effects().stream()
                .filter(RegistryEffect.Submit.class::isInstance)
                .map(effect -> ((RegistryEffect.Submit) effect).command())
                .toList();
    }

    @Test
    void aLeaseOfAnotherLengthIsStoredBeforeTheAnswer() {
        var machine = new RegistryMachine(new ServerSettings(1, true, SECOND, SECOND));
        PartLedger ledger = after(PartLedger.EMPTY, PartLedger.found(1), PartLedger.join("a", SECOND));
        RegistryState state = machine.step(RegistryState.START, new RegistryEvent.Elected(ledger), 0)
                .state();
        Step<RegistryState, RegistryEffect> step =
                machine.step(state, new RegistryEvent.Register(4, "a", 5 * SECOND), 1);
        assertTrue(step.effects().stream()
                .anyMatch(effect -> effect instanceof RegistryEffect.Submit submit
                        && submit.command().equals(PartLedger.join("a", 5 * SECOND))));
        assertEquals(1, step.state().waiting().size());
        ledger = after(ledger, PartLedger.join("a", 5 * SECOND));
        step = machine.step(step.state(), new RegistryEvent.Applied(ledger), 2);
        assertEquals(List.of(new RegistryEffect.Answer(4, ledger.trainers())), step.effects());
    }

    /** Two calls of one trainer at the same time, or a lease that is over before the disks have it: each caller hears something. */
    @Test
    void aLeaseThatChangesBeforeItIsStoredIsTold() {
        var machine = new RegistryMachine(new ServerSettings(1, true, SECOND, SECOND));
        PartLedger ledger = after(PartLedger.EMPTY, PartLedger.found(1), PartLedger.join("a", SECOND));
        RegistryState state = machine.step(RegistryState.START, new RegistryEvent.Elected(ledger), 0)
                .state();
        state = machine.step(state, new RegistryEvent.Register(1, "a", 0), 1).state(); // being stored
        Step<RegistryState, RegistryEffect> step =
                machine.step(state, new RegistryEvent.Register(2, "a", 2 * SECOND), 2);
        assertEquals(List.of(1L), failed(step));
        step = machine.step(step.state(), new RegistryEvent.Tick(), 3 * SECOND);
        assertEquals(List.of(2L), failed(step));
    }

    private static List<Long> failed(Step<RegistryState, RegistryEffect> step) {
        return step.effects().stream()
                .filter(RegistryEffect.Fail.class::isInstance)
                .map(effect -> ((RegistryEffect.Fail) effect).call())
                .toList();
    }

    /** While stores become one, a machine is elected whose commands nobody takes. */
    @Test
    void aCommandThatIsNotTakenIsMadeAgainAfterAWhile() {
        var machine = new RegistryMachine(new ServerSettings(1, true, SECOND, SECOND));
        Step<RegistryState, RegistryEffect> step =
                machine.step(RegistryState.START, new RegistryEvent.Elected(PartLedger.EMPTY), 0);
        assertTrue(step.effects().stream().anyMatch(RegistryEffect.Submit.class::isInstance));
        step = machine.step(step.state(), new RegistryEvent.NotStored(1), 1);
        assertEquals(List.of(), step.effects());
        long next = 1 + machine.sleepNanos(step.state(), 1);
        assertEquals(List.of(), left(machine, step.state(), next - 1));
        assertEquals(List.of(PartLedger.found(1)), left(machine, step.state(), next));
    }

    @Test
    void leasesOutOfRangeAreRefused() {
        var machine = new RegistryMachine(new ServerSettings(1, true, SECOND, SECOND));
        RegistryState state = machine.step(RegistryState.START, new RegistryEvent.Elected(PartLedger.EMPTY), 0)
                .state();
        for (RegistryEvent.Register wrong : List.of(
                new RegistryEvent.Register(1, "", SECOND),
                new RegistryEvent.Register(1, "a", -1),
                new RegistryEvent.Register(1, "a", SECOND / 2),
                new RegistryEvent.Register(1, "a", 3_601 * SECOND))) {
            assertEquals(
                    List.of(Failure.Code.INVALID_ARGUMENT),
                    machine.step(state, wrong, 0).effects().stream()
                            .filter(RegistryEffect.Fail.class::isInstance)
                            .map(effect -> ((RegistryEffect.Fail) effect).why().code())
                            .toList());
        }
    }
}

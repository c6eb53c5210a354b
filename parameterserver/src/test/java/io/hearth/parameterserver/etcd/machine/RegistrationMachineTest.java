package io.hearth.parameterserver.etcd.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.Step;
import io.hearth.parameterserver.etcd.machine.RegistrationEffect.Claim;
import io.hearth.parameterserver.etcd.machine.RegistrationEffect.Drop;
import io.hearth.parameterserver.etcd.machine.RegistrationEffect.Grant;
import io.hearth.parameterserver.etcd.machine.RegistrationEffect.ListServers;
import io.hearth.parameterserver.etcd.machine.RegistrationEffect.Publish;
import io.hearth.parameterserver.etcd.machine.RegistrationEffect.Renew;
import io.hearth.parameterserver.etcd.machine.RegistrationEffect.Say;
import io.hearth.parameterserver.etcd.machine.RegistrationEffect.Warn;
import io.hearth.parameterserver.etcd.machine.RegistrationEvent.Claimed;
import io.hearth.parameterserver.etcd.machine.RegistrationEvent.Failed;
import io.hearth.parameterserver.etcd.machine.RegistrationEvent.Granted;
import io.hearth.parameterserver.etcd.machine.RegistrationEvent.Listed;
import io.hearth.parameterserver.etcd.machine.RegistrationEvent.Lost;
import io.hearth.parameterserver.etcd.machine.RegistrationEvent.Noted;
import io.hearth.parameterserver.etcd.machine.RegistrationEvent.Published;
import io.hearth.parameterserver.etcd.machine.RegistrationEvent.Renewed;
import io.hearth.parameterserver.etcd.machine.RegistrationEvent.Taken;
import io.hearth.parameterserver.etcd.machine.RegistrationEvent.Tick;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RegistrationMachineTest {
    private static final long LEASE = 9_000;
    private static final long START = Long.MAX_VALUE - 5_000; // the clock may wrap

    private final RegistrationMachine machine = new RegistrationMachine(LEASE);
    private RegistrationState state = RegistrationState.start(START);
    private long now = START;

    private void expect(RegistrationEvent event, RegistrationEffect... effects) {
        Step<RegistrationState, RegistrationEffect> step = machine.step(state, event, now);
        assertEquals(List.of(effects), step.effects(), event + " of " + state);
        state = step.state();
    }

    private static Listed listed(Integer... taken) {
        return new Listed(new TreeSet<>(List.of(taken)));
    }

    private void after(long nanos) {
        assertEquals(nanos, machine.sleepNanos(state, now));
        now += nanos;
    }

    private void registered(int index) {
        expect(new Tick(), new Grant());
        expect(new Granted(7), new ListServers());
        Integer[] taken = IntStream.range(0, index).boxed().toArray(Integer[]::new);
        expect(listed(taken), new Claim(index, 7));
        expect(new Claimed(), new Say(index, false));
    }

    @Test
    void theFirstFreeIndexIsTaken() {
        expect(new Tick(), new Grant());
        assertEquals(Long.MAX_VALUE, machine.sleepNanos(state, now));
        expect(new Tick());
        expect(new Granted(7), new ListServers());
        expect(listed(0, 2, 900), new Claim(1, 7));
        expect(new Taken(), new ListServers());
        expect(listed(0, 1, 2), new Claim(3, 7));
        expect(new Claimed(), new Say(3, false));
    }

    @Test
    void theLeaseIsRenewedThreeTimesBeforeItsEnd() {
        registered(0);
        expect(new Tick());
        for (int i = 0; i < 3; i++) {
            after(LEASE / 3);
            expect(new Tick(), new Renew(0, 7));
            assertEquals(Long.MAX_VALUE, machine.sleepNanos(state, now));
            expect(new Renewed());
        }
    }

    @Test
    void aLostLeaseIsFollowedByTheSameIndex() {
        registered(2);
        after(LEASE / 3);
        expect(new Tick(), new Renew(2, 7));
        expect(new Lost(), new Grant());
        expect(new Granted(8), new ListServers());
        expect(listed(), new Claim(2, 8));
        expect(new Claimed(), new Say(2, false));
    }

    @Test
    void anotherIndexIsTakenIfTheSameOneIsNotFree() {
        registered(2);
        after(LEASE / 3);
        expect(new Tick(), new Renew(2, 7));
        expect(new Lost(), new Grant());
        expect(new Granted(8), new ListServers());
        expect(listed(0, 2), new Claim(1, 8));
        expect(new Taken(), new ListServers());
        expect(listed(0, 2), new Claim(1, 8)); // as one that left in the meantime
    }

    @Test
    void anOutageIsOneWarningAndOneLineAtItsEnd() {
        registered(0);
        after(LEASE / 3);
        expect(new Tick(), new Renew(0, 7));
        expect(new Failed("gone"), new Drop(), new Warn("gone"));
        for (int i = 0; i < 5; i++) {
            after(LEASE / 3);
            expect(new Tick(), new Renew(0, 7));
            expect(new Failed("still gone"), new Drop());
        }
        after(LEASE / 3);
        expect(new Tick(), new Renew(0, 7));
        expect(new Renewed(), new Say(0, true)); // the lease outlived it
        after(LEASE / 3);
        expect(new Tick(), new Renew(0, 7));
        expect(new Renewed());
    }

    @Test
    void aServerThatStartsWithoutEtcdAsksAgain() {
        expect(new Tick(), new Grant());
        expect(new Failed("refused"), new Drop(), new Warn("refused"));
        after(LEASE / 3);
        expect(new Tick(), new Grant());
        expect(new Granted(7), new ListServers());
        expect(listed(), new Claim(0, 7));
        expect(new Claimed(), new Say(0, true));
    }

    @Test
    void aLongLeaseDoesNotMakeItLate() {
        var patient = new RegistrationMachine(3_600_000_000_000L);
        state = patient.step(state, new Tick(), now).state();
        state = patient.step(state, new Failed("refused"), now).state();
        assertEquals(RegistrationMachine.RETRY_NANOS_MAX, patient.sleepNanos(state, now));
    }

    @Test
    void aClaimWhoseAnswerWasLostIsLookedAt() {
        expect(new Tick(), new Grant());
        expect(new Granted(7), new ListServers());
        expect(listed(0), new Claim(1, 7));
        expect(new Failed("no answer"), new Drop(), new Warn("no answer"));
        after(LEASE / 3);
        expect(new Tick(), new Renew(1, 7));
        expect(new Renewed(), new Say(1, true));
    }

    @Test
    void aNoteIsPublishedOnceItCan() {
        expect(new Noted());
        expect(new Tick(), new Grant());
        expect(new Granted(7), new ListServers());
        expect(listed(), new Claim(0, 7));
        expect(new Claimed(), new Say(0, false), new Publish(0));
        expect(new Noted()); // a newer one
        expect(new Published(), new Publish(0));
        expect(new Published());
        expect(new Noted(), new Publish(0));
        expect(new Failed("gone"), new Drop(), new Warn("gone"));
        after(LEASE / 3);
        expect(new Tick(), new Renew(0, 7));
        expect(new Renewed(), new Say(0, true), new Publish(0));
    }

    @Test
    void anotherIndexGetsTheNoteAgain() {
        registered(1);
        expect(new Noted(), new Publish(1));
        expect(new Published());
        after(LEASE / 3);
        expect(new Tick(), new Renew(1, 7));
        expect(new Lost(), new Grant());
        expect(new Granted(8), new ListServers());
        expect(listed(1), new Claim(0, 8));
        expect(new Claimed(), new Say(0, false), new Publish(0));
    }

    @Test
    void theLeaseComesBeforeANote() {
        registered(0);
        expect(new Noted(), new Publish(0));
        now += LEASE / 3;
        expect(new Noted());
        expect(new Published(), new Renew(0, 7));
        expect(new Renewed(), new Publish(0));
    }

    @Test
    void aFullListIsAnError() {
        expect(new Tick(), new Grant());
        expect(new Granted(7), new ListServers());
        Integer[] all =
                IntStream.range(0, RegistrationMachine.INDEXES_MAX).boxed().toArray(Integer[]::new);
        String why = "all " + RegistrationMachine.INDEXES_MAX + " indexes are taken";
        expect(listed(all), new Drop(), new Warn(why));
    }
}

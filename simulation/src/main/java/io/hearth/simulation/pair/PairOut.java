package io.hearth.simulation.pair;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.pair.machine.SendMachine;
import io.hearth.collective.pair.machine.SendMachine.Effect;
import io.hearth.collective.pair.machine.SendMachine.Event;
import io.hearth.collective.pair.machine.TransferSpec;
import io.hearth.core.DataType;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.rule.PairChecker;
import io.hearth.simulation.rule.Violation;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The sending end, with the real machine, as in {@code PairSender}. */
final class PairOut extends PairEnd {
    private static final long LOOK_NANOS = 100 * MILLI;
    private static final int LOOKS_MAX = 40;

    private final SendMachine machine = new SendMachine();
    private final NodeId peer;
    private SendMachine.State state = SendMachine.State.START;
    private PairChecker.@Nullable Sent open;
    private int looks; // while nothing prevents the transfer

    PairOut(PairTraffic traffic, NodeId peer, String pair) {
        super(traffic, pair);
        this.peer = peer;
    }

    /** Begins a call of the application, if none is open. */
    void send(long patienceNanos) {
        if (open != null || isOver()) {
            return;
        }
        PairChecker.Sent call = setting.pairs.sends(pair);
        open = call;
        looks = 0;
        process.trace(() -> "sends " + call.values() + " to " + setting.name(peer));
        step(new Event.Called(new TransferSpec(DataType.INT64, call.count())));
        look(call);
        setting.after(
                patienceNanos,
                () -> process.deliver(() -> {
                    if (call.equals(open)) {
                        giveUp();
                    }
                }));
    }

    @Override
    void giveUp() {
        if (open != null) {
            process.trace(() -> "gives a send to " + setting.name(peer) + " up");
            open = null;
            step(new Event.GaveUp());
        }
    }

    /** Opens a stream once both ends want one; checks periodically. */
    private void look(PairChecker.Sent call) {
        if (!call.equals(open)) {
            return;
        }
        Optional<PairIn> other = traffic.otherEnd(peer, pair);
        if (isFree() && other.filter(PairIn::wantsStream).isPresent()) {
            var fresh = new PairStream(setting, this, other.get());
            attach(fresh);
            other.get().attach(fresh);
        }
        boolean isFree = !setting.isFaulty()
                && isConnected()
                && !traffic.isFrozen()
                && !process.isPaused()
                && other.filter(PairIn::isReceiving).isPresent();
        looks = isFree ? looks + 1 : 0;
        Violation.unless(looks < LOOKS_MAX, "pair", () -> "a send of " + pair + " does not end in peace: " + state);
        setting.after(LOOK_NANOS, () -> process.deliver(() -> look(call)));
    }

    private void step(Event event) {
        setting.statistics.event();
        Step<SendMachine.State, Effect> step = machine.step(state, event, setting.now());
        state = setting.hooks.sent(event, step.state());
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Offer(long number, TransferSpec parcel) -> say(new PairRecord.Offer(number, parcel));
                case Effect.Transmit(long number) -> transmit(number);
                case Effect.End(long _, Optional<CallRejection> how) -> returned(how);
                case Effect.Reset _ -> reset();
            }
        }
    }

    private void transmit(long number) {
        if (open == null) {
            return;
        }
        for (int place = 0; place < open.count(); place++) {
            say(new PairRecord.Data(number, place, open.first() + place));
        }
        if (!setting.hooks.keeps(ShellRule.SEND_WAITS)) {
            returned(Optional.empty());
        }
    }

    private void returned(Optional<CallRejection> how) {
        PairChecker.Sent call = open;
        open = null;
        if (call != null) {
            process.trace(() -> "has sent " + call.values() + " to " + setting.name(peer));
            setting.pairs.returned(pair, call, how);
        }
    }

    @Override
    void take(PairRecord record) {
        switch (record) {
            case PairRecord.Greet(long done, Optional<CallRejection> how) -> step(new Event.Heard(done, how));
            case PairRecord.Grant(long number) -> step(new Event.Granted(number));
            case PairRecord.Done(long number) -> step(new Event.Done(number));
            case PairRecord.Rejected(long number, CallRejection how) -> step(new Event.Rejected(number, how));
            case PairRecord.Offer _, PairRecord.Data _ -> misfit();
        }
    }

    @Override
    void connected() {} // the other end speaks first

    @Override
    void lost() {
        step(new Event.Lost());
    }
}

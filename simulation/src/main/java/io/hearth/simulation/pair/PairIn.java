package io.hearth.simulation.pair;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.pair.machine.ReceiveMachine;
import io.hearth.collective.pair.machine.ReceiveMachine.Effect;
import io.hearth.collective.pair.machine.ReceiveMachine.Event;
import io.hearth.collective.pair.machine.TransferSpec;
import io.hearth.core.DataType;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The receiving end, with the real machine, as in {@code PairReceiver}. */
final class PairIn extends PairEnd {
    private final ReceiveMachine machine = new ReceiveMachine();
    private final NodeId peer;
    private ReceiveMachine.State state = ReceiveMachine.State.START;
    private @Nullable Call open;

    private long calls;

    /** A call of the application and the values that arrived; {@code index} counts the calls of this end. */
    private record Call(long index, int count, List<Long> came) {}

    PairIn(PairTraffic traffic, NodeId peer, String pair) {
        super(traffic, pair);
        this.peer = peer;
    }

    /** Begins a call of the application, if none is open. */
    void receive(long patienceNanos) {
        if (open != null || isOver()) {
            return;
        }
        var call = new Call(++calls, setting.pairs.count(), new ArrayList<>());
        open = call;
        step(new Event.Called(
                new TransferSpec(DataType.INT64, call.count()), process.host().name()));
        setting.after(
                patienceNanos,
                () -> process.deliver(() -> {
                    if (open != null && open.index() == call.index()) {
                        giveUp();
                    }
                }));
    }

    @Override
    void giveUp() {
        if (open != null && state.stage() != ReceiveMachine.Stage.FULL) {
            process.trace(() -> "gives a receive from " + setting.name(peer) + " up");
            open = null;
            step(new Event.GaveUp());
        }
    }

    boolean isReceiving() {
        return open != null && isConnected() && !traffic.isFrozen() && !process.isPaused();
    }

    /** Whether a receive is open, or its sender may wait for an acknowledgement. */
    boolean wantsStream() {
        return isFree() && (open != null || state.done() > 0);
    }

    private void step(Event event) {
        setting.statistics.event();
        Step<ReceiveMachine.State, Effect> step = machine.step(state, event, setting.now());
        state = setting.hooks.received(event, step.state());
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Greet(long done, Optional<CallRejection> how) -> say(new PairRecord.Greet(done, how));
                case Effect.Grant(long number) -> {
                    if (open != null) {
                        open.came().clear();
                    }
                    say(new PairRecord.Grant(number));
                }
                case Effect.Deliver() ->
                    setting.after(setting.pairs.random.nextLong(2 * MILLI), () -> process.deliver(this::deliver));
                case Effect.Acknowledge(long number) -> say(new PairRecord.Done(number));
                case Effect.Refuse(long number, CallRejection how) -> {
                    setting.pairs.refused(pair, how);
                    say(new PairRecord.Rejected(number, how));
                }
                case Effect.End _ -> open = null;
                case Effect.Reset _ -> reset();
            }
        }
    }

    private void deliver() {
        if (open != null) {
            List<Long> got = List.copyOf(open.came());
            process.trace(() -> "receives " + got + " from " + setting.name(peer));
            setting.pairs.delivered(pair, got);
            step(new Event.Delivered());
        }
    }

    @Override
    void take(PairRecord record) {
        switch (record) {
            case PairRecord.Offer(long number, TransferSpec parcel) ->
                step(new Event.Offered(number, parcel, setting.name(peer)));
            case PairRecord.Data data -> store(data);
            case PairRecord.Greet _, PairRecord.Grant _, PairRecord.Done _, PairRecord.Rejected _ -> misfit();
        }
    }

    private void store(PairRecord.Data data) {
        boolean isDue = state.stage() == ReceiveMachine.Stage.FILLING
                && state.offer()
                        .filter(offer -> offer.number() == data.number())
                        .isPresent()
                && open != null
                && open.came().size() == data.place();
        if (!isDue || open == null) {
            misfit();
            return;
        }
        open.came().add(data.value());
        if (open.came().size() == open.count()) {
            step(new Event.Filled());
        }
    }

    @Override
    void connected() {
        step(new Event.Connected());
    }

    @Override
    void lost() {
        step(new Event.Lost());
    }
}

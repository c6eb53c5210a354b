package io.hearth.collective.pair;

import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.pair.machine.ReceiveMachine;
import io.hearth.collective.pair.machine.ReceiveMachine.Effect;
import io.hearth.collective.pair.machine.ReceiveMachine.Event;
import io.hearth.core.CollectiveException;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of a pair. Bytes arrive in engine memory of the size that the application requested. The calling thread copies
 * them out when all have arrived, so a call that fails leaves its buffer unchanged.
 */
final class PairReceiver extends PeerChannel {
    private final ReceiveMachine machine = new ReceiveMachine();
    private ReceiveMachine.State state = ReceiveMachine.State.START;
    private Buffers.@Nullable Buffer work;
    private long filled;
    private boolean mayDeliver;

    PairReceiver(Means means, Alarm alarm, NodeId peer) {
        super(means, alarm, peer);
    }

    /**
     * Returns when the bytes are in {@code values}.
     *
     * @param values written only when all bytes have arrived
     */
    void receive(MemorySegment values, Transfer asked) throws CollectiveException {
        Buffers.Buffer room = buffers().take(values.byteSize());
        lock.lock();
        try {
            begin(asked);
            try {
                work = room;
                mayDeliver = false;
                step(new Event.Called(asked.spec, ownName()));
                open();
                while (asked.isOpen()) {
                    if (mayDeliver) {
                        deliver(room, values);
                    } else {
                        await(asked, () -> mayDeliver);
                    }
                }
            } finally {
                work = null;
                leave();
            }
        } finally {
            lock.unlock();
            buffers().give(room);
        }
    }

    /** Called with the lock held; releases it during the copy. Nothing can end the call meanwhile. */
    private void deliver(Buffers.Buffer room, MemorySegment values) {
        mayDeliver = false;
        lock.unlock();
        try {
            MemorySegment.copy(room.bytes(), 0, values, 0, values.byteSize());
        } finally {
            lock.lock();
            step(new Event.Delivered());
        }
    }

    private void step(Event event) {
        Step<ReceiveMachine.State, Effect> step = machine.step(state, event, clock.nanoTime());
        state = step.state();
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Greet(long done, Optional<CallRejection> how) ->
                    sendSmall(
                            PairRecords.GREET,
                            how.isPresent() ? 1 : 0,
                            done,
                            0,
                            how.map(PairReceiver::bytes).orElse(PairRecords.NOTHING));
                case Effect.Grant(long number) -> {
                    filled = 0;
                    sendSmall(PairRecords.GRANT, number);
                }
                case Effect.Deliver() -> mayDeliver = true;
                case Effect.Acknowledge(long number) -> sendSmall(PairRecords.DONE, number);
                case Effect.Refuse(long number, CallRejection how) ->
                    sendSmall(PairRecords.REFUSED, 0, number, 0, bytes(how));
                case Effect.End(Optional<CallRejection> how) -> end(how.orElse(null));
                case Effect.Reset(String why) -> reset(name() + " " + why);
            }
        }
        changed.signalAll();
        if (state.stage() == ReceiveMachine.Stage.FILLING && filled == size()) {
            step(new Event.Filled());
        }
    }

    private static MemorySegment bytes(CallRejection refusal) {
        return MemorySegment.ofArray(CollectiveMessages.encode(refusal));
    }

    private long size() {
        return work == null ? 0 : work.bytes().byteSize();
    }

    @Override
    void take(ReceivedRecord record) throws IOException {
        switch (record.kind()) {
            case PairRecords.OFFER -> step(new Event.Offered(record.collective(), PairRecords.spec(record), name()));
            case PairRecords.DATA -> store(record);
            default -> throw new IOException("sent kind " + record.kind());
        }
    }

    private void store(ReceivedRecord record) throws IOException {
        boolean isDue = state.stage() == ReceiveMachine.Stage.FILLING
                && state.offer().isPresent()
                && record.collective() == state.offer().get().number()
                && record.offset() == filled
                && record.length() > 0
                && record.length() <= size() - filled;
        if (!isDue || work == null) {
            throw new IOException("sent " + record.length() + " bytes of number " + record.collective() + " at "
                    + record.offset() + ", which were not due");
        }
        record.copyTo(work.bytes(), filled);
        filled += record.length();
        if (filled == size()) {
            step(new Event.Filled());
        }
    }

    @Override
    int index(Mesh on) {
        return on.rank() > on.rank(peer) ? PairRecords.UP : PairRecords.DOWN;
    }

    @Override
    void connected() {
        step(new Event.Connected());
    }

    @Override
    void lost() {
        step(new Event.Lost());
    }

    @Override
    boolean giveUp() {
        if (state.stage() == ReceiveMachine.Stage.FULL) {
            return false;
        }
        step(new Event.GaveUp());
        return true;
    }

    @Override
    boolean needsAck() {
        return state.done() > 0;
    }

    @Override
    String waitedFor(String name) {
        return state.stage() == ReceiveMachine.Stage.FILLING
                ? name + " to send the rest, after " + filled + " of " + size() + " bytes"
                : name + " to send";
    }
}

package io.hearth.collective.pair;

import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.pair.machine.SendMachine;
import io.hearth.collective.pair.machine.SendMachine.Effect;
import io.hearth.collective.pair.machine.SendMachine.Event;
import io.hearth.collective.pair.machine.TransferSpec;
import io.hearth.core.CollectiveException;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The sending end of a pair. The calling thread sends the bytes itself, from the application's memory. */
final class PairSender extends PeerChannel {
    private final SendMachine machine = new SendMachine();
    private SendMachine.State state = SendMachine.State.START;
    private @Nullable DataStream granted;

    PairSender(Means means, Alarm alarm, NodeId peer) {
        super(means, alarm, peer);
    }

    /**
     * Sends, and returns when the other end has the bytes.
     *
     * @param values borrowed for the call
     */
    void send(MemorySegment values, Transfer asked) throws CollectiveException {
        lock.lock();
        try {
            begin(asked);
            try {
                step(new Event.Called(asked.spec));
                open();
                while (asked.isOpen()) {
                    DataStream on = granted;
                    granted = null;
                    if (on == null) {
                        await(asked, () -> granted != null);
                    } else {
                        transmit(values, on, state.last());
                    }
                }
            } catch (RuntimeException | Error bug) {
                giveUp(); // for example the values were freed meanwhile; the next call gets another number
                throw bug;
            } finally {
                granted = null;
                leave();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Called with the lock held; releases it while sending. */
    private void transmit(MemorySegment values, DataStream on, long number) {
        lock.unlock();
        try {
            for (long from = 0; from < values.byteSize(); from += PairRecords.RECORD_BYTES) {
                int length = (int) Math.min(PairRecords.RECORD_BYTES, values.byteSize() - from);
                on.send(PairRecords.DATA, 0, number, from, PairRecords.NOTHING, values, from, length);
            }
        } catch (IOException broken) {
            on.close(); // the stream's thread notices
        } finally {
            lock.lock();
        }
    }

    private void step(Event event) {
        Step<SendMachine.State, Effect> step = machine.step(state, event, clock.nanoTime());
        state = step.state();
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Offer(long number, TransferSpec spec) ->
                    sendSmall(
                            PairRecords.OFFER,
                            PairRecords.TYPES.indexOf(spec.type()),
                            number,
                            spec.count(),
                            PairRecords.NOTHING);
                case Effect.Transmit _ -> granted = stream();
                case Effect.End over -> end(over.how().orElse(null));
                case Effect.Reset(String why) -> reset(name() + " " + why);
            }
        }
        changed.signalAll();
    }

    @Override
    void take(ReceivedRecord record) throws IOException {
        long number = record.collective();
        step(
                switch (record.kind()) {
                    case PairRecords.GREET ->
                        new Event.Heard(
                                number,
                                record.chunk() == 0 ? Optional.empty() : Optional.of(PairRecords.refusal(record)));
                    case PairRecords.GRANT -> new Event.Granted(number);
                    case PairRecords.DONE -> new Event.Done(number);
                    case PairRecords.REFUSED -> new Event.Rejected(number, PairRecords.refusal(record));
                    default -> throw new IOException("sent kind " + record.kind());
                });
    }

    @Override
    int index(Mesh on) {
        return on.rank() < on.rank(peer) ? PairRecords.UP : PairRecords.DOWN;
    }

    @Override
    void connected() {
        // the receiver sends first
    }

    @Override
    void lost() {
        granted = null;
        step(new Event.Lost());
    }

    @Override
    boolean giveUp() {
        step(new Event.GaveUp());
        return true;
    }

    @Override
    boolean needsAck() {
        return false;
    }

    @Override
    String waitedFor(String name) {
        boolean isGranted = state.open()
                .filter(open -> open.stage() == SendMachine.Stage.GRANTED)
                .isPresent();
        return name + (isGranted ? " to take all of it" : " to receive");
    }
}

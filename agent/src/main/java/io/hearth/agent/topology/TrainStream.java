package io.hearth.agent.topology;

import io.hearth.core.Clock;
import io.hearth.topology.TcpCounters;
import io.hearth.topology.bandwidth.Bandwidth;
import io.hearth.topology.bandwidth.Train;
import io.hearth.topology.bandwidth.TrainMeter;
import io.hearth.transport.DataStream;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One measurement over an open stream: the node that asked sends its train first, then the other one.
 *
 * <pre>
 * kind  record            offset
 * 16    data of a train   0
 * 17    acknowledgement   bytes received so far
 * 18    end of a train    0
 * 19    rate of a train   bytes per second; 0: the train was too short
 * </pre>
 *
 * <p>Both ends run on a thread of their own. A train stops when a collective begins on its sender's node; the other node closes the stream.
 */
final class TrainStream {
    private static final int DATA = 16;
    private static final int ACKNOWLEDGED = 17;
    private static final int END = 18;
    private static final int RATE = 19;

    private final DataStream stream;
    private final Clock clock;
    private final BooleanSupplier mayGoOn;
    private final Supplier<Optional<TcpCounters>> counters;
    private final MemorySegment filler = MemorySegment.ofArray(new byte[Train.RECORD_BYTES]);
    private long outBytes;
    private long inBytes;
    private OptionalInt lossPermille = OptionalInt.empty();

    /**
     * @param stream borrowed
     * @param mayGoOn whether no collective runs; called by the sender for each record
     * @param counters of this machine's TCP, called before and after a train that this node sends
     */
    TrainStream(DataStream stream, Clock clock, BooleanSupplier mayGoOn, Supplier<Optional<TcpCounters>> counters) {
        this.stream = stream;
        this.clock = clock;
        this.mayGoOn = mayGoOn;
        this.counters = counters;
    }

    /**
     * Runs the measurement.
     *
     * @param asked whether this node sends first
     * @return empty if a train was too short to tell
     * @throws IOException the stream broke, the peer sent something else, or a collective began
     */
    Optional<Bandwidth> run(boolean asked, long roundTripNanos) throws IOException {
        OptionalLong out = asked ? sendCounted(roundTripNanos) : OptionalLong.empty();
        OptionalLong in = receive();
        if (!asked) {
            out = sendCounted(roundTripNanos);
        }
        return out.isPresent() && in.isPresent()
                ? Optional.of(new Bandwidth(out.getAsLong(), in.getAsLong(), lossPermille))
                : Optional.empty();
    }

    private OptionalLong sendCounted(long roundTripNanos) throws IOException {
        Optional<TcpCounters> before = counters.get();
        OptionalLong rate = send(roundTripNanos);
        Optional<TcpCounters> after = counters.get();
        if (before.isPresent() && after.isPresent()) {
            lossPermille = after.get().lossPermilleSince(before.get());
        }
        return rate;
    }

    /** Bytes of trains that this node sent. */
    long outBytes() {
        return outBytes;
    }

    /** Bytes of trains that this node received. */
    long inBytes() {
        return inBytes;
    }

    /** Sends a train; returns the rate that the receiver counted. */
    private OptionalLong send(long roundTripNanos) throws IOException {
        var train = new Train(clock.nanoTime(), roundTripNanos);
        while (true) {
            switch (train.next(clock.nanoTime())) {
                case SEND -> {
                    if (!mayGoOn.getAsBoolean()) {
                        throw new IOException("a collective began");
                    }
                    train.sends(clock.nanoTime());
                    stream.send(DATA, 0, 0, 0, MemorySegment.NULL, filler, 0, Train.RECORD_BYTES);
                    outBytes += Train.RECORD_BYTES;
                }
                case WAIT -> acknowledged(train, stream.receive());
                case END -> {
                    say(END, 0);
                    return rate(train);
                }
            }
        }
    }

    private OptionalLong rate(Train train) throws IOException {
        while (true) {
            ReceivedRecord record = stream.receive();
            if (record.kind() == RATE) {
                long rate = train.believed(record.offset(), clock.nanoTime());
                return rate > 0 ? OptionalLong.of(rate) : OptionalLong.empty();
            }
            acknowledged(train, record);
        }
    }

    private void acknowledged(Train train, ReceivedRecord record) throws IOException {
        if (record.kind() != ACKNOWLEDGED) {
            throw unexpected(record);
        }
        try {
            train.acknowledged(record.offset(), clock.nanoTime());
        } catch (IllegalArgumentException lie) {
            throw new IOException(lie.getMessage(), lie);
        }
    }

    /** Receives a train, acknowledges each record, and reports its rate. */
    private OptionalLong receive() throws IOException {
        var meter = new TrainMeter();
        while (true) {
            ReceivedRecord record = stream.receive();
            switch (record.kind()) {
                case DATA -> {
                    inBytes += record.length();
                    say(ACKNOWLEDGED, meter.arrived(clock.nanoTime(), record.length()));
                }
                case END -> {
                    OptionalLong counted = meter.bytesPerSecond();
                    say(RATE, counted.orElse(0));
                    return counted;
                }
                default -> throw unexpected(record);
            }
        }
    }

    private void say(int kind, long value) throws IOException {
        stream.send(kind, 0, 0, value, MemorySegment.NULL, MemorySegment.NULL, 0, 0);
    }

    private static IOException unexpected(ReceivedRecord record) {
        return new IOException("the peer sent a record of kind " + record.kind() + " in a measurement of bandwidth");
    }
}

package io.hearth.collective;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.schedule.RingAllReduce;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.PowerSgd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sum of matrices as the product of two thin ones: {@link PowerSgd}, whose two factors are summed as they are, round the ring.
 *
 * <p>All ranks compute the result of the same sums in the same order, and end with the same bits. Who would take the result from
 * another rank would lack the factors to start from next time; so nobody returns before all have the sums.
 */
final class LowRankSum implements Contribution {
    private final PowerSgd memory;
    private final String key;
    private final MatrixShape shape;
    private final Buffers buffers;
    private PowerSgd.@Nullable Round pending;

    /**
     * A call's contribution.
     *
     * @param memory what was left out before, and the factors to start from
     * @param key names the tensor in it
     * @param shape of the tensor as a matrix, padded with zeros where it is larger
     */
    LowRankSum(PowerSgd memory, String key, MatrixShape shape, Buffers buffers) {
        this.memory = memory;
        this.key = key;
        this.shape = shape;
        this.buffers = buffers;
    }

    @Override
    public void demandRoom() {
        memory.demandRoom(key);
    }

    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Call call = place.call();
        if (shape.count() == call.signature().count()) {
            return attempt(place, call.input(), place.work());
        }
        Buffers.Buffer padded = buffers.take(shape.bytes());
        try {
            MemorySegment matrix = padded.bytes();
            long bytes = call.signature().bytes();
            MemorySegment.copy(call.input(), 0, matrix, 0, bytes);
            matrix.asSlice(bytes, shape.bytes() - bytes).fill((byte) 0);
            return attempt(place, matrix, matrix);
        } finally {
            buffers.give(padded);
        }
    }

    /** {@code gradient} and {@code sum} may be the same memory. */
    private Optional<Refusal> attempt(Place place, MemorySegment gradient, MemorySegment sum) throws IOException {
        ExchangeWatch watch = place.exchange().watch();
        PowerSgd.Round round;
        long since = watch.now();
        try {
            round = memory.begin(key, gradient, shape.rows(), shape.columns());
            watch.did(Phase.ENCODE, -1, shape.bytes(), since);
        } catch (NonFiniteException notCarried) {
            place.exchange().refuse(place.exchange().notCarried(notCarried));
            return sum(place, MemorySegment.NULL);
        }
        pending = round;
        try {
            Optional<Refusal> refusal = sum(place, round.left());
            if (refusal.isPresent()) {
                return refusal;
            }
            since = watch.now();
            round.leftSummed(1); // an average was taken on the way, if that is what was asked for
            watch.did(Phase.ENCODE, -1, shape.bytes(), since);
            refusal = sum(place, round.right());
            if (refusal.isPresent()) {
                return refusal;
            }
            since = watch.now();
            round.rightSummed(1);
            round.approximation(sum);
            watch.did(Phase.DECODE, -1, shape.bytes(), since);
            if (sum.byteSize() > place.work().byteSize()) { // what is padded ends here
                MemorySegment.copy(sum, 0, place.work(), 0, place.work().byteSize());
            }
            return place.held(); // from now on the result has to be there, whatever breaks
        } catch (NonFiniteException overflow) { // all ranks have the same sums and come to this without a word
            return Optional.of(
                    new Refusal(Refusal.Cause.NON_FINITE, "a sum of factors overflowed: " + overflow.getMessage()));
        }
    }

    private static Optional<Refusal> sum(Place place, MemorySegment factor) throws IOException {
        var region = Exchange.Region.of(factor);
        var schedule = new RingAllReduce(
                place.hop(), place.world(), factor.byteSize() / Float.BYTES, Float.BYTES, place.segmentBytes());
        return place.exchange().play(schedule, place.mesh().byHop(), region, region);
    }

    @Override
    public void commit() {
        if (pending != null) {
            pending.commit();
            pending = null;
        }
    }

    @Override
    public void rollBack() {
        if (pending != null) {
            pending.rollback();
            pending = null;
        }
    }
}

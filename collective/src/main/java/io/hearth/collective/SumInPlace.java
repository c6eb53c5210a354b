package io.hearth.collective;

import io.hearth.collective.schedule.RingAllReduce;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * An all-reduce of elements as they are, round the ring, with its result where the application wants it; with the held round.
 *
 * <p>For large tensors the memory is what limits, not the wire: a private result costs a buffer of the tensor's size, and writing and
 * reading all of it once more. Here the sum replaces the contribution where that lies, and what is overwritten of it is saved while it
 * passes through the processor anyway; apart from each other, they need no memory at all. The price is a round trip at the end: nobody
 * keeps a result for those who lack it, so all must hold it before anybody returns and may change it.
 *
 * <p>A contribution on the heap, or of one thread alone, travels as a copy: the data threads cannot use it.
 */
final class SumInPlace implements Contribution {
    private Undo undo = Undo.NONE;
    private boolean travelsAsCopy;

    @Override
    public Call.Memory memory(Signature signature, MemorySegment input, MemorySegment target, GroupShell shell) {
        boolean isUsable = isUsable(input, shell) && isUsable(target, shell);
        if (isUsable && isSame(input, target)) {
            Buffers.Buffer saved = shell.buffers().take(signature.bytes());
            undo = new Undo(target, saved.bytes());
            return new Call.Memory(target, null, saved, target);
        }
        if (isUsable && input.asOverlappingSlice(target).isEmpty()) {
            return new Call.Memory(input, null, Buffers.NONE, target);
        }
        travelsAsCopy = true;
        return new Call.Memory(input, null, shell.buffers().take(signature.bytes()), target);
    }

    private static boolean isUsable(MemorySegment memory, GroupShell shell) {
        return memory.isNative() && shell.mayTouch(memory);
    }

    private static boolean isSame(MemorySegment input, MemorySegment target) {
        return input.address() == target.address() && input.byteSize() == target.byteSize();
    }

    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        undo.restore();
        Call call = place.call();
        Signature signature = call.signature();
        MemorySegment input = call.input();
        MemorySegment result = call.memory().target();
        if (travelsAsCopy) {
            result = place.work();
            MemorySegment.copy(input, 0, result, 0, signature.bytes());
            input = result;
        }
        var schedule = new RingAllReduce(
                place.hop(), place.world(), signature.count(), signature.type().bytes(), place.segmentBytes());
        if (place.world() == 1 && !isSame(input, result)) {
            MemorySegment.copy(input, 0, result, 0, signature.bytes());
        }
        undo.begin(schedule);
        Optional<Refusal> refusal = place.exchange()
                .play(schedule, place.mesh().byHop(), Exchange.Region.of(input), Exchange.Region.of(result), undo);
        return refusal.isPresent() ? refusal : place.held();
    }

    @Override
    public void deliver(Call call, Mesh ran) {
        if (travelsAsCopy) {
            Contribution.super.deliver(call, ran);
        }
    }

    @Override
    public void restore() {
        undo.restore();
    }
}

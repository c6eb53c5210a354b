package io.hearth.compression.memory;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.Codec;
import io.hearth.compression.MaxMagnitude;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.Residual;
import io.hearth.compression.Workers;
import io.hearth.compression.block.NoneCodec;
import io.hearth.compression.block.PassDenseCodec;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.compression.sparse.Candidates;
import io.hearth.compression.sparse.ChunkedTopKCodec;
import io.hearth.compression.sparse.GradualEncoding;
import io.hearth.compression.sparse.Source;
import io.hearth.compression.sparse.SparseCodec;
import io.hearth.compression.sparse.SparseSum;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Keeps the residual of each tensor and adds it to the next gradient (error feedback; Karimireddy et al., ICML 2019, algorithm 2):
 * {@code e = g + residual}, send {@code encode(e)}, {@code residual' = e - decode(encode(e))}.
 *
 * <p>Codecs that draw random numbers get a seed made of name and step. So a repeated step draws the same numbers, and so do members whose
 * memories have the same seed and took the same steps.
 *
 * <p>Takes off-heap memory of the size of each tensor for {@code topk}, and twice that for other codecs; half of it with
 * {@link Residual#BFLOAT16}.
 */
public final class ErrorFeedback extends GradientMemory {
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    private final Codec codec;
    private final long seed;
    private final CodecKernels kernels;
    private final Workers workers;
    private final Candidates candidates;
    private final ScratchPool scratch = new ScratchPool();
    private MemorySegment run = MemorySegment.NULL;

    /**
     * An empty memory that adds and selects with the kernels of an engine.
     *
     * @param residual its form; not {@code NONE}
     * @param tensorsMax most keys that may be in use; at least 1
     * @param seed for codecs that draw random numbers: different seeds make the rounding errors of the ranks independent, the same seed on
     *     all ranks makes {@code randomk} keep the same indices
     * @param kernels shared with others
     * @param workers for large tensors, whose gradients they must be able to read
     */
    public ErrorFeedback(
            Codec codec, Residual residual, int tensorsMax, long seed, CodecKernels kernels, Workers workers) {
        super(TensorFile.ERROR_FEEDBACK, tensorsMax, residual == Residual.BFLOAT16);
        if (residual == Residual.NONE) {
            throw new IllegalArgumentException(
                    "residual must be FLOAT32 or BFLOAT16, got NONE: without residuals no memory is needed");
        }
        this.codec = codec;
        this.seed = seed;
        this.kernels = kernels;
        this.workers = workers;
        candidates = new Candidates(kernels, workers);
    }

    @Override
    public long encodedBytesMax(long count) {
        return codec.encodedBytesMax(count);
    }

    @Override
    public Pending prepare(String key, MemorySegment gradient, long count, MemorySegment encoded)
            throws NonFiniteException {
        TensorMemory tensor = tensor(key, gradient, count);
        return encode(tensor, key, gradient, count, draw(tensor, key), encoded);
    }

    private long draw(TensorMemory tensor, String key) {
        return seed + (tensor.steps() + 1) * GOLDEN + ((long) key.hashCode() << Integer.SIZE);
    }

    /**
     * Encodes as {@link #prepare(String, MemorySegment, long, MemorySegment)}, with a seed that the caller chooses. Members that use the
     * same seed draw the same numbers, whatever the history of their memories.
     *
     * @param draw the codec's seed, used instead of name, step and the memory's own seed
     * @throws NonFiniteException as without {@code draw}
     */
    public Pending prepare(String key, MemorySegment gradient, long count, long draw, MemorySegment encoded)
            throws NonFiniteException {
        return encode(tensor(key, gradient, count), key, gradient, count, draw, encoded);
    }

    /**
     * Begins an encoding, in parts, of the gradient plus the tensor's residual. With a float32 memory and the same seed, the body is the
     * one that {@link #prepare(String, MemorySegment, long, long, MemorySegment)} would write; a bfloat16 memory is rounded with other
     * random numbers.
     *
     * @param key as in {@link #prepare}
     * @param gradient native memory, float32, at least {@code count}, which every thread that encodes may read; borrowed until the encoding
     *     is ended
     * @param seed the codec's seed
     * @throws IllegalArgumentException if the codec is not a {@link BlockCodec}
     * @throws IllegalStateException as {@link #prepare}
     */
    public PendingParts begin(String key, MemorySegment gradient, long count, long seed) {
        Codec within = PassDenseCodec.within(codec);
        if (!(within instanceof BlockCodec blocks)) {
            throw new IllegalArgumentException("'" + codec.name()
                    + "' encodes a tensor as a whole, not in parts: call prepare, or choose a codec with blocks");
        }
        TensorMemory tensor = tensor(key, gradient, count);
        return new PendingParts(blocks, tensor, gradient, seed, draw(tensor, key), scratch);
    }

    /**
     * Begins the encoding that {@link #prepare} would make, of the gradient plus the tensor's residual, to be made from its beginning on.
     *
     * @param gradient as in {@link #prepare}; borrowed until the encoding is ended
     * @param encoded as in {@link #prepare}, until the encoding is ended
     * @throws IllegalArgumentException if the codec is not a {@link ChunkedTopKCodec}
     * @throws IllegalStateException as {@link #prepare}
     */
    public GradualEncoding beginInOrder(String key, MemorySegment gradient, long count, MemorySegment encoded) {
        if (!(codec instanceof ChunkedTopKCodec chunked)) {
            throw new IllegalArgumentException(
                    "'" + codec.name() + "' encodes a tensor as a whole: call prepare, or choose topk with chunk=4096");
        }
        Float32.checkRoom(encoded, codec.encodedBytesMax(count), count);
        TensorMemory tensor = tensor(key, gradient, count);
        Source source = new ResidualSource(kernels, gradient, tensor, run(chunked.run(count)));
        MemorySegment encoding = encoded.asSlice(0, codec.encodedBytesMax(count));
        Pending pending = pendLargest(tensor, key, gradient, encoding);
        return chunked.begin(workers, source, count, Optional.of(pending), encoded);
    }

    /** An upper bound of the largest magnitude of the gradient plus the tensor's residual; arguments as in {@link #prepare}. */
    public float maxMagnitude(String key, MemorySegment gradient, long count) {
        TensorMemory tensor = tensor(key, gradient, count);
        if (!tensor.isNarrow()) {
            return MaxMagnitude.of(gradient, count) + MaxMagnitude.of(tensor.now(), count);
        }
        float most = 0;
        for (long first = 0; first < count; first += SparseSum.RUN) {
            int n = (int) Math.min(SparseSum.RUN, count - first);
            tensor.load(tensor.now(), first, run(n), n);
            most = Math.max(most, MaxMagnitude.of(run(n), n));
        }
        return MaxMagnitude.of(gradient, count) + most;
    }

    @Override
    public Pending prepareDense(String key, MemorySegment gradient, long count, MemorySegment values) {
        TensorMemory tensor = tensor(key, gradient, count);
        Float32.checkRoom(values, count);
        tensor.addTo(gradient, 0, values, count, kernels);
        return tensor.pend(count * Float.BYTES, 0, () -> tensor.now().fill((byte) 0));
    }

    private TensorMemory tensor(String key, MemorySegment gradient, long count) {
        Float32.checkRoom(gradient, count);
        return tensors().idle(key, count, 0);
    }

    private Pending encode(
            TensorMemory tensor, String key, MemorySegment gradient, long count, long draw, MemorySegment encoded)
            throws NonFiniteException {
        if (PassDenseCodec.within(codec) instanceof SparseCodec sparse) {
            return encodeLargest(sparse, tensor, key, gradient, count, encoded);
        }
        if (!tensor.isNarrow()) {
            return tensor.pendNext(
                    codec.encodeWithResidual(gradient, tensor.now(), tensor.next(), count, draw, encoded));
        }
        try (var arena = Arena.ofConfined()) {
            MemorySegment residual = arena.allocate(Float32.FLOAT, count);
            MemorySegment nextResidual = arena.allocate(Float32.FLOAT, count);
            tensor.load(tensor.now(), 0, residual, count);
            long bytes = codec.encodeWithResidual(gradient, residual, nextResidual, count, draw, encoded);
            tensor.keep(nextResidual, tensor.next(), 0, count, draw(tensor, key));
            return tensor.pendNext(bytes);
        }
    }

    private Pending encodeLargest(
            SparseCodec sparse,
            TensorMemory tensor,
            String key,
            MemorySegment gradient,
            long count,
            MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(encoded, codec.encodedBytesMax(count), count);
        long bytes;
        try {
            Source source = new ResidualSource(kernels, gradient, tensor, run(sparse.run(count)));
            bytes = sparse.encode(source, count, candidates, encoded);
        } catch (NonFiniteException notCarried) {
            if (!codec.carriesNonFinite()) {
                throw notCarried;
            }
            MemorySegment body = NoneCodec.begin(encoded, count);
            tensor.addTo(gradient, 0, body, count, kernels);
            bytes = Header.BYTES + body.byteSize();
        }
        return pendLargest(tensor, key, gradient, encoded.asSlice(0, bytes));
    }

    private Pending pendLargest(TensorMemory tensor, String key, MemorySegment gradient, MemorySegment encoding) {
        return tensor.isNarrow()
                ? new NarrowSparsePending(kernels, workers, tensor, encoding, gradient, draw(tensor, key))
                : new ResidualSparsePending(kernels, workers, tensor, encoding, gradient);
    }

    /** Scratch memory for at least {@code values} values. */
    private MemorySegment run(int values) {
        if (run.byteSize() < (long) values * Float.BYTES) {
            run = Arena.ofAuto().allocate(Float32.FLOAT, values);
        }
        return run;
    }

    /** Whether a tensor of that name and size was encoded before, so that it may have a residual. */
    public boolean hasResidual(String key, long count) {
        TensorMemory known = tensors().known(key);
        return known != null && known.floats() == count;
    }

    /**
     * Adds a tensor's residual to its gradient, so that another compression can send it. The caller calls {@link #forget} once the gradient
     * was summed.
     *
     * @param gradient native memory, float32, at least {@code count}; written
     * @throws IllegalArgumentException if there is no residual of a tensor of that name and size
     * @throws IllegalStateException as {@link #prepare}
     */
    public void addResidual(String key, MemorySegment gradient, long count) {
        Float32.checkRoom(gradient, count);
        TensorMemory known = tensors().known(key);
        if (known == null || known.floats() != count) {
            throw new IllegalArgumentException("there is no residual of a tensor " + key + " of " + count + " values");
        }
        known.checkIdle(key);
        for (long first = 0; first < count; first += SparseSum.RUN) {
            int n = (int) Math.min(SparseSum.RUN, count - first);
            MemorySegment residual = run(n);
            known.load(known.now(), first, residual, n);
            kernels.add(gradient, first * Float.BYTES, gradient, first * Float.BYTES, residual, 0, n);
        }
    }
}

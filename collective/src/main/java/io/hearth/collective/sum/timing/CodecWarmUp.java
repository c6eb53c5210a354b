package io.hearth.collective.sum.timing;

import io.hearth.accel.CodecKernels;
import io.hearth.collective.sum.compressed.Encodings;
import io.hearth.collective.sum.compressed.Encodings.Encoded;
import io.hearth.collective.sum.compressed.GatheredSum;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionRules;
import io.hearth.compression.CompressionRules.Rule;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.Workers;
import io.hearth.compression.block.PassDenseCodec;
import io.hearth.compression.codecs.Codecs;
import io.hearth.compression.memory.DgcMemory;
import io.hearth.compression.memory.ErrorFeedback;
import io.hearth.compression.memory.GradientMemory;
import io.hearth.compression.memory.SparsePending;
import io.hearth.compression.sparse.GradualEncoding;
import io.hearth.compression.sparse.SparseSum;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Runs the code of sparse codecs until Java has compiled it, before gradients need it: sums small tensors as {@link GatheredSum}
 * sums large ones. A process does that once for each kind of codec, on a thread that ends within seconds. Without it the first sum
 * of 64 MiB takes some seconds.
 *
 * <p>Used by one thread, its creator.
 */
public final class CodecWarmUp implements AutoCloseable {
    /** Small, so that the compiler soon counts many calls. */
    private static final int COUNT = 1 << 13;

    /**
     * Codecs whose warm-up has started. Static, because compiled code belongs to the process; written by each thread that opens an
     * engine.
     */
    private static final Set<String> BEGUN = ConcurrentHashMap.newKeySet();

    private final Encodings encodings;
    private final Optional<? extends GradientMemory> memory;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment gradient = arena.allocate(ValueLayout.JAVA_FLOAT, COUNT);
    private final MemorySegment sum = arena.allocate(ValueLayout.JAVA_FLOAT, COUNT);
    private final MemorySegment room;

    private CodecWarmUp(Encodings encodings, Optional<? extends GradientMemory> memory) {
        this.encodings = encodings;
        this.memory = memory;
        room = arena.allocate(encodings.roomBytes(COUNT));
        var random = new SplittableRandom(COUNT);
        for (int i = 0; i < COUNT; i++) {
            gradient.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
        }
    }

    /** Starts the warm-up of those codecs of {@code compression} that are sparse and new to this process. Returns at once. */
    public static void begin(CompressionStrategy compression, CodecKernels kernels) {
        sparse(compression)
                .filter(each -> BEGUN.add(code(each) + " by " + kernels.name()))
                .forEach(each -> Thread.ofPlatform()
                        .name("hearth-codec-warm-up")
                        .daemon(true)
                        .start(() -> run(each, kernels, Clock.system()::nanoTime)));
    }

    /** A name for the code path of a codec. Codecs that differ only in the fraction that they keep share one. */
    private static String code(CompressionStrategy sparse) {
        return sparse instanceof CompressionStrategy.TopK topK
                ? "topk, chunks: " + (topK.chunk() > 0) + ", " + topK.residual()
                : "dgc";
    }

    /** The sparse codecs of a compression. */
    static Stream<CompressionStrategy> sparse(CompressionStrategy compression) {
        return switch (compression) {
            case CompressionRules(List<Rule> rules) -> rules.stream().flatMap(rule -> sparse(rule.compression()));
            case CompressionStrategy.TopK topK -> Stream.of(topK);
            case CompressionStrategy.Dgc dgc -> Stream.of(dgc);
            default -> Stream.of();
        };
    }

    /** Sums until no sum gets faster; returns the number of sums. */
    static int run(CompressionStrategy sparse, CodecKernels kernels, LongSupplier nanoTime) {
        try (CodecWarmUp warmUp = of(sparse, kernels)) {
            return UntilSteady.run(nanoTime, warmUp::sum);
        } catch (NonFiniteException | MalformedMessageException bug) {
            throw new AssertionError(sparse.text() + " cannot carry its warm-up", bug);
        }
    }

    private static CodecWarmUp of(CompressionStrategy sparse, CodecKernels kernels) {
        return switch (sparse) {
            case CompressionStrategy.TopK topK -> {
                Codec codec = PassDenseCodec.within(Codecs.of(topK, kernels));
                Optional<ErrorFeedback> residuals = topK.keepsResidual()
                        ? Optional.of(new ErrorFeedback(codec, topK.residual(), 1, 0, kernels, Workers.NONE))
                        : Optional.empty();
                yield new CodecWarmUp(Encodings.ByCodec.of(topK, codec, residuals), residuals);
            }
            case CompressionStrategy.Dgc dgc -> {
                var memory = new DgcMemory(dgc.options(), 1, kernels, Workers.NONE);
                yield new CodecWarmUp(new Encodings.ByDgc(memory), Optional.of(memory));
            }
            default -> throw new IllegalArgumentException(sparse.text() + " is not sparse");
        };
    }

    private void sum() throws NonFiniteException, MalformedMessageException {
        Encoded own = encode();
        MemorySegment encoding = room.asSlice(0, own.bytes());
        SparseSum.check(encoding, COUNT);
        List<MemorySegment> both = List.of(encoding, encoding);
        if (own.pending().orElse(null) instanceof SparsePending pending) {
            pending.deliver(both, both.size(), sum);
        } else {
            SparseSum.decodeAll(Workers.NONE, both, both.size(), sum, COUNT);
        }
        own.pending().ifPresent(Pending::commit);
    }

    private Encoded encode() throws NonFiniteException {
        Optional<GradualEncoding> gradual = encodings.begin(Workers.NONE, "", gradient, COUNT, room);
        if (gradual.isEmpty()) {
            return encodings.encode("", gradient, COUNT, 0, 2, room);
        }
        gradual.get().make(room.byteSize());
        return new Encoded(room.byteSize(), gradual.get().pending());
    }

    @Override
    public void close() {
        memory.ifPresent(GradientMemory::close);
        arena.close();
    }
}

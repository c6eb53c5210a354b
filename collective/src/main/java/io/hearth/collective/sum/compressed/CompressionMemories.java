package io.hearth.collective.sum.compressed;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.CompressionRules;
import io.hearth.compression.CompressionRules.Rule;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.OnNonFinite;
import io.hearth.compression.Residual;
import io.hearth.compression.Workers;
import io.hearth.compression.block.PassDenseCodec;
import io.hearth.compression.codecs.Codecs;
import io.hearth.compression.memory.CompressionMemory;
import io.hearth.compression.memory.DgcMemory;
import io.hearth.compression.memory.ErrorFeedback;
import io.hearth.compression.memory.PowerSgdMemory;
import io.hearth.compression.memory.RandomKMemory;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory that each compression keeps of a member's tensors from one sum to the next, such as residuals. A memory is created on
 * first use; only the calling thread uses its contents.
 *
 * <pre>
 * saved: | magic: int32 | compressions: int32 | of each: text: int32 length, UTF-8 | memory: int64 length, as it saves itself |
 * </pre>
 *
 * <p>A custom codec is saved by its name, marked as custom. A restore looks it up among the compressions in use here, because saved
 * bytes cannot describe how to create one.
 */
public final class CompressionMemories implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CompressionMemories.class);
    private static final int STRATEGIES_MAX = 8;
    private static final int TENSORS_MAX = 4096;
    private static final int MAGIC = 0x43_47_52_48; // HRGC
    private static final String CUSTOM = "custom "; // no text of a built-in compression starts with it
    private static final int TEXT_BYTES_MAX = CUSTOM.length() + 3 * CompressionStrategy.TEXT_MAX; // of UTF-8
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final CodecKernels kernels;
    private final Workers workers;
    private final CompressionStrategy usual;
    private final ReentrantLock lock = new ReentrantLock(); // guards what follows
    private Map<CompressionStrategy, CompressionMemory> all = new LinkedHashMap<>();

    /**
     * Starts with no memory.
     *
     * @param kernels kernels of the engine that reduces
     * @param workers threads for large tensors
     * @param usual default compression of the engine
     */
    public CompressionMemories(CodecKernels kernels, Workers workers, CompressionStrategy usual) {
        this.kernels = kernels;
        this.workers = workers;
        this.usual = usual;
    }

    /** The memory of a lossy codec. */
    public ErrorFeedback of(CompressionStrategy.Coded compression) {
        return (ErrorFeedback) get(compression);
    }

    /** Memories of the codecs other than {@code but} that hold a residual of this tensor. */
    public List<ErrorFeedback> withResidual(String tensor, long count, CompressionStrategy.Coded but) {
        lock.lock();
        try {
            var found = new ArrayList<ErrorFeedback>();
            all.forEach((compression, memory) -> {
                if (!compression.equals(but)
                        && memory instanceof ErrorFeedback feedback
                        && feedback.hasResidual(tensor, count)) {
                    found.add(feedback);
                }
            });
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** The memory of sums of randomly drawn values. */
    public RandomKMemory of(CompressionStrategy.RandomK compression) {
        return (RandomKMemory) get(compression);
    }

    /** The memory of sums with momentum. */
    public DgcMemory of(CompressionStrategy.Dgc compression) {
        return (DgcMemory) get(compression);
    }

    /** The memory of low-rank sums. */
    public PowerSgdMemory of(CompressionStrategy.PowerSgd compression) {
        return (PowerSgdMemory) get(compression);
    }

    private CompressionMemory get(CompressionStrategy compression) {
        lock.lock();
        try {
            CompressionMemory known = all.get(compression);
            if (known == null) {
                if (all.size() == STRATEGIES_MAX) {
                    throw new IllegalStateException("more than " + STRATEGIES_MAX
                            + " lossy compressions in one engine: take a few and use them for all calls");
                }
                known = fresh(compression);
                all.put(compression, known);
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    private CompressionMemory fresh(CompressionStrategy compression) {
        return switch (compression) {
            case CompressionStrategy.RandomK(double fraction, Residual residual, OnNonFinite _) ->
                new RandomKMemory(fraction, residual != Residual.NONE, TENSORS_MAX, kernels);
            case CompressionStrategy.Coded coded ->
                new ErrorFeedback(
                        PassDenseCodec.within(Codecs.of(coded, kernels)),
                        coded.residual(),
                        TENSORS_MAX,
                        0,
                        kernels,
                        workers);
            case CompressionStrategy.Dgc dgc -> {
                LOG.info(
                        "{}: residuals accumulate a momentum of {}, so the optimiser must not use momentum itself",
                        dgc.text(),
                        dgc.momentum());
                yield new DgcMemory(dgc.options(), TENSORS_MAX, kernels, workers);
            }
            case CompressionStrategy.PowerSgd(int rank, Residual residual) ->
                new PowerSgdMemory(rank, residual != Residual.NONE, 0, TENSORS_MAX, kernels);
            case CompressionStrategy.Auto auto ->
                throw new IllegalStateException(auto.text() + " keeps no memory; its codecs do");
            case CompressionRules rules ->
                throw new IllegalStateException(rules.text() + " keep no memory; their codecs do");
        };
    }

    /** Saves all memories to a segment of {@code arena}. */
    public MemorySegment save(Arena arena) {
        lock.lock();
        try {
            long bytes = 2L * Integer.BYTES;
            for (Map.Entry<CompressionStrategy, CompressionMemory> entry : all.entrySet()) {
                bytes += Integer.BYTES + text(entry.getKey()).length + Long.BYTES;
                bytes += entry.getValue().savedBytes();
            }
            MemorySegment saved = arena.allocate(bytes);
            saved.set(INT, 0, MAGIC);
            saved.set(INT, Integer.BYTES, all.size());
            long at = 2L * Integer.BYTES;
            for (Map.Entry<CompressionStrategy, CompressionMemory> entry : all.entrySet()) {
                byte[] text = text(entry.getKey());
                saved.set(INT, at, text.length);
                MemorySegment.copy(text, 0, saved, ValueLayout.JAVA_BYTE, at + Integer.BYTES, text.length);
                at += Integer.BYTES + text.length;
                long size = entry.getValue().savedBytes();
                saved.set(LONG, at, size);
                entry.getValue().save(saved.asSlice(at + Long.BYTES, size));
                at += Long.BYTES + size;
            }
            return saved;
        } finally {
            lock.unlock();
        }
    }

    private static byte[] text(CompressionStrategy compression) {
        return savedText(compression).getBytes(StandardCharsets.UTF_8);
    }

    private static String savedText(CompressionStrategy compression) {
        return (compression instanceof CompressionStrategy.Custom ? CUSTOM : "") + compression.text();
    }

    /** Replaces all memories by the saved ones. */
    public void restore(MemorySegment saved) throws MalformedMessageException {
        var restored = new LinkedHashMap<CompressionStrategy, CompressionMemory>();
        try {
            read(saved, restored);
        } catch (MalformedMessageException | RuntimeException | Error broken) {
            restored.values().forEach(CompressionMemory::close);
            throw broken;
        }
        lock.lock();
        try {
            all.values().forEach(CompressionMemory::close);
            all = restored;
        } finally {
            lock.unlock();
        }
    }

    private void read(MemorySegment saved, Map<CompressionStrategy, CompressionMemory> into)
            throws MalformedMessageException {
        long end = saved.byteSize();
        if (end < 2L * Integer.BYTES || saved.get(INT, 0) != MAGIC) {
            throw new MalformedMessageException("not a saved memory of compressions: too short or wrong magic");
        }
        int count = saved.get(INT, Integer.BYTES);
        if (count < 0 || count > STRATEGIES_MAX) {
            throw new MalformedMessageException(
                    "number of compressions must be 0 to " + STRATEGIES_MAX + ", got " + count);
        }
        long at = 2L * Integer.BYTES;
        for (int i = 0; i < count; i++) {
            require(end - at >= Integer.BYTES, i);
            int length = saved.get(INT, at);
            at += Integer.BYTES;
            require(length >= 0 && length <= TEXT_BYTES_MAX && end - at >= length + (long) Long.BYTES, i);
            CompressionStrategy compression = strategy(
                    new String(saved.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8));
            at += length;
            long size = saved.get(LONG, at);
            at += Long.BYTES;
            require(size >= 0 && end - at >= size && !into.containsKey(compression), i);
            CompressionMemory memory = fresh(compression);
            into.put(compression, memory);
            memory.restore(saved.asSlice(at, size));
            at += size;
        }
        if (at != end) {
            throw new MalformedMessageException((end - at) + " bytes follow the saved memory of compressions");
        }
    }

    private static void require(boolean holds, int entry) throws MalformedMessageException {
        if (!holds) {
            throw new MalformedMessageException("the saved memory of compression " + entry + " is cut or damaged");
        }
    }

    private CompressionStrategy strategy(String text) throws MalformedMessageException {
        Optional<CompressionStrategy> here =
                inUse().stream().filter(each -> savedText(each).equals(text)).findFirst();
        if (here.isPresent()) {
            return here.get();
        }
        if (text.startsWith(CUSTOM)) {
            throw new MalformedMessageException("saved by the custom codec '"
                    + text.substring(CUSTOM.length())
                    + "', which is not in use here: make it this backend's compression, or sum with it once,"
                    + " then restore");
        }
        try {
            CompressionStrategy compression = CompressionStrategy.parse(text);
            boolean choosesOnly =
                    compression instanceof CompressionStrategy.Auto || compression instanceof CompressionRules;
            if (compression.equals(CompressionStrategy.NONE) || choosesOnly) {
                throw new MalformedMessageException("'" + text + "' keeps no memory");
            }
            return compression;
        } catch (IllegalArgumentException unknown) {
            throw new MalformedMessageException("saved by an unknown compression: " + text, unknown);
        }
    }

    private List<CompressionStrategy> inUse() {
        lock.lock();
        try {
            var here = new ArrayList<>(all.keySet());
            var usuals = usual instanceof CompressionRules(List<Rule> rules)
                    ? rules.stream().map(Rule::compression).toList()
                    : List.of(usual);
            usuals.stream()
                    .filter(each -> !(each instanceof CompressionStrategy.Auto) && remembers(each))
                    .forEach(here::add);
            return here;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a sum with this compression depends on earlier sums of the tensor. */
    public static boolean remembers(CompressionStrategy compression) {
        return switch (compression) {
            case CompressionStrategy.Coded coded -> coded.keepsResidual();
            case CompressionStrategy.Dgc _, CompressionStrategy.PowerSgd _ -> true;
            case CompressionStrategy.Auto auto ->
                auto.allowed().stream().anyMatch(CompressionStrategy.Coded::keepsResidual);
            case CompressionRules(List<Rule> rules) -> rules.stream().anyMatch(rule -> remembers(rule.compression()));
        };
    }

    /** Forgets the memories of all tensors, because the model state that they belong to was replaced. */
    public void forgetAll() {
        close();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            all.values().forEach(CompressionMemory::close);
            all.clear();
        } finally {
            lock.unlock();
        }
    }
}

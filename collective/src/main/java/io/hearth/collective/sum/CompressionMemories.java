package io.hearth.collective.sum;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.CompressionMemory;
import io.hearth.compression.CompressionRules;
import io.hearth.compression.CompressionRules.Rule;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.DgcMemory;
import io.hearth.compression.ErrorFeedback;
import io.hearth.compression.OnNonFinite;
import io.hearth.compression.PassDenseCodec;
import io.hearth.compression.PowerSgdMemory;
import io.hearth.compression.RandomKMemory;
import io.hearth.compression.Residual;
import io.hearth.compression.Workers;
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
 * What a member remembers of its tensors from one sum to the next, for each compression that it uses. Made when first asked for; only
 * the thread that calls uses what is in them.
 *
 * <pre>
 * saved: | magic: int32 | compressions: int32 | of each: text: int32 length, UTF-8 | memory: int64 length, as it saves itself |
 * </pre>
 *
 * <p>A codec of the caller's own is saved by its name, marked as such, and found again among the compressions in use here: bytes do not
 * tell how to make one.
 */
public final class CompressionMemories implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CompressionMemories.class);
    private static final int STRATEGIES_MAX = 8;
    private static final int TENSORS_MAX = 4096;
    private static final int MAGIC = 0x43_47_52_48; // HRGC
    private static final String CUSTOM = "custom "; // no text of a compression begins so
    private static final int TEXT_BYTES_MAX = CUSTOM.length() + 3 * CompressionStrategy.TEXT_MAX; // of UTF-8
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final CodecKernels kernels;
    private final Workers workers;
    private final CompressionStrategy usual;
    private final ReentrantLock lock = new ReentrantLock(); // guards what follows
    private Map<CompressionStrategy, CompressionMemory> all = new LinkedHashMap<>();

    /**
     * Empty.
     *
     * @param kernels those of the engine that reduces
     * @param workers for large tensors
     * @param usual compression of that engine
     */
    public CompressionMemories(CodecKernels kernels, Workers workers, CompressionStrategy usual) {
        this.kernels = kernels;
        this.workers = workers;
        this.usual = usual;
    }

    /** For a lossy codec. */
    ErrorFeedback of(CompressionStrategy.Coded compression) {
        return (ErrorFeedback) get(compression);
    }

    /** What all codecs but one remember of a tensor of that name and size. */
    public List<ErrorFeedback> owing(String tensor, long count, CompressionStrategy.Coded but) {
        lock.lock();
        try {
            var owing = new ArrayList<ErrorFeedback>();
            all.forEach((compression, memory) -> {
                if (!compression.equals(but)
                        && memory instanceof ErrorFeedback feedback
                        && feedback.owes(tensor, count)) {
                    owing.add(feedback);
                }
            });
            return owing;
        } finally {
            lock.unlock();
        }
    }

    /** For sums of drawn values. */
    RandomKMemory of(CompressionStrategy.RandomK compression) {
        return (RandomKMemory) get(compression);
    }

    /** For sums that gather momentum. */
    DgcMemory of(CompressionStrategy.Dgc compression) {
        return (DgcMemory) get(compression);
    }

    /** For matrices. */
    PowerSgdMemory of(CompressionStrategy.PowerSgd compression) {
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
                        PassDenseCodec.within(coded.codec(kernels)),
                        coded.residual(),
                        TENSORS_MAX,
                        0,
                        kernels,
                        workers);
            case CompressionStrategy.Dgc dgc -> {
                LOG.info(
                        "{}: what waits gathers a momentum of {}, so the optimiser must have none of its own",
                        dgc.text(),
                        dgc.momentum());
                yield new DgcMemory(dgc.options(), TENSORS_MAX, kernels, workers);
            }
            case CompressionStrategy.PowerSgd(int rank, Residual residual) ->
                new PowerSgdMemory(rank, residual != Residual.NONE, 0, TENSORS_MAX, kernels);
            case CompressionStrategy.Auto auto ->
                throw new IllegalStateException(auto.text() + " remembers nothing; its codecs do");
            case CompressionRules rules ->
                throw new IllegalStateException(rules.text() + " remember nothing; their codecs do");
        };
    }

    /** All of it, in memory of {@code arena}. */
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

    /** What was saved instead of all that is here. */
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
            throw new MalformedMessageException("this is no saved memory of compressions");
        }
        int count = saved.get(INT, Integer.BYTES);
        if (count < 0 || count > STRATEGIES_MAX) {
            throw new MalformedMessageException(count + " compressions, and there are 0 to " + STRATEGIES_MAX);
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
            throw new MalformedMessageException((end - at) + " bytes too many after the memory of compressions");
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
            throw new MalformedMessageException(
                    "saved by a codec of the caller's own, '"
                            + text.substring(CUSTOM.length())
                            + "', which is not in use here: make it this backend's compression, or sum with it once, and restore then");
        }
        try {
            CompressionStrategy compression = CompressionStrategy.parse(text);
            boolean choosesOnly =
                    compression instanceof CompressionStrategy.Auto || compression instanceof CompressionRules;
            if (compression.equals(CompressionStrategy.NONE) || choosesOnly) {
                throw new MalformedMessageException("'" + text + "' remembers nothing");
            }
            return compression;
        } catch (IllegalArgumentException unknown) {
            throw new MalformedMessageException("saved by a compression that is not known here: " + text, unknown);
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

    /** Whether a sum depends on what was left out of those before it. */
    static boolean remembers(CompressionStrategy compression) {
        return switch (compression) {
            case CompressionStrategy.Coded coded -> coded.isOwed();
            case CompressionStrategy.Dgc _, CompressionStrategy.PowerSgd _ -> true;
            case CompressionStrategy.Auto auto -> auto.allowed().stream().anyMatch(CompressionStrategy.Coded::isOwed);
            case CompressionRules(List<Rule> rules) -> rules.stream().anyMatch(rule -> remembers(rule.compression()));
        };
    }

    /** Forgets what is owed to all tensors: the state that it belonged to is gone. */
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

package io.hearth.collective.state;

import io.hearth.collective.StateBlob;
import io.hearth.collective.exchange.RankThreads;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that must be equal on all ranks of a group, and the number of steps that led to their content. The application owns
 * the buffers. They are read only inside a boundary, and written there only if the group's state differs.
 *
 * <p>For the application's thread; {@link #read} also for others.
 */
public final class SharedState implements AutoCloseable {
    /** Below this, a second thread costs more than it saves. */
    private static final long PARALLEL_BYTES_MIN = 8L << 20;

    private final int chunkBytes;
    private final StateStaging staging;
    private final Map<String, Supplier<List<MemorySegment>>> shares = new LinkedHashMap<>();
    private final List<BlobBuffer> blobs = new ArrayList<>(); // of the newest boundary, like the next three
    private List<MemorySegment> buffers = List.of();
    private StateLayout layout;
    private long[] starts = new long[0];
    private long revision;
    private String lineage = "";
    private boolean resumed;
    private boolean begun;
    private int replacedInARow;

    public SharedState() {
        this(StateLayout.CHUNK_BYTES_MAX);
    }

    /** Creates a state with another chunk size, the same on all ranks. */
    public SharedState(int chunkBytes) {
        this.chunkBytes = chunkBytes;
        this.layout = new StateLayout(chunkBytes, List.of());
        this.staging = new StateStaging(chunkBytes);
    }

    /**
     * Registers buffers, in the same order on all ranks.
     *
     * @param name 1 to 63 printable characters, unique
     * @param more at least one; heap or native, writable, usable from any thread, of any size; kept, and the application must keep
     *     them alive
     */
    public void share(String name, List<MemorySegment> more) {
        List<MemorySegment> kept = List.copyOf(more);
        requireFree(name);
        var sizes = new ArrayList<StateLayout.Share>();
        var all = new ArrayList<MemorySegment>();
        int first = 0;
        for (StateLayout.Share laid : layout.shares()) {
            int end = first + laid.sizes().size();
            if (shares.containsKey(laid.name())) { // else its sharing has ended since the last boundary
                sizes.add(laid);
                all.addAll(buffers.subList(first, end));
            }
            first = end;
        }
        sizes.add(share(name, kept, Thread.ofPlatform().unstarted(() -> {})));
        all.addAll(kept);
        lay(sizes, all);
        shares.put(name, () -> kept);
    }

    private void requireFree(String name) {
        if (shares.containsKey(name)) {
            throw new IllegalArgumentException("'" + name + "' is shared already; names are unique");
        }
    }

    private static StateLayout.Share share(String name, List<MemorySegment> named, Thread other) {
        for (MemorySegment buffer : named) {
            if (buffer.isReadOnly() || !buffer.isAccessibleBy(other)) {
                throw new IllegalArgumentException("a buffer of '" + name + "' is "
                        + (buffer.isReadOnly() ? "read-only" : "confined to one thread")
                        + "; share writable arrays, or native memory of a shared or automatic arena");
            }
        }
        return new StateLayout.Share(
                name, named.stream().map(MemorySegment::byteSize).toList());
    }

    /** Takes over the buffers, unless they cannot be shared together. */
    private void lay(List<StateLayout.Share> sizes, List<MemorySegment> all) {
        layout = new StateLayout(chunkBytes, sizes);
        buffers = all;
        starts = new long[all.size()];
        for (int i = 1; i < starts.length; i++) {
            starts[i] = starts[i - 1] + all.get(i - 1).byteSize();
        }
    }

    /**
     * As {@link #share(String, List)}, for buffers that {@code source} names at the beginning of each step, on the thread of that call. While
     * it names none, the name is not shared.
     */
    public void share(String name, Supplier<List<MemorySegment>> source) {
        StateLayout.Share.requireName(name);
        requireFree(name);
        shares.put(name, source);
    }

    /** Registers a state of variable size; see {@link BlobBuffer}. */
    public void share(String name, int bytesMax, StateBlob blob) {
        share(name, new BlobBuffer(name, bytesMax, blob));
    }

    /** Ends the sharing of a name; nothing if it is not shared. */
    public void unshare(String name) {
        shares.remove(name);
    }

    /**
     * Asks for the buffers of the next boundary.
     *
     * @throws IllegalArgumentException some cannot be shared; the text says why
     */
    public void ask() {
        Thread other = Thread.ofPlatform().unstarted(() -> {});
        var asked = new ArrayList<MemorySegment>();
        var sizes = new ArrayList<StateLayout.Share>();
        blobs.clear();
        shares.forEach((name, source) -> {
            List<MemorySegment> named = source.get();
            if (source instanceof BlobBuffer blob) {
                blobs.add(blob);
            }
            if (!named.isEmpty()) {
                sizes.add(share(name, named, other));
                asked.addAll(named);
            }
        });
        lay(sizes, asked);
    }

    /** Hands the group's state of variable size to the application, after the buffers were replaced. */
    public void loadBlobs() {
        blobs.forEach(BlobBuffer::load);
    }

    StateLayout layout() {
        return layout;
    }

    /** Number of completed steps, 0 or more. */
    public long revision() {
        return revision;
    }

    public void revision(long steps) {
        if (steps < 0) {
            throw new IllegalArgumentException("steps must be 0 or more, got " + steps);
        }
        revision = steps;
    }

    /**
     * Declares that the shared buffers hold the state after {@code step} steps, from a checkpoint. The first step to begin has this
     * number.
     *
     * @throws IllegalStateException if a step has begun
     */
    public void resumeAt(long step) {
        if (step < 0) {
            throw new IllegalArgumentException("step must be 0 or more, got " + step);
        }
        if (begun) {
            throw new IllegalStateException(
                    "resumeAt(" + step + ") comes too late: call it before the first beginStep()");
        }
        resumed = true;
        revision = step;
    }

    /** Takes the number of steps that the group agreed on. The boundary is not passed yet, so the group may decide again. */
    void takeOver(long steps) {
        revision(steps);
        resumed |= !begun && steps > 0;
    }

    /** Whether the revision comes from {@code resumeAt}, here or on another rank, and no boundary was passed since. */
    boolean isResumed() {
        return resumed;
    }

    /**
     * Records that a boundary was passed. A step begins, and at its end the buffers will hold one more step.
     *
     * @param replaced whether the buffers had other content than the group's
     * @return at how many boundaries in a row that was so, although this member had passed the one before
     */
    public int passed(String inLineage, long step, boolean replaced) {
        replacedInARow = replaced && !isNewIn(inLineage) ? replacedInARow + 1 : 0;
        lineage = inLineage;
        resumed = false;
        begun = true;
        revision(step + 1);
        return replacedInARow;
    }

    /** Records that this member was out of its group, so the others may have continued without its state. */
    public void left() {
        lineage = "";
    }

    /** Whether this member passed its last boundary in another lineage, so that its state does not count. */
    boolean isNewIn(String here) {
        return !lineage.equals(here);
    }

    /** Chunks that arrived and are not in the buffers yet. */
    StateStaging staging() {
        return staging;
    }

    /** Computes the manifest of the current content. */
    StateManifest manifest() {
        long[] fingerprints = new long[layout.chunks()];
        int threads = layout.bytes() < PARALLEL_BYTES_MIN
                ? 1
                : Math.min(Runtime.getRuntime().availableProcessors(), fingerprints.length);
        var next = new AtomicInteger();
        var failure = new AtomicReference<@Nullable Throwable>();
        Runnable work = () -> {
            try {
                fill(fingerprints, next);
            } catch (Throwable bug) { // rethrown below, on the application's thread
                failure.compareAndSet(null, bug);
            }
        };
        var helpers = new ArrayList<Thread>();
        for (int i = 1; i < threads; i++) {
            helpers.add(Thread.ofPlatform()
                    .daemon(true)
                    .name("hearth-state-look-" + i)
                    .start(work));
        }
        work.run();
        RankThreads.joinAll(helpers);
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException(
                    "shared buffers cannot be read: " + thrown.getMessage() + "; keep them alive until close", thrown);
        }
        return new StateManifest(layout, fingerprints);
    }

    private void fill(long[] fingerprints, AtomicInteger next) {
        var fingerprint = new ChunkFingerprint();
        for (int chunk = next.getAndIncrement(); chunk < fingerprints.length; chunk = next.getAndIncrement()) {
            walk((long) chunk * chunkBytes, layout.chunkLength(chunk), (part, _) -> fingerprint.add(part));
            fingerprints[chunk] = fingerprint.take();
        }
    }

    /** Copies {@code target.byteSize()} bytes from {@code offset} of the whole state. Any thread may call this while no thread writes. */
    void read(long offset, MemorySegment target) {
        walk(offset, target.byteSize(), (part, at) -> MemorySegment.copy(part, 0, target, at, part.byteSize()));
    }

    /** Replaces bytes from {@code offset} of the whole state. */
    void write(long offset, MemorySegment source) {
        walk(offset, source.byteSize(), (part, at) -> MemorySegment.copy(source, at, part, 0, part.byteSize()));
    }

    private interface Visitor {
        /** Visits a part of one buffer, which lies {@code at} bytes after the start of the range. */
        void visit(MemorySegment part, long at);
    }

    private void walk(long offset, long length, Visitor visitor) {
        int found = Arrays.binarySearch(starts, offset);
        int index = found >= 0 ? found : -found - 2; // if several start here, all but the last are empty
        for (long done = 0; done < length; index++) {
            MemorySegment buffer = buffers.get(index);
            long from = offset + done - starts[index];
            long size = Math.clamp(buffer.byteSize() - from, 0, length - done);
            if (size > 0) {
                visitor.visit(buffer.asSlice(from, size), done);
                done += size;
            }
        }
    }

    /** Frees the staged memory; no boundary may be running. */
    @Override
    public void close() {
        staging.close();
    }
}

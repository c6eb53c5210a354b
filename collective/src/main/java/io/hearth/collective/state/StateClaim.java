package io.hearth.collective.state;

import io.hearth.collective.group.Status;
import io.hearth.core.Bytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * What a rank says at a boundary of the state that it holds, {@link #BYTES} bytes little-endian:
 *
 * <pre>
 * 0          8        40         48       49        50  56
 * +----------+--------+----------+--------+---------+---+
 * | revision | digest | sources  | joined | resumed | 0 |
 * +----------+--------+----------+--------+---------+---+
 * </pre>
 *
 * @param revision steps completed, 0 to {@link Status#NUMBER_MAX}
 * @param digest of the state's manifest, {@link #DIGEST_BYTES} long
 * @param joined has passed no boundary of this lineage yet, so that others know better; in what was agreed: somebody had not
 * @param sources up to {@link #SOURCES_MAX} ranks from which it would fetch, nearest first; on the wire 2 bytes each, 65,535
 *     for none
 * @param resumed the revision is what an application said its checkpoint has; this rank has passed no boundary at all
 */
public record StateClaim(long revision, Bytes digest, boolean joined, List<Integer> sources, boolean resumed) {
    public static final int BYTES = 56;

    /** Length of a digest, in bytes. */
    public static final int DIGEST_BYTES = 32;

    /** Most ranks that a claim names to fetch from. */
    public static final int SOURCES_MAX = 4;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int DIGEST = 8;
    private static final int SOURCES = 40;
    private static final int JOINED = 48;
    private static final int RESUMED = 49;
    private static final int NOBODY = 0xFFFF;

    public StateClaim {
        sources = List.copyOf(sources);
        boolean areRanks = sources.stream().allMatch(rank -> rank >= 0 && rank < NOBODY);
        if (revision < 0
                || revision > Status.NUMBER_MAX
                || digest.size() != DIGEST_BYTES
                || sources.size() > SOURCES_MAX
                || !areRanks) {
            throw new IllegalArgumentException("nobody holds revision " + revision + " with a digest of "
                    + digest.size() + " bytes and would ask ranks " + sources);
        }
    }

    /** Of a rank whose application named no step. */
    public StateClaim(long revision, Bytes digest, boolean joined, List<Integer> sources) {
        this(revision, digest, joined, sources, false);
    }

    /** Whether its rank passed a boundary in some lineage and completed a step. */
    boolean isWorked() {
        return revision > 0 && !resumed;
    }

    /** Revision and digest alone: what a group agrees on. */
    StateClaim agreed() {
        return new StateClaim(revision, digest, false, List.of());
    }

    /**
     * The same, if a step can follow it.
     *
     * @throws IllegalArgumentException its revision is the last that there is
     */
    public StateClaim requireSuccessor() {
        if (revision >= Status.NUMBER_MAX) {
            throw new IllegalArgumentException("no step follows revision " + revision);
        }
        return this;
    }

    /** The same, with whether any member passes its first boundary of the lineage here. */
    StateClaim joinedBy(boolean anybody) {
        return new StateClaim(revision, digest, anybody, sources);
    }

    /** Whether it is the same state, whatever its number. */
    boolean holds(StateClaim that) {
        return digest.equals(that.digest);
    }

    /** Writes {@link #BYTES} at {@code offset}. */
    void writeTo(MemorySegment target, long offset) {
        MemorySegment place = target.asSlice(offset, BYTES).fill((byte) 0);
        place.set(LONG, 0, revision);
        MemorySegment.copy(MemorySegment.ofArray(digest.toArray()), 0, place, DIGEST, DIGEST_BYTES);
        for (int i = 0; i < SOURCES_MAX; i++) {
            int rank = i < sources.size() ? sources.get(i) : NOBODY;
            place.set(SHORT, SOURCES + (long) i * Short.BYTES, (short) rank);
        }
        place.set(ValueLayout.JAVA_BYTE, JOINED, (byte) (joined ? 1 : 0));
        place.set(ValueLayout.JAVA_BYTE, RESUMED, (byte) (resumed ? 1 : 0));
    }

    /**
     * Reads {@link #BYTES} at {@code offset}.
     *
     * @throws IllegalArgumentException they are no claim
     */
    static StateClaim readFrom(MemorySegment from, long offset) {
        MemorySegment place = from.asSlice(offset, BYTES);
        var sources = new ArrayList<Integer>();
        for (int i = 0; i < SOURCES_MAX; i++) {
            int rank = Short.toUnsignedInt(place.get(SHORT, SOURCES + (long) i * Short.BYTES));
            if (rank != NOBODY) {
                sources.add(rank);
            }
        }
        byte[] digest = place.asSlice(DIGEST, DIGEST_BYTES).toArray(ValueLayout.JAVA_BYTE);
        return new StateClaim(
                place.get(LONG, 0),
                Bytes.of(digest),
                place.get(ValueLayout.JAVA_BYTE, JOINED) != 0,
                sources,
                place.get(ValueLayout.JAVA_BYTE, RESUMED) != 0);
    }
}

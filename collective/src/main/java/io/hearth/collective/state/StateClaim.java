package io.hearth.collective.state;

import io.hearth.collective.group.Status;
import io.hearth.core.Bytes;
import io.hearth.topology.plan.PlanEncoding;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A rank's description of its state at a boundary, {@link #BYTES} bytes little-endian:
 *
 * <pre>
 * 0          8        40         48       49        50          52  56
 * +----------+--------+----------+--------+---------+-----------+---+
 * | revision | digest | sources  | joined | resumed | planBytes | 0 |
 * +----------+--------+----------+--------+---------+-----------+---+
 * </pre>
 *
 * @param revision steps completed, 0 to {@link Status#NUMBER_MAX}
 * @param digest of the state's manifest, {@link #DIGEST_BYTES} long
 * @param joined whether the rank has passed no boundary of this lineage yet, so that its state does not count; in the agreed claim:
 *     whether this holds for any rank
 * @param sources up to {@link #SOURCES_MAX} ranks from which the rank would fetch, nearest first; on the wire 2 bytes each, 65,535
 *     for none
 * @param planBytes size of the plan that the rank proposes, 0 to {@link PlanEncoding#BYTES_MAX}; only that of the group's lead counts
 * @param resumed whether the revision comes from {@link SharedState#resumeAt} and the rank has passed no boundary at all
 */
public record StateClaim(
        long revision, Bytes digest, boolean joined, List<Integer> sources, boolean resumed, int planBytes) {
    public static final int BYTES = 56;

    /** Length of a digest, in bytes. */
    public static final int DIGEST_BYTES = 32;

    /** Most ranks that a claim names as sources. */
    public static final int SOURCES_MAX = 4;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int DIGEST = 8;
    private static final int SOURCES = 40;
    private static final int JOINED = 48;
    private static final int RESUMED = 49;
    private static final int PLAN_BYTES = 50;
    private static final int NO_RANK = 0xFFFF;

    public StateClaim {
        sources = List.copyOf(sources);
        boolean areRanks = sources.stream().allMatch(rank -> rank >= 0 && rank < NO_RANK);
        if (revision < 0
                || revision > Status.NUMBER_MAX
                || digest.size() != DIGEST_BYTES
                || sources.size() > SOURCES_MAX
                || planBytes < 0
                || planBytes > PlanEncoding.BYTES_MAX
                || !areRanks) {
            throw new IllegalArgumentException("invalid claim: revision " + revision + ", digest of " + digest.size()
                    + " bytes, sources " + sources + ", plan of " + planBytes + " bytes");
        }
    }

    /** Claim of a rank whose application did not call {@code resumeAt}, without a plan. */
    public StateClaim(long revision, Bytes digest, boolean joined, List<Integer> sources) {
        this(revision, digest, joined, sources, false);
    }

    /** Claim without a plan. */
    public StateClaim(long revision, Bytes digest, boolean joined, List<Integer> sources, boolean resumed) {
        this(revision, digest, joined, sources, resumed, 0);
    }

    /** Whether the rank passed a boundary in some lineage and completed a step. */
    boolean isWorked() {
        return revision > 0 && !resumed;
    }

    /** The part that a group agrees on: revision and digest. */
    StateClaim agreed() {
        return new StateClaim(revision, digest, false, List.of());
    }

    /**
     * Returns this claim, if a step can follow it.
     *
     * @throws IllegalArgumentException if its revision is the highest possible one
     */
    public StateClaim requireSuccessor() {
        if (revision >= Status.NUMBER_MAX) {
            throw new IllegalArgumentException("no step follows revision " + revision);
        }
        return this;
    }

    /** A copy that records whether any member passes its first boundary of the lineage here. */
    StateClaim joinedBy(boolean anyJoined) {
        return new StateClaim(revision, digest, anyJoined, sources);
    }

    /** Whether both claims have the same state; revisions may differ. */
    boolean holds(StateClaim that) {
        return digest.equals(that.digest);
    }

    /** Writes {@link #BYTES} at {@code offset}. */
    void writeTo(MemorySegment target, long offset) {
        MemorySegment place = target.asSlice(offset, BYTES).fill((byte) 0);
        place.set(LONG, 0, revision);
        MemorySegment.copy(MemorySegment.ofArray(digest.toArray()), 0, place, DIGEST, DIGEST_BYTES);
        for (int i = 0; i < SOURCES_MAX; i++) {
            int rank = i < sources.size() ? sources.get(i) : NO_RANK;
            place.set(SHORT, SOURCES + (long) i * Short.BYTES, (short) rank);
        }
        place.set(ValueLayout.JAVA_BYTE, JOINED, (byte) (joined ? 1 : 0));
        place.set(ValueLayout.JAVA_BYTE, RESUMED, (byte) (resumed ? 1 : 0));
        place.set(SHORT, PLAN_BYTES, (short) planBytes);
    }

    /**
     * Reads {@link #BYTES} at {@code offset}.
     *
     * @throws IllegalArgumentException if they are not a valid claim
     */
    static StateClaim readFrom(MemorySegment from, long offset) {
        MemorySegment place = from.asSlice(offset, BYTES);
        var sources = new ArrayList<Integer>();
        for (int i = 0; i < SOURCES_MAX; i++) {
            int rank = Short.toUnsignedInt(place.get(SHORT, SOURCES + (long) i * Short.BYTES));
            if (rank != NO_RANK) {
                sources.add(rank);
            }
        }
        byte[] digest = place.asSlice(DIGEST, DIGEST_BYTES).toArray(ValueLayout.JAVA_BYTE);
        return new StateClaim(
                place.get(LONG, 0),
                Bytes.of(digest),
                place.get(ValueLayout.JAVA_BYTE, JOINED) != 0,
                sources,
                place.get(ValueLayout.JAVA_BYTE, RESUMED) != 0,
                Short.toUnsignedInt(place.get(SHORT, PLAN_BYTES)));
    }
}

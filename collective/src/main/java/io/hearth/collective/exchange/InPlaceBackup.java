package io.hearth.collective.exchange;

import io.hearth.collective.schedule.Schedule;
import io.hearth.collective.schedule.Transfer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Backup of a member's contribution for a schedule that is played in place: keeps the overwritten bytes until all members hold the result.
 *
 * <p>Each segment is saved once, when it is first read anyway: when it is sent, or when it is combined with a received one. The progress of
 * the schedule determines which segments were saved, so no other record is needed.
 *
 * <p>Used by the sending and the receiving thread of one exchange at a time, each for its side; {@link #restore} only when both are idle.
 */
public final class InPlaceBackup {
    /** Saves nothing: the contribution is not overwritten. */
    public static final InPlaceBackup NONE = new InPlaceBackup(MemorySegment.NULL, MemorySegment.NULL);

    private final MemorySegment values;
    private final MemorySegment saved;
    private @Nullable Schedule schedule;
    private long sends; // number of sends that began
    private long receives; // number of segments that came

    /**
     * An empty backup.
     *
     * @param values contribution and result; written by {@link #restore}
     * @param saved native memory of the same size; borrowed until all members hold the result
     */
    public InPlaceBackup(MemorySegment values, MemorySegment saved) {
        this.values = values;
        this.saved = saved;
    }

    /** Begins a schedule. The bytes that an earlier one overwrote must have been restored. */
    public void begin(Schedule next) {
        if (this != NONE) {
            schedule = next;
            sends = 0;
            receives = 0;
        }
    }

    /** A segment is about to be sent. */
    public void sending(Transfer transfer) {
        if (schedule != null) {
            sends++;
            if (transfer.fromInput()) {
                save(transfer);
            }
        }
    }

    /** A segment is about to be applied. */
    public void receiving(Transfer transfer) {
        if (schedule != null) {
            receives++;
            if (isCombinedWithInput(transfer)) {
                save(transfer);
            }
        }
    }

    private void save(Transfer of) {
        MemorySegment.copy(values, of.offset(), saved, of.offset(), of.length());
    }

    /** Restores the contribution. */
    public void restore() {
        Schedule played = schedule;
        if (played == null) {
            return;
        }
        schedule = null;
        var transfer = new Transfer();
        for (long index = 0; index < sends; index++) {
            played.send(index, transfer);
            if (transfer.fromInput()) {
                bringBack(transfer);
            }
        }
        for (long index = 0; index < receives; index++) {
            played.receive(index, transfer);
            if (isCombinedWithInput(transfer)) {
                bringBack(transfer);
            }
        }
    }

    private void bringBack(Transfer of) {
        MemorySegment.copy(saved, of.offset(), values, of.offset(), of.length());
    }

    private static boolean isCombinedWithInput(Transfer transfer) {
        return transfer.action() == Transfer.Action.COMBINE_WITH_INPUT;
    }
}

package io.hearth.collective.exchange;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.CollectiveMessages.First;
import io.hearth.collective.group.StreamBrokenException;
import io.hearth.core.MalformedMessageException;
import io.hearth.transport.ReceivedRecord;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/**
 * What ranks say first to one another under a number: each one's first record to another begins with its call's signature and its
 * terms, which the other compares with its own. The sender's side and the receiver's touch nothing in common.
 */
final class CallHandshake {
    private static final ValueLayout.OfLong LAG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Mesh mesh;
    private final Wire wire;
    private final First first;
    private final byte[] ownBytes; // the same in bytes, and the lag of the first schedule
    private final MemorySegment own; // those
    private final int callBytes; // without the lag
    private final boolean isKnown;
    private final boolean[] called; // by rank, whom this one sent its signature; touched by whoever sends
    private final boolean[] heard; // by rank, whose signature came; touched by whoever receives
    private long lag = 1; // the greatest of those who were heard; touched by whoever receives

    /** {@code isKnown}: all ranks know already what is exchanged, and say nothing. */
    CallHandshake(Mesh mesh, Wire wire, First first, boolean isKnown) {
        this.mesh = mesh;
        this.wire = wire;
        this.first = first;
        this.ownBytes = CollectiveMessages.encode(first);
        this.own = MemorySegment.ofArray(ownBytes);
        this.callBytes = ownBytes.length - CollectiveMessages.LAG_BYTES;
        this.isKnown = isKnown;
        this.called = new boolean[mesh.world()];
        this.heard = new boolean[mesh.world()];
        begin();
    }

    /** A number begins, about which nothing was said yet. */
    void begin() {
        Arrays.fill(called, isKnown);
        Arrays.fill(heard, isKnown);
        lag = 1;
    }

    /**
     * This rank's results come that much later than contributions in what is played next (see {@link
     * io.hearth.collective.schedule.Schedule#lag}).
     *
     * @throws IllegalStateException the lag is more than 1, and somebody was told before
     */
    void tell(long ownLag) {
        for (int rank = 0; rank < called.length && ownLag > 1; rank++) {
            if (called[rank] || heard[rank]) {
                throw new IllegalStateException(
                        "all ranks agree on when results come in a number's first schedule only");
            }
        }
        own.set(LAG, callBytes, ownLag);
        lag = Math.max(lag, ownLag);
    }

    /** Whether all others were heard. */
    boolean isComplete() {
        for (int rank = 0; rank < heard.length; rank++) {
            if (rank != mesh.rank() && !heard[rank]) {
                return false;
            }
        }
        return true;
    }

    /** The greatest of those who were heard: that of all, once this {@link #isComplete}. */
    long lag() {
        return lag;
    }

    /** Of what is said first. */
    int bytes() {
        return ownBytes.length;
    }

    /** What the next record to a rank begins with: the signature once, then nothing. */
    MemorySegment next(int toRank) {
        if (called[toRank]) {
            return Wire.NOTHING;
        }
        called[toRank] = true;
        return own;
    }

    /**
     * A record came that begins with no signature.
     *
     * @throws StreamBrokenException that was due
     */
    void requireHeard(int rank, ReceivedRecord arrived) throws StreamBrokenException {
        if (!heard[rank]) {
            throw wire.misfit(rank, arrived, "a call");
        }
    }

    /**
     * A record came that begins with a signature, of {@link #bytes} if it is the own one.
     *
     * @return how the number ends if it is another one
     * @throws StreamBrokenException none was due, or it is none
     */
    Optional<CallRejection> hear(int rank, ReceivedRecord arrived) throws StreamBrokenException {
        if (heard[rank]) {
            throw wire.misfit(rank, arrived, "a segment");
        }
        heard[rank] = true;
        if (isOwn(arrived)) {
            long theirLag = arrived.getLong(callBytes);
            if (theirLag < 1) {
                throw wire.misfit(rank, arrived, "a lag of 1 or more");
            }
            lag = Math.max(lag, theirLag);
            return Optional.empty();
        }
        First theirs;
        try {
            theirs = CollectiveMessages.first(arrived.toBytes());
        } catch (MalformedMessageException malformed) {
            throw new StreamBrokenException(
                    mesh.members().get(rank), wire.name(rank) + " sent no call: " + malformed.getMessage(), malformed);
        }
        boolean isEntry = first.signature().admits()
                && theirs.signature().admits()
                && first.signature().kind() != theirs.signature().kind()
                && first.terms().equals(theirs.terms());
        CallRejection.Cause cause = isEntry ? CallRejection.Cause.START_MET_STEP : CallRejection.Cause.MISMATCH;
        return Optional.of(new CallRejection(
                cause, "number " + arrived.collective() + ": " + difference(theirs, wire.name(rank))));
    }

    /** Unequal settings may make calls unequal, too; then they are what has to be set right. */
    private String difference(First theirs, String theirName) {
        String ownName = wire.name(mesh.rank());
        return first.terms()
                .difference(ownName, theirs.terms(), theirName)
                .map(settings -> settings + "; configure all ranks alike")
                .orElseGet(() -> theirName + " asked for "
                        + theirs.signature().text() + ", " + ownName + " for "
                        + first.signature().text()
                        + "; all ranks must make the same calls in the same order");
    }

    private boolean isOwn(ReceivedRecord arrived) {
        if (arrived.length() < bytes()) {
            return false;
        }
        if (arrived.isNative()) {
            long from = arrived.memoryOffset();
            return MemorySegment.mismatch(arrived.memory(), from, from + callBytes, own, 0, callBytes) == -1;
        }
        int from = arrived.arrayOffset();
        return Arrays.equals(arrived.array(), from, from + callBytes, ownBytes, 0, callBytes);
    }
}

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
 * The handshake of a number. Each rank's first record to another one begins with its call's signature and the group's settings; the
 * receiver compares both with its own. The sender's side and the receiver's side share no state.
 */
final class CallHandshake {
    private static final ValueLayout.OfLong LAG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Mesh mesh;
    private final Wire wire;
    private final First first;
    private final byte[] ownBytes; // first in bytes, then the lag of the first schedule
    private final MemorySegment own; // ownBytes as a segment
    private final int callBytes; // without the lag
    private final boolean isKnown;
    private final boolean[] sentTo; // by rank, whether it got this rank's signature; accessed by the sender
    private final boolean[] heardFrom; // by rank, whether its signature came; accessed by the receiving thread
    private long lag = 1; // the greatest lag so far; accessed by the receiving thread

    /** {@code isKnown}: all ranks know the call already and send no signature. */
    CallHandshake(Mesh mesh, Wire wire, First first, boolean isKnown) {
        this.mesh = mesh;
        this.wire = wire;
        this.first = first;
        this.ownBytes = CollectiveMessages.encode(first);
        this.own = MemorySegment.ofArray(ownBytes);
        this.callBytes = ownBytes.length - CollectiveMessages.LAG_BYTES;
        this.isKnown = isKnown;
        this.sentTo = new boolean[mesh.world()];
        this.heardFrom = new boolean[mesh.world()];
        begin();
    }

    /** Begins a number without any signatures so far. */
    void begin() {
        Arrays.fill(sentTo, isKnown);
        Arrays.fill(heardFrom, isKnown);
        lag = 1;
    }

    /**
     * Sets this rank's lag in the next schedule (see {@link io.hearth.collective.schedule.Schedule#lag}).
     *
     * @throws IllegalStateException the lag is more than 1, and a rank has sent or received a signature before
     */
    void announceLag(long ownLag) {
        for (int rank = 0; rank < sentTo.length && ownLag > 1; rank++) {
            if (sentTo[rank] || heardFrom[rank]) {
                throw new IllegalStateException("a lag above 1 is possible in a number's first schedule only");
            }
        }
        own.set(LAG, callBytes, ownLag);
        lag = Math.max(lag, ownLag);
    }

    /** Whether the signatures of all other ranks came. */
    boolean isComplete() {
        for (int rank = 0; rank < heardFrom.length; rank++) {
            if (rank != mesh.rank() && !heardFrom[rank]) {
                return false;
            }
        }
        return true;
    }

    /** The greatest lag of the ranks whose signature came: that of all ranks, once this {@link #isComplete}. */
    long lag() {
        return lag;
    }

    /** Length of the handshake's prefix. */
    int bytes() {
        return ownBytes.length;
    }

    /** Prefix of the next record to a rank: the signature once, then nothing. */
    MemorySegment next(int toRank) {
        if (sentTo[toRank]) {
            return Wire.NOTHING;
        }
        sentTo[toRank] = true;
        return own;
    }

    /**
     * Checks a record without a signature.
     *
     * @throws StreamBrokenException a signature was due
     */
    void requireSignature(int rank, ReceivedRecord arrived) throws StreamBrokenException {
        if (!heardFrom[rank]) {
            throw wire.misfit(rank, arrived, "a call");
        }
    }

    /**
     * Checks a record with a signature, whose length is {@link #bytes} if it equals this rank's.
     *
     * @return the rejection that ends the number, if the signature differs
     * @throws StreamBrokenException no signature was due, or it is malformed
     */
    Optional<CallRejection> receive(int rank, ReceivedRecord arrived) throws StreamBrokenException {
        if (heardFrom[rank]) {
            throw wire.misfit(rank, arrived, "a segment");
        }
        heardFrom[rank] = true;
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
                    mesh.members().get(rank),
                    wire.name(rank) + " sent a malformed call: " + malformed.getMessage(),
                    malformed);
        }
        boolean isEntry = first.signature().admits()
                && theirs.signature().admits()
                && first.signature().kind() != theirs.signature().kind()
                && first.settings().equals(theirs.settings());
        CallRejection.Cause cause = isEntry ? CallRejection.Cause.START_MET_STEP : CallRejection.Cause.MISMATCH;
        return Optional.of(new CallRejection(
                cause, "number " + arrived.collective() + ": " + difference(theirs, wire.name(rank))));
    }

    /** Names unequal settings first: they may be the reason for unequal calls, and are then the ones to correct. */
    private String difference(First theirs, String theirName) {
        String ownName = wire.name(mesh.rank());
        return first.settings()
                .difference(ownName, theirs.settings(), theirName)
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
        long from = arrived.memoryOffset();
        return MemorySegment.mismatch(arrived.memory(), from, from + callBytes, own, 0, callBytes) == -1;
    }
}

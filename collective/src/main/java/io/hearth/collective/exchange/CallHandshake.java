package io.hearth.collective.exchange;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.CollectiveMessages.First;
import io.hearth.collective.group.StreamBrokenException;
import io.hearth.core.MalformedMessageException;
import io.hearth.transport.ReceivedRecord;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/**
 * The handshake of a number. Each rank's first record to another one begins with its call's signature and the group's settings; the
 * receiver compares both with its own. The sender's side and the receiver's side share no state.
 */
final class CallHandshake {
    private final Mesh mesh;
    private final Wire wire;
    private final First first;
    private final MemorySegment own; // first in bytes
    private final boolean isKnown;
    private final boolean[] sentTo; // by rank, whether it got this rank's signature; accessed by the sender
    private final boolean[] heardFrom; // by rank, whether its signature came; accessed by the receiving thread

    /** {@code isKnown}: all ranks know the call already and send no signature. */
    CallHandshake(Mesh mesh, Wire wire, First first, boolean isKnown) {
        this.mesh = mesh;
        this.wire = wire;
        this.first = first;
        this.own = MemorySegment.ofArray(CollectiveMessages.encode(first));
        this.isKnown = isKnown;
        this.sentTo = new boolean[mesh.world()];
        this.heardFrom = new boolean[mesh.world()];
        begin();
    }

    /** Begins a number without any signatures so far. */
    void begin() {
        Arrays.fill(sentTo, isKnown);
        Arrays.fill(heardFrom, isKnown);
    }

    /** Length of the handshake's prefix. */
    int bytes() {
        return (int) own.byteSize();
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
        return MemorySegment.mismatch(arrived.memory(), from, from + bytes(), own, 0, bytes()) == -1;
    }
}

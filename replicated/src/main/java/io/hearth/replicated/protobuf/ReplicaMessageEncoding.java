package io.hearth.replicated.protobuf;

import io.hearth.core.BoundedDecoder;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Ballot;
import io.hearth.election.ViewRules;
import io.hearth.replicated.Content;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Position;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.Snapshot;
import io.hearth.replicated.StoreId;
import io.hearth.replicated.wire.AnnounceFrame;
import io.hearth.replicated.wire.AskFrame;
import io.hearth.replicated.wire.BallotFrame;
import io.hearth.replicated.wire.EntriesFrame;
import io.hearth.replicated.wire.FetchFrame;
import io.hearth.replicated.wire.PartFrame;
import io.hearth.replicated.wire.PrepareFrame;
import io.hearth.replicated.wire.PromiseFrame;
import io.hearth.replicated.wire.RefuseFrame;
import io.hearth.replicated.wire.ReplicaMessageFrame;
import io.hearth.replicated.wire.StillFrame;
import io.hearth.replicated.wire.StoreFrame;
import java.util.Optional;

/** Messages between replicas, to and from a frame of a control link. */
public final class ReplicaMessageEncoding {
    /** The kind of these frames on a control link. */
    public static final int KIND = 96;

    /** One level more than other control messages have: a replica in a configuration in an entry in a message in its frame. */
    private static final BoundedDecoder.Limits LIMITS = new BoundedDecoder.Limits(64 * 1024, 5, 1024, 256);

    private ReplicaMessageEncoding() {}

    public static byte[] encode(ReplicaMessage message) {
        var frame = ReplicaMessageFrame.newBuilder();
        switch (message) {
            case ReplicaMessage.Announce announce -> frame.setAnnounce(of(announce));
            case ReplicaMessage.Prepare prepare ->
                frame.setPrepare(PrepareFrame.newBuilder()
                        .setStore(ReplicaFrames.of(prepare.store()))
                        .setBallot(ReplicaFrames.of(prepare.ballot()))
                        .setLineage(ReplicaFrames.of(prepare.lineage()))
                        .setEpoch(prepare.epoch()));
            case ReplicaMessage.Promise promise ->
                frame.setPromise(PromiseFrame.newBuilder()
                        .setStore(ReplicaFrames.of(promise.store()))
                        .setBallot(ReplicaFrames.of(promise.ballot()))
                        .setSeat(promise.seat())
                        .setLast(ReplicaFrames.of(promise.last()))
                        .setCommitted(promise.committed()));
            case ReplicaMessage.Refuse refuse ->
                frame.setRefuse(RefuseFrame.newBuilder()
                        .setStore(ReplicaFrames.of(refuse.store()))
                        .setBallot(ReplicaFrames.of(refuse.ballot()))
                        .setPromised(ReplicaFrames.of(refuse.promised())));
            case ReplicaMessage.Fetch fetch -> frame.setFetch(of(fetch));
            case ReplicaMessage.Entries entries -> frame.setEntries(of(entries));
            case ReplicaMessage.Part part -> frame.setPart(of(part));
            case ReplicaMessage.Ask ask ->
                frame.setAsk(AskFrame.newBuilder()
                        .setStore(ReplicaFrames.of(ask.store()))
                        .setBallot(ReplicaFrames.of(ask.ballot()))
                        .setRound(ask.round()));
            case ReplicaMessage.Still still ->
                frame.setStill(StillFrame.newBuilder()
                        .setStore(ReplicaFrames.of(still.store()))
                        .setBallot(ReplicaFrames.of(still.ballot()))
                        .setSeat(still.seat())
                        .setRound(still.round()));
        }
        return frame.build().toByteArray();
    }

    private static AnnounceFrame of(ReplicaMessage.Announce announce) {
        var frame = AnnounceFrame.newBuilder().setSeat(announce.seat());
        announce.held().ifPresent(held -> {
            frame.setStore(ReplicaFrames.of(held.store())).setActive(held.isActive());
            held.promised().ifPresent(promised -> frame.setPromised(ReplicaFrames.of(promised)));
            held.primary().ifPresent(primary -> frame.setPrimary(ReplicaFrames.of(primary)));
            held.into().ifPresent(into -> frame.setInto(ReplicaFrames.of(into)));
        });
        return frame.build();
    }

    private static FetchFrame of(ReplicaMessage.Fetch fetch) {
        var frame = FetchFrame.newBuilder()
                .setStore(ReplicaFrames.of(fetch.store()))
                .setSeat(fetch.seat())
                .setCommitted(fetch.committed());
        fetch.ballot().ifPresent(ballot -> frame.setBallot(ReplicaFrames.of(ballot)));
        fetch.after().ifPresent(after -> frame.setAfter(ReplicaFrames.of(after)));
        fetch.part()
                .ifPresent(part ->
                        frame.setPartOf(ReplicaFrames.of(part.snapshot())).setPartOffset(part.offset()));
        fetch.leaving().ifPresent(leaving -> frame.setLeaving(ReplicaFrames.of(leaving)));
        return frame.build();
    }

    private static EntriesFrame of(ReplicaMessage.Entries entries) {
        var frame = EntriesFrame.newBuilder()
                .setStore(ReplicaFrames.of(entries.store()))
                .setBallot(ReplicaFrames.of(entries.ballot()))
                .setAfter(ReplicaFrames.of(entries.after()))
                .setKnown(entries.isKnown())
                .setLast(entries.last())
                .setCommitted(entries.committed());
        entries.entries().forEach(entry -> frame.addEntries(ReplicaFrames.of(entry)));
        return frame.build();
    }

    private static PartFrame of(ReplicaMessage.Part part) {
        var frame = PartFrame.newBuilder()
                .setStore(ReplicaFrames.of(part.store()))
                .setSnapshot(ReplicaFrames.of(part.snapshot()))
                .setReplicas(ReplicaFrames.of(part.replicas()))
                .setTotal(part.total())
                .setOffset(part.offset())
                .setBytes(ReplicaFrames.of(part.bytes()));
        part.ballot().ifPresent(ballot -> frame.setBallot(ReplicaFrames.of(ballot)));
        return frame.build();
    }

    /**
     * Reads a message.
     *
     * @throws MalformedMessageException if it is not well formed or has an invalid value
     */
    public static ReplicaMessage decode(byte[] bytes) throws MalformedMessageException {
        ReplicaMessageFrame frame =
                BoundedDecoder.parse(ReplicaMessageFrame.parser(), ReplicaMessageFrame.getDescriptor(), bytes, LIMITS);
        try {
            return read(frame);
        } catch (IllegalArgumentException invalid) {
            throw new MalformedMessageException("a message of a replica: " + invalid.getMessage(), invalid);
        }
    }

    private static ReplicaMessage read(ReplicaMessageFrame frame) {
        return switch (frame.getKindCase()) {
            case ANNOUNCE -> announce(frame.getAnnounce());
            case PREPARE -> prepare(frame.getPrepare());
            case PROMISE -> promise(frame.getPromise());
            case REFUSE ->
                new ReplicaMessage.Refuse(
                        ReplicaFrames.store(frame.getRefuse().getStore()),
                        ReplicaFrames.ballot(frame.getRefuse().getBallot()),
                        ReplicaFrames.ballot(frame.getRefuse().getPromised()));
            case FETCH -> fetch(frame.getFetch());
            case ENTRIES -> entries(frame.getEntries());
            case PART -> part(frame.getPart());
            case ASK ->
                new ReplicaMessage.Ask(
                        ReplicaFrames.store(frame.getAsk().getStore()),
                        ReplicaFrames.ballot(frame.getAsk().getBallot()),
                        number(frame.getAsk().getRound(), "round"));
            case STILL ->
                new ReplicaMessage.Still(
                        ReplicaFrames.store(frame.getStill().getStore()),
                        ReplicaFrames.ballot(frame.getStill().getBallot()),
                        frame.getStill().getSeat(),
                        number(frame.getStill().getRound(), "round"));
            case KIND_NOT_SET -> throw new IllegalArgumentException("no content");
        };
    }

    private static ReplicaMessage announce(AnnounceFrame frame) {
        Optional<ReplicaMessage.Held> held = frame.hasStore()
                ? Optional.of(new ReplicaMessage.Held(
                        ReplicaFrames.store(frame.getStore()),
                        ballot(frame.hasPromised(), frame.getPromised()),
                        ballot(frame.hasPrimary(), frame.getPrimary()),
                        frame.getActive(),
                        store(frame.hasInto(), frame.getInto())))
                : Optional.empty();
        if (held.isPresent() && held.get().isActive() && held.get().primary().isEmpty()) {
            throw new IllegalArgumentException("active without a ballot");
        }
        return new ReplicaMessage.Announce(frame.getSeat(), held);
    }

    private static ReplicaMessage prepare(PrepareFrame frame) {
        return new ReplicaMessage.Prepare(
                ReplicaFrames.store(frame.getStore()),
                ReplicaFrames.ballot(frame.getBallot()),
                ReplicaFrames.lineage(frame.getLineage()),
                range(frame.getEpoch(), ViewRules.NUMBER_MAX, "epoch"));
    }

    private static ReplicaMessage promise(PromiseFrame frame) {
        return new ReplicaMessage.Promise(
                ReplicaFrames.store(frame.getStore()),
                ReplicaFrames.ballot(frame.getBallot()),
                frame.getSeat(),
                ReplicaFrames.position(frame.getLast()),
                number(frame.getCommitted(), "committed number"));
    }

    private static ReplicaMessage fetch(FetchFrame frame) {
        return new ReplicaMessage.Fetch(
                ReplicaFrames.store(frame.getStore()),
                ballot(frame.hasBallot(), frame.getBallot()),
                frame.getSeat(),
                frame.hasAfter() ? Optional.of(ReplicaFrames.position(frame.getAfter())) : Optional.empty(),
                number(frame.getCommitted(), "committed number"),
                frame.hasPartOf()
                        ? Optional.of(new ReplicaMessage.PartAt(
                                ReplicaFrames.position(frame.getPartOf()),
                                Math.toIntExact(range(frame.getPartOffset(), Snapshot.BYTES_MAX, "offset"))))
                        : Optional.empty(),
                store(frame.hasLeaving(), frame.getLeaving()));
    }

    private static ReplicaMessage entries(EntriesFrame frame) {
        Position after = ReplicaFrames.position(frame.getAfter());
        var entries = frame.getEntriesList().stream().map(ReplicaFrames::entry).toList();
        long number = after.number();
        for (Entry entry : entries) {
            number++;
            if (entry.number() != number) {
                throw new IllegalArgumentException("entry " + entry.number() + " in the place of " + number);
            }
            if (entry.content() instanceof Content.Absorb absorb) {
                range(absorb.offset(), Snapshot.BYTES_MAX, "offset");
                range(absorb.total(), Snapshot.BYTES_MAX, "size");
            }
        }
        return new ReplicaMessage.Entries(
                ReplicaFrames.store(frame.getStore()),
                ReplicaFrames.ballot(frame.getBallot()),
                after,
                frame.getKnown(),
                entries,
                number(frame.getLast(), "last number"),
                number(frame.getCommitted(), "committed number"));
    }

    private static ReplicaMessage part(PartFrame frame) {
        return new ReplicaMessage.Part(
                ReplicaFrames.store(frame.getStore()),
                ballot(frame.hasBallot(), frame.getBallot()),
                ReplicaFrames.position(frame.getSnapshot()),
                ReplicaFrames.replicas(frame.getReplicas()),
                Math.toIntExact(range(frame.getTotal(), Snapshot.BYTES_MAX, "size")),
                Math.toIntExact(range(frame.getOffset(), Snapshot.BYTES_MAX, "offset")),
                ReplicaFrames.bytes(frame.getBytes()));
    }

    private static Optional<Ballot> ballot(boolean isThere, BallotFrame frame) {
        return isThere ? Optional.of(ReplicaFrames.ballot(frame)) : Optional.empty();
    }

    private static Optional<StoreId> store(boolean isThere, StoreFrame frame) {
        return isThere ? Optional.of(ReplicaFrames.store(frame)) : Optional.empty();
    }

    private static long number(long number, String what) {
        return range(number, Position.NUMBER_MAX, what);
    }

    private static long range(long value, long max, String what) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException("the " + what + " is 0 to " + max + ", got " + value);
        }
        return value;
    }
}

package io.hearth.replicated.protobuf;

import com.google.protobuf.InvalidProtocolBufferException;
import io.hearth.replicated.DiskTask;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Log;
import io.hearth.replicated.Snapshot;
import io.hearth.replicated.StoreRecord;
import io.hearth.replicated.wire.AppendFrame;
import io.hearth.replicated.wire.RecordFrame;
import io.hearth.replicated.wire.SnapshotFrame;
import io.hearth.replicated.wire.WholeFrame;
import java.util.List;
import java.util.Optional;

/** What a replica writes, to and from bytes. Readers throw {@link IllegalArgumentException} for invalid bytes. */
public final class StoreRecordEncoding {
    private StoreRecordEncoding() {}

    /** The bytes of a write; a whole one has the seat of the folder. */
    public static byte[] encode(DiskTask task, long seat) {
        var frame = RecordFrame.newBuilder();
        switch (task) {
            case DiskTask.Whole(StoreRecord record) -> frame.setWhole(whole(record, seat));
            case DiskTask.Append append -> {
                var appended = AppendFrame.newBuilder().setKeep(append.keep());
                append.promised().ifPresent(promised -> appended.setPromised(ReplicaFrames.of(promised)));
                append.entries().forEach(entry -> appended.addEntries(ReplicaFrames.of(entry)));
                frame.setAppend(appended);
            }
        }
        return frame.build().toByteArray();
    }

    private static WholeFrame whole(StoreRecord record, long seat) {
        var frame = WholeFrame.newBuilder()
                .setStore(ReplicaFrames.of(record.id()))
                .setSeat(seat)
                .setSnapshot(SnapshotFrame.newBuilder()
                        .setAt(ReplicaFrames.of(record.snapshot().at()))
                        .setReplicas(ReplicaFrames.of(record.snapshot().replicas()))
                        .setState(ReplicaFrames.of(record.snapshot().state())));
        record.promised().ifPresent(promised -> frame.setPromised(ReplicaFrames.of(promised)));
        record.log().entries().forEach(entry -> frame.addEntries(ReplicaFrames.of(entry)));
        return frame.build();
    }

    /** The first record of a file. */
    public record Start(long seat, StoreRecord record) {}

    /** Reads the first record of a file. */
    public static Start start(byte[] bytes) {
        RecordFrame frame = parse(bytes);
        if (!frame.hasWhole() || frame.getWhole().getSeat() == 0) {
            throw new IllegalArgumentException("the first record is not a whole one");
        }
        WholeFrame whole = frame.getWhole();
        var snapshot = new Snapshot(
                ReplicaFrames.position(whole.getSnapshot().getAt()),
                ReplicaFrames.replicas(whole.getSnapshot().getReplicas()),
                ReplicaFrames.bytes(whole.getSnapshot().getState()));
        return new Start(
                whole.getSeat(),
                new StoreRecord(
                        ReplicaFrames.store(whole.getStore()),
                        whole.hasPromised() ? Optional.of(ReplicaFrames.ballot(whole.getPromised())) : Optional.empty(),
                        snapshot,
                        new Log(
                                snapshot.at(),
                                whole.getEntriesList().stream()
                                        .map(ReplicaFrames::entry)
                                        .toList())));
    }

    /** The content after one more record. */
    public static StoreRecord next(StoreRecord before, byte[] bytes) {
        RecordFrame frame = parse(bytes);
        if (!frame.hasAppend()) {
            throw new IllegalArgumentException("a record that appends nothing");
        }
        AppendFrame append = frame.getAppend();
        if (append.getKeep() < before.log().base().number()
                || append.getKeep() > before.log().lastNumber()) {
            throw new IllegalArgumentException("a record that keeps entries up to " + append.getKeep());
        }
        List<Entry> entries =
                append.getEntriesList().stream().map(ReplicaFrames::entry).toList();
        return new StoreRecord(
                before.id(),
                append.hasPromised() ? Optional.of(ReplicaFrames.ballot(append.getPromised())) : Optional.empty(),
                before.snapshot(),
                before.log().replaceAfter(append.getKeep(), entries));
    }

    private static RecordFrame parse(byte[] bytes) {
        try {
            return RecordFrame.parseFrom(bytes);
        } catch (InvalidProtocolBufferException broken) {
            throw new IllegalArgumentException("not a record: " + broken.getMessage(), broken);
        }
    }
}

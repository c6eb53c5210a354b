package io.hearth.coordinator.machine;

import io.hearth.coordinator.wire.CheckpointFrame;
import io.hearth.coordinator.wire.LedgerFrame;
import io.hearth.coordinator.wire.WorkerFrame;
import io.hearth.core.BoundedDecoder;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.replicated.Application;
import java.util.LinkedHashMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Bytes of a {@link WorkerLedger}. */
final class LedgerEncoding {
    private static final int VARINT_BYTES_MAX = 10;

    /** The repeats of packed numbers are counted in bytes. */
    private static final BoundedDecoder.Limits LIMITS = new BoundedDecoder.Limits(
            Application.STATE_BYTES_MAX, 2, VARINT_BYTES_MAX * Bounds.WORKERS_MAX, Bounds.PATH_BYTES_MAX);

    private LedgerEncoding() {}

    static Bytes encode(WorkerLedger ledger) {
        var frame = LedgerFrame.newBuilder()
                .setRegistrations(ledger.registrations())
                .setVersion(ledger.version());
        ledger.byId()
                .values()
                .forEach(worker -> frame.addWorkers(WorkerFrame.newBuilder()
                        .setId(worker.id())
                        .setAddress(worker.address())
                        .setRank(worker.rank())
                        .setSession(worker.session())
                        .setRegistration(worker.registration())));
        ledger.checkpoints()
                .values()
                .forEach(checkpoint -> frame.addCheckpoints(CheckpointFrame.newBuilder()
                        .setEpoch(checkpoint.epoch())
                        .setPath(checkpoint.path())
                        .setListed(checkpoint.listed())
                        .setEnded(checkpoint.ended())
                        .addAllPending(checkpoint.pending())
                        .setLastRegistration(checkpoint.lastRegistration())));
        return Bytes.of(frame.build().toByteArray());
    }

    static WorkerLedger decode(Bytes bytes) {
        LedgerFrame frame;
        try {
            frame = BoundedDecoder.parse(LedgerFrame.parser(), LedgerFrame.getDescriptor(), bytes.toArray(), LIMITS);
        } catch (MalformedMessageException broken) {
            throw new IllegalArgumentException("no list of workers: " + broken.getMessage(), broken);
        }
        var byId = new TreeMap<String, RegisteredWorker>();
        var byRank = new TreeMap<Integer, RegisteredWorker>();
        for (WorkerFrame each : frame.getWorkersList()) {
            var worker = new RegisteredWorker(
                    each.getId(), each.getAddress(), each.getRank(), each.getSession(), each.getRegistration());
            if (byId.put(worker.id(), worker) != null || byRank.put(worker.rank(), worker) != null) {
                throw new IllegalArgumentException("no list of workers: two have one id or rank");
            }
        }
        var checkpoints = new LinkedHashMap<Long, Checkpoint>();
        for (CheckpointFrame each : frame.getCheckpointsList()) {
            checkpoints.put(
                    each.getEpoch(),
                    new Checkpoint(
                            each.getEpoch(),
                            each.getPath(),
                            each.getListed(),
                            each.getEnded(),
                            new TreeSet<>(each.getPendingList()),
                            each.getLastRegistration()));
        }
        return new WorkerLedger(byId, byRank, checkpoints, frame.getRegistrations(), frame.getVersion());
    }
}

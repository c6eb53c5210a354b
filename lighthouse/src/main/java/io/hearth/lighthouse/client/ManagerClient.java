package io.hearth.lighthouse.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Channel;
import io.hearth.core.SetupException;
import io.hearth.lighthouse.QuorumResult;
import io.hearth.lighthouse.torchft.wire.CheckpointMetadataRequest;
import io.hearth.lighthouse.torchft.wire.CheckpointMetadataResponse;
import io.hearth.lighthouse.torchft.wire.KillRequest;
import io.hearth.lighthouse.torchft.wire.KillResponse;
import io.hearth.lighthouse.torchft.wire.ManagerQuorumRequest;
import io.hearth.lighthouse.torchft.wire.ManagerQuorumResponse;
import io.hearth.lighthouse.torchft.wire.ShouldCommitRequest;
import io.hearth.lighthouse.torchft.wire.ShouldCommitResponse;
import io.hearth.serve.grpc.TlsFiles;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** A client of the manager of a replica group, Hearth's or torchft's: each rank of the group has one. Any thread. */
public final class ManagerClient implements AutoCloseable {
    private static final String SERVICE = "torchft.ManagerService";
    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

    private final Caller caller;

    private ManagerClient(Caller caller) {
        this.caller = caller;
    }

    /**
     * A client with a connection of its own, without encryption, which the first call opens.
     *
     * @param address {@code http://host:port}
     */
    public static ManagerClient to(String address) {
        return new ManagerClient(Caller.to("the manager", SERVICE, address));
    }

    /**
     * A client with a connection of its own with TLS, which the first call opens.
     *
     * @param address {@code https://host:port}
     * @throws SetupException if the files cannot be used
     */
    public static ManagerClient to(String address, TlsFiles files) throws SetupException {
        return new ManagerClient(Caller.to("the manager", SERVICE, address, files));
    }

    /** A client that uses a channel of the caller, and does not close it. */
    public static ManagerClient over(Channel channel) {
        return new ManagerClient(Caller.over("the manager", SERVICE, channel));
    }

    /**
     * Waits for a quorum, which the manager asks for once all ranks of its group have called this.
     *
     * @param rank of the caller in its group, from 0
     * @param step steps that it has committed
     * @param checkpointMetadata where others get its state
     * @param shrinkOnly whether to accept no members that were not in the quorum before
     * @param initSync whether all begin with the state of one member at step 0
     * @param commitFailures steps that failed since the last good one
     * @throws CallTimedOutException if there was none in this time
     */
    public QuorumResult quorum(
            long rank,
            long step,
            String checkpointMetadata,
            boolean shrinkOnly,
            boolean initSync,
            long commitFailures,
            Duration timeout)
            throws CallFailedException, InterruptedException {
        var request = ManagerQuorumRequest.newBuilder()
                .setGroupRank(rank)
                .setStep(step)
                .setCheckpointMetadata(checkpointMetadata)
                .setShrinkOnly(shrinkOnly)
                .setInitSync(initSync)
                .setCommitFailures(commitFailures);
        return Caller.await(caller.call("Quorum", request.build(), ManagerClient::result, timeout));
    }

    private static QuorumResult result(byte[] bytes) throws InvalidProtocolBufferException {
        var response = ManagerQuorumResponse.parseFrom(bytes);
        try {
            return new QuorumResult(
                    response.getQuorumId(),
                    Math.toIntExact(response.getReplicaRank()),
                    Math.toIntExact(response.getReplicaWorldSize()),
                    response.hasRecoverSrcReplicaRank()
                            ? Optional.of(response.getRecoverSrcManagerAddress())
                            : Optional.empty(),
                    response.hasRecoverSrcReplicaRank()
                            ? OptionalInt.of(Math.toIntExact(response.getRecoverSrcReplicaRank()))
                            : OptionalInt.empty(),
                    response.getRecoverDstReplicaRanksList().stream()
                            .map(Math::toIntExact)
                            .toList(),
                    response.getStoreAddress(),
                    response.getMaxStep(),
                    response.hasMaxReplicaRank()
                            ? OptionalInt.of(Math.toIntExact(response.getMaxReplicaRank()))
                            : OptionalInt.empty(),
                    Math.toIntExact(response.getMaxWorldSize()),
                    response.getCommitFailures(),
                    response.getReplicaIdsList(),
                    response.getReconfigureHandlesList());
        } catch (ArithmeticException tooLarge) {
            throw new InvalidProtocolBufferException("a rank is out of range");
        }
    }

    /**
     * Where others get the state of a rank, as it said with its last request for a quorum.
     *
     * @throws CallFailedException with INVALID_ARGUMENT if it made none
     */
    public String checkpointMetadata(long rank, Duration timeout) throws CallFailedException, InterruptedException {
        return Caller.await(caller.call(
                "CheckpointMetadata",
                CheckpointMetadataRequest.newBuilder().setRank(rank).build(),
                bytes -> CheckpointMetadataResponse.parseFrom(bytes).getCheckpointMetadata(),
                timeout));
    }

    /**
     * Waits until all ranks of the group said whether they can commit a step.
     *
     * @return whether all can
     * @throws CallTimedOutException if a rank said nothing in this time; then this vote does not count
     */
    public boolean shouldCommit(long rank, long step, boolean shouldCommit, Duration timeout)
            throws CallFailedException, InterruptedException {
        var request = ShouldCommitRequest.newBuilder()
                .setGroupRank(rank)
                .setStep(step)
                .setShouldCommit(shouldCommit);
        return Caller.await(caller.call(
                "ShouldCommit",
                request.build(),
                bytes -> ShouldCommitResponse.parseFrom(bytes).getShouldCommit(),
                timeout));
    }

    /**
     * Asks the manager to end its process. Waits at most 10 seconds.
     *
     * @param message why
     * @throws CallFailedException with UNAVAILABLE if the process ended before it answered, or was not reached; with PERMISSION_DENIED if it
     *     ends for nobody
     */
    public void kill(String message) throws CallFailedException, InterruptedException {
        Caller.await(caller.call(
                "Kill", KillRequest.newBuilder().setMsg(message).build(), KillResponse::parseFrom, KILL_TIMEOUT));
    }

    /** Ends the connection and its calls, if it is this client's own; idempotent. */
    @Override
    public void close() {
        caller.close();
    }
}

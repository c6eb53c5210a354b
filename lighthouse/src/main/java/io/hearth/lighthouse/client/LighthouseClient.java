package io.hearth.lighthouse.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Channel;
import io.hearth.core.Bytes;
import io.hearth.core.SetupException;
import io.hearth.lighthouse.Quorum;
import io.hearth.lighthouse.QuorumMember;
import io.hearth.lighthouse.torchft.wire.LighthouseHeartbeatRequest;
import io.hearth.lighthouse.torchft.wire.LighthouseHeartbeatResponse;
import io.hearth.lighthouse.torchft.wire.LighthouseQuorumRequest;
import io.hearth.lighthouse.torchft.wire.LighthouseQuorumResponse;
import io.hearth.serve.grpc.TlsFiles;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;

/** A client of a lighthouse, Hearth's or torchft's. Any thread. */
public final class LighthouseClient implements AutoCloseable {
    private static final String SERVICE = "torchft.LighthouseService";
    private static final long MILLIS_PER_SECOND = 1_000;
    private static final int NANOS_PER_MILLI = 1_000_000;

    /** The order of ids in torchft's managers, which is that of bytes: all members have to count places alike. */
    private static final Comparator<QuorumMember> ORDER = Comparator.comparing(
            member -> member.replicaId().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private final Caller caller;

    private LighthouseClient(Caller caller) {
        this.caller = caller;
    }

    /**
     * A client with a connection of its own, without encryption, which the first call opens.
     *
     * @param address {@code http://host:port}
     */
    public static LighthouseClient to(String address) {
        return new LighthouseClient(Caller.to("the lighthouse", SERVICE, address));
    }

    /**
     * A client with a connection of its own with TLS, which the first call opens.
     *
     * @param address {@code https://host:port}
     * @throws SetupException if the files cannot be used
     */
    public static LighthouseClient to(String address, TlsFiles files) throws SetupException {
        return new LighthouseClient(Caller.to("the lighthouse", SERVICE, address, files));
    }

    /** A client that uses a channel of the caller, and does not close it. */
    public static LighthouseClient over(Channel channel) {
        return new LighthouseClient(Caller.over("the lighthouse", SERVICE, channel));
    }

    /**
     * Waits for a quorum with this group.
     *
     * @throws CallTimedOutException if there was none in this time
     */
    public Quorum quorum(QuorumRequest request, Duration timeout) throws CallFailedException, InterruptedException {
        return Caller.await(quorumAsync(request, timeout));
    }

    /** As {@link #quorum}. The future fails with {@link CallFailedException}; cancelling the future cancels the call. */
    public CompletableFuture<Quorum> quorumAsync(QuorumRequest request, Duration timeout) {
        var requester = io.hearth.lighthouse.torchft.wire.QuorumMember.newBuilder()
                .setReplicaId(request.replicaId())
                .setAddress(request.address())
                .setStoreAddress(request.storeAddress())
                .setStep(request.step())
                .setWorldSize(request.worldSize())
                .setShrinkOnly(request.shrinkOnly())
                .setCommitFailures(request.commitFailures())
                .setData(request.data())
                .addAllReconfigureHandles(request.reconfigureHandles());
        return caller.call(
                "Quorum",
                LighthouseQuorumRequest.newBuilder().setRequester(requester).build(),
                LighthouseClient::quorum,
                timeout);
    }

    private static Quorum quorum(byte[] bytes) throws InvalidProtocolBufferException {
        var response = LighthouseQuorumResponse.parseFrom(bytes);
        if (!response.hasQuorum()) {
            throw new InvalidProtocolBufferException("it has no quorum");
        }
        var quorum = response.getQuorum();
        var members = new ArrayList<QuorumMember>();
        for (var member : quorum.getParticipantsList()) {
            if (member.getStep() < 0) {
                throw new InvalidProtocolBufferException("a member is at step " + member.getStep());
            }
            members.add(new QuorumMember(
                    member.getReplicaId(),
                    member.getAddress(),
                    member.getStoreAddress(),
                    member.getStep(),
                    member.getWorldSize(),
                    member.getShrinkOnly(),
                    member.getCommitFailures(),
                    member.getData(),
                    member.getReconfigureHandlesList(),
                    Bytes.of(member.toByteArray())));
        }
        members.sort(ORDER);
        var created = quorum.getCreated();
        return new Quorum(
                quorum.getQuorumId(),
                members,
                created.getSeconds() * MILLIS_PER_SECOND + created.getNanos() / NANOS_PER_MILLI);
    }

    /** Says that a replica group is alive. */
    public void heartbeat(String replicaId, Duration timeout) throws CallFailedException, InterruptedException {
        Caller.await(heartbeatAsync(replicaId, timeout));
    }

    /** As {@link #heartbeat}. The future fails with {@link CallFailedException}; its value has no meaning. */
    public CompletableFuture<?> heartbeatAsync(String replicaId, Duration timeout) {
        return caller.call(
                "Heartbeat",
                LighthouseHeartbeatRequest.newBuilder().setReplicaId(replicaId).build(),
                LighthouseHeartbeatResponse::parseFrom,
                timeout);
    }

    /** Leaves a connection that is broken: the next call opens one at once. A channel that was given stays as it is. */
    public void reconnect() {
        caller.reconnect();
    }

    /** Ends the connection and its calls, if it is this client's own; idempotent. */
    @Override
    public void close() {
        caller.close();
    }
}

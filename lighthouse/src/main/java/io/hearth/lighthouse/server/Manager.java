package io.hearth.lighthouse.server;

import io.grpc.Context;
import io.grpc.ServerServiceDefinition;
import io.hearth.lighthouse.Quorum;
import io.hearth.lighthouse.QuorumResult;
import io.hearth.lighthouse.client.CallFailedException;
import io.hearth.lighthouse.client.LighthouseClient;
import io.hearth.lighthouse.client.QuorumRequest;
import io.hearth.lighthouse.machine.ManagerEffect;
import io.hearth.lighthouse.machine.ManagerEvent;
import io.hearth.lighthouse.machine.ManagerMachine;
import io.hearth.lighthouse.machine.ManagerSettings;
import io.hearth.lighthouse.machine.ManagerState;
import io.hearth.lighthouse.torchft.wire.CheckpointMetadataRequest;
import io.hearth.lighthouse.torchft.wire.CheckpointMetadataResponse;
import io.hearth.lighthouse.torchft.wire.KillRequest;
import io.hearth.lighthouse.torchft.wire.KillResponse;
import io.hearth.lighthouse.torchft.wire.ManagerQuorumRequest;
import io.hearth.lighthouse.torchft.wire.ManagerQuorumResponse;
import io.hearth.lighthouse.torchft.wire.ShouldCommitRequest;
import io.hearth.lighthouse.torchft.wire.ShouldCommitResponse;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.UnaryCall;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.shell.ServiceShell;
import io.hearth.serve.shell.ShellHost;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls of a manager, and its call to the lighthouse. */
final class Manager {
    private static final Logger LOG = LoggerFactory.getLogger(Manager.class);
    private static final String SERVICE = "torchft.ManagerService";

    private final ManagerSettings settings;
    private final String storeAddress;
    private final LighthouseClient lighthouse;
    private final Optional<KillHandler> killHandler;
    private final ShellHost host;
    private final ServiceShell<ManagerState, ManagerEvent, ManagerEffect> shell;
    private final CompletableFuture<String> address = new CompletableFuture<>();
    private final AtomicBoolean isEnding = new AtomicBoolean();
    private @Nullable CompletableFuture<Quorum> asking; // guarded by the shell

    Manager(
            ManagerSettings settings,
            String storeAddress,
            LighthouseClient lighthouse,
            Optional<KillHandler> killHandler,
            ShellHost host) {
        this.settings = settings;
        this.storeAddress = storeAddress;
        this.lighthouse = lighthouse;
        this.killHandler = killHandler;
        this.host = host;
        this.shell = new ServiceShell<>(
                new ManagerMachine(settings), ManagerState.START, new ManagerEvent.Tick(), host, this::carryOut);
    }

    ServerServiceDefinition methods() {
        return ServerServiceDefinition.builder(SERVICE)
                .addMethod(UnaryHandler.method(
                        SERVICE, "Quorum", ManagerQuorumRequest.parser(), host.timer(), this::quorum))
                .addMethod(UnaryHandler.method(
                        SERVICE,
                        "CheckpointMetadata",
                        CheckpointMetadataRequest.parser(),
                        host.timer(),
                        this::metadata))
                .addMethod(UnaryHandler.method(
                        SERVICE, "ShouldCommit", ShouldCommitRequest.parser(), host.timer(), this::vote))
                .addMethod(UnaryHandler.method(SERVICE, "Kill", KillRequest.parser(), host.timer(), this::kill))
                .build();
    }

    /** The lighthouse is asked once it can be told where this manager is. */
    void listens(String at) {
        address.complete(at);
    }

    private Runnable quorum(ManagerQuorumRequest request, OptionalLong remainingNanos, UnaryCall call) {
        if (remainingNanos.isEmpty()) {
            call.fail(new Failure(
                    Failure.Code.INVALID_ARGUMENT,
                    "missing timeout: the lighthouse is asked for as long as the caller waits, so set a deadline"));
            return () -> {};
        }
        long untilNanos = host.clock().nanoTime() + remainingNanos.getAsLong();
        return shell.open(
                call,
                number -> new ManagerEvent.AskQuorum(
                        number,
                        request.getGroupRank(),
                        request.getStep(),
                        request.getCheckpointMetadata(),
                        request.getShrinkOnly(),
                        request.getInitSync(),
                        request.getCommitFailures(),
                        request.getReconfigureHandle(),
                        untilNanos),
                ManagerEvent.Ended::new);
    }

    private Runnable metadata(CheckpointMetadataRequest request, OptionalLong remainingNanos, UnaryCall call) {
        return shell.open(
                call, number -> new ManagerEvent.AskMetadata(number, request.getRank()), ManagerEvent.Ended::new);
    }

    private Runnable vote(ShouldCommitRequest request, OptionalLong remainingNanos, UnaryCall call) {
        return shell.open(
                call,
                number -> new ManagerEvent.Vote(
                        number, request.getGroupRank(), request.getStep(), request.getShouldCommit()),
                ManagerEvent.Ended::new);
    }

    private Runnable kill(KillRequest request, OptionalLong remainingNanos, UnaryCall call) {
        if (killHandler.isEmpty()) {
            call.fail(new Failure(
                    Failure.Code.PERMISSION_DENIED,
                    "the manager of replica " + settings.replicaId()
                            + " ends no process for callers that it does not know: end it on its machine, or start it"
                            + " with a handler for this"));
        } else if (isEnding.getAndSet(true)) {
            call.fail(new Failure(Failure.Code.FAILED_PRECONDITION, "another caller has asked for the end already"));
        } else {
            LOG.warn("a caller ends replica={}", settings.replicaId());
            Thread.ofVirtual().name("hearth-kill").start(() -> end(killHandler.get(), request.getMsg(), call));
        }
        return () -> {};
    }

    private void end(KillHandler handler, String message, UnaryCall call) {
        try {
            handler.kill(message);
            call.answer(KillResponse.getDefaultInstance());
        } catch (RuntimeException broken) {
            LOG.error("the handler of replica={} for kills failed", settings.replicaId(), broken);
            call.fail(new Failure(
                    Failure.Code.INTERNAL, "the handler for kills failed (" + broken + "): see the manager's log"));
        } finally {
            isEnding.set(false);
        }
    }

    private void carryOut(ManagerEffect effect) {
        switch (effect) {
            case ManagerEffect.AskLighthouse ask -> {
                // Not in the context of the rank that completed the round, whose end would end the call to the
                // lighthouse.
                var _ = address.thenAccept(at -> Context.ROOT.run(() -> ask(ask, at)));
            }
            case ManagerEffect.StopAsking _ -> stopAsking();
            case ManagerEffect.AnswerQuorum(long number, QuorumResult result) -> shell.answer(number, message(result));
            case ManagerEffect.AnswerMetadata(long number, String metadata) ->
                shell.answer(
                        number,
                        CheckpointMetadataResponse.newBuilder()
                                .setCheckpointMetadata(metadata)
                                .build());
            case ManagerEffect.AnswerVote(long number, boolean commits) ->
                shell.answer(
                        number,
                        ShouldCommitResponse.newBuilder()
                                .setShouldCommit(commits)
                                .build());
            case ManagerEffect.Fail(long number, Failure why) -> shell.fail(number, why);
        }
    }

    private void ask(ManagerEffect.AskLighthouse ask, String at) {
        if (ask.isRepetition()) {
            lighthouse.reconnect();
        }
        var request = new QuorumRequest(
                settings.replicaId(),
                at,
                storeAddress,
                ask.step(),
                settings.worldSize(),
                ask.shrinkOnly(),
                ask.commitFailures(),
                "",
                ask.reconfigureHandles());
        long nanos = Math.max(1, ask.untilNanos() - host.clock().nanoTime());
        CompletableFuture<Quorum> quorum = lighthouse.quorumAsync(request, Duration.ofNanos(nanos));
        synchronized (shell) {
            asking = quorum;
        }
        var _ = quorum.whenComplete((result, why) -> ended(ask.round(), result, why));
    }

    private void stopAsking() {
        CompletableFuture<Quorum> open = asking;
        if (open != null) {
            open.cancel(false);
        }
    }

    private void ended(long round, @Nullable Quorum quorum, @Nullable Throwable why) {
        try {
            if (quorum != null) {
                shell.step(new ManagerEvent.Answered(round, quorum));
            } else if (why instanceof CallFailedException failed) {
                shell.step(new ManagerEvent.NotAnswered(round, failed.failure()));
            } else {
                shell.step(new ManagerEvent.NotAnswered(
                        round, new Failure(Failure.Code.CANCELLED, "the call to the lighthouse was given up")));
            }
        } catch (RuntimeException | Error fatal) { // the future would swallow it
            host.failed().accept(fatal);
        }
    }

    private static ManagerQuorumResponse message(QuorumResult result) {
        var message = ManagerQuorumResponse.newBuilder()
                .setQuorumId(result.quorumId())
                .setRecoverSrcManagerAddress(result.recoverFromAddress().orElse(""))
                .setStoreAddress(result.storeAddress())
                .setMaxStep(result.maxStep())
                .setMaxWorldSize(result.maxWorldSize())
                .setReplicaRank(result.replicaRank())
                .setReplicaWorldSize(result.replicaWorldSize())
                .setHeal(result.recoverFrom().isPresent())
                .setCommitFailures(result.commitFailures())
                .addAllReplicaIds(result.replicaIds())
                .addAllReconfigureHandles(result.reconfigureHandles());
        result.recoverFrom().ifPresent(message::setRecoverSrcReplicaRank);
        result.recoverTo().forEach(message::addRecoverDstReplicaRanks);
        result.maxReplicaRank().ifPresent(message::setMaxReplicaRank);
        return message.build();
    }
}

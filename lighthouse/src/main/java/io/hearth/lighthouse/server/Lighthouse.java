package io.hearth.lighthouse.server;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.ServerServiceDefinition;
import io.hearth.core.Bytes;
import io.hearth.lighthouse.LighthouseSettings;
import io.hearth.lighthouse.Quorum;
import io.hearth.lighthouse.QuorumMember;
import io.hearth.lighthouse.machine.LighthouseEffect;
import io.hearth.lighthouse.machine.LighthouseEvent;
import io.hearth.lighthouse.machine.LighthouseMachine;
import io.hearth.lighthouse.machine.LighthouseState;
import io.hearth.lighthouse.machine.QuorumLedger;
import io.hearth.lighthouse.torchft.wire.LighthouseHeartbeatRequest;
import io.hearth.lighthouse.torchft.wire.LighthouseHeartbeatResponse;
import io.hearth.lighthouse.torchft.wire.LighthouseQuorumRequest;
import io.hearth.lighthouse.torchft.wire.LighthouseQuorumResponse;
import io.hearth.lighthouse.torchft.wire.Timestamp;
import io.hearth.replicated.Application;
import io.hearth.replicated.host.ReplicaHost;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.UnaryCall;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.shell.ClusterService;
import io.hearth.serve.shell.ServiceShell;
import io.hearth.serve.shell.Surroundings;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** torchft's lighthouse: its calls, and the numbers of quorums from the store. */
public final class Lighthouse implements ClusterService<QuorumLedger> {
    private static final Logger LOG = LoggerFactory.getLogger(Lighthouse.class);
    private static final String SERVICE = "torchft.LighthouseService";

    private final LighthouseSettings settings;
    private final Surroundings around;
    private final ServiceShell<LighthouseState, LighthouseEvent, LighthouseEffect> shell;

    // Guarded by the shell.
    private QuorumLedger known = QuorumLedger.EMPTY;
    private boolean isServing;
    private @Nullable Quorum answered;
    private LighthouseQuorumResponse answer = LighthouseQuorumResponse.getDefaultInstance(); // of the quorum answered

    private Lighthouse(LighthouseSettings settings, Surroundings around) {
        this.settings = settings;
        this.around = around;
        this.shell = new ServiceShell<>(
                new LighthouseMachine(settings),
                LighthouseState.START,
                new LighthouseEvent.Tick(),
                around,
                this::carryOut);
    }

    /** Makes lighthouses with these settings. */
    public static ClusterService.Maker<QuorumLedger> maker(LighthouseSettings settings) {
        return new ClusterService.Maker<>() {
            @Override
            public String name() {
                return "lighthouse";
            }

            @Override
            public Application<QuorumLedger> application() {
                return QuorumLedger.APPLICATION;
            }

            @Override
            public String settings() {
                return settings.text();
            }

            @Override
            public ClusterService<QuorumLedger> make(Surroundings surroundings) {
                return new Lighthouse(settings, surroundings);
            }
        };
    }

    @Override
    public List<ServerServiceDefinition> methods() {
        return List.of(ServerServiceDefinition.builder(SERVICE)
                .addMethod(UnaryHandler.method(
                        SERVICE, "Heartbeat", LighthouseHeartbeatRequest.parser(), around.timer(), this::heartbeat))
                .addMethod(UnaryHandler.method(
                        SERVICE, "Quorum", LighthouseQuorumRequest.parser(), around.timer(), this::quorum))
                .build());
    }

    /** A replica that is known already, or asks already, is the same one. */
    @Override
    public boolean mayRepeat(String method) {
        return true;
    }

    @Override
    public ServicePort.Pages pages() {
        return new LighthousePages(settings, this::view);
    }

    private Runnable heartbeat(LighthouseHeartbeatRequest request, OptionalLong remainingNanos, UnaryCall call) {
        return shell.open(
                call,
                number -> new LighthouseEvent.Heartbeat(number, request.getReplicaId()),
                LighthouseEvent.Ended::new);
    }

    private Runnable quorum(LighthouseQuorumRequest request, OptionalLong remainingNanos, UnaryCall call) {
        if (!request.hasRequester()) {
            call.fail(new Failure(Failure.Code.INVALID_ARGUMENT, "missing requester"));
            return () -> {};
        }
        synchronized (shell) {
            if (!isServing) {
                call.fail(new Failure(
                        Failure.Code.UNAVAILABLE,
                        "no machine of this cluster can answer yet: a quorum of them is needed"));
                return () -> {};
            }
            var requester = request.getRequester();
            var member = new QuorumMember(
                    requester.getReplicaId(),
                    requester.getAddress(),
                    requester.getStoreAddress(),
                    requester.getStep(),
                    requester.getWorldSize(),
                    requester.getShrinkOnly(),
                    requester.getCommitFailures(),
                    requester.getData(),
                    requester.getReconfigureHandlesList(),
                    Bytes.of(requester.toByteArray()));
            return shell.open(call, number -> new LighthouseEvent.Ask(number, member), LighthouseEvent.Ended::new);
        }
    }

    private void carryOut(LighthouseEffect effect) {
        switch (effect) {
            case LighthouseEffect.AnswerHeartbeat(long number) ->
                shell.answer(number, LighthouseHeartbeatResponse.getDefaultInstance());
            case LighthouseEffect.AnswerQuorum(long number, Quorum quorum) -> {
                if (!quorum.equals(answered)) {
                    answered = quorum;
                    answer = message(quorum);
                }
                shell.answer(number, answer);
            }
            case LighthouseEffect.Fail(long number, Failure why) -> shell.fail(number, why);
            case LighthouseEffect.Form form -> form(form);
            case LighthouseEffect.Explain(String reason) -> LOG.debug("{}", reason);
        }
    }

    private void form(LighthouseEffect.Form form) {
        if (!isServing) {
            shell.step(new LighthouseEvent.NotFormed(
                    form.attempt(), new Failure(Failure.Code.UNAVAILABLE, "this machine does not answer")));
        } else if (form.isNews()) {
            long first = around.clock().epochMillis();
            around.store()
                    .submit(
                            QuorumLedger.form(form.members(), form.hasFailed(), first),
                            outcome -> stored(form, outcome));
        } else {
            around.store().confirm(isConfirmed -> confirmed(form, isConfirmed));
        }
    }

    private void stored(LighthouseEffect.Form form, ReplicaHost.Outcome outcome) {
        synchronized (shell) {
            switch (outcome) {
                case ReplicaHost.Outcome.Applied(Bytes answer) -> {
                    known = new QuorumLedger(QuorumLedger.quorumId(answer), form.members());
                    LOG.info("quorum={} members={}", known.quorumId(), String.join(" ", known.members()));
                    formed(form);
                }
                case ReplicaHost.Outcome.Unknown(String why) ->
                    shell.step(
                            new LighthouseEvent.NotFormed(form.attempt(), new Failure(Failure.Code.UNAVAILABLE, why)));
            }
        }
    }

    private void confirmed(LighthouseEffect.Form form, boolean isConfirmed) {
        synchronized (shell) {
            if (isConfirmed) {
                formed(form);
            } else {
                shell.step(new LighthouseEvent.NotFormed(
                        form.attempt(),
                        new Failure(
                                Failure.Code.UNAVAILABLE, "another machine answers for this cluster now: call again")));
            }
        }
    }

    private void formed(LighthouseEffect.Form form) {
        shell.step(new LighthouseEvent.Formed(
                form.attempt(), known.quorumId(), around.clock().epochMillis()));
    }

    private static LighthouseQuorumResponse message(Quorum quorum) {
        var message = io.hearth.lighthouse.torchft.wire.Quorum.newBuilder()
                .setQuorumId(quorum.id())
                .setCreated(Timestamp.newBuilder()
                        .setSeconds(Math.floorDiv(quorum.createdMillis(), 1_000L))
                        .setNanos((int) Math.floorMod(quorum.createdMillis(), 1_000L) * 1_000_000));
        for (QuorumMember member : quorum.members()) {
            try {
                message.addParticipants(io.hearth.lighthouse.torchft.wire.QuorumMember.parseFrom(
                        member.encoded().toArray()));
            } catch (InvalidProtocolBufferException impossible) {
                throw new IllegalStateException("a member that was read before", impossible);
            }
        }
        return LighthouseQuorumResponse.newBuilder().setQuorum(message).build();
    }

    @Override
    public void elected(QuorumLedger newest) {
        synchronized (shell) {
            known = newest;
            isServing = true;
            shell.step(new LighthouseEvent.Elected(newest.members()));
        }
    }

    @Override
    public void deposed(String why) {
        synchronized (shell) {
            isServing = false;
            shell.step(new LighthouseEvent.Deposed(new Failure(
                    Failure.Code.UNAVAILABLE,
                    "another machine answers for this cluster now: call again (" + why + ")")));
        }
    }

    @Override
    public void failed(Throwable why) {
        around.failed().accept(why);
    }

    private View view() {
        synchronized (shell) {
            return new View(shell.state(), known, isServing, around.clock().nanoTime());
        }
    }

    /** What the pages show. */
    record View(LighthouseState state, QuorumLedger ledger, boolean isServing, long nanos) {}
}

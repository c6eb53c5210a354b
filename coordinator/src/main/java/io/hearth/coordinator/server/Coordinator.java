package io.hearth.coordinator.server;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.hearth.coordinator.CoordinatorSettings;
import io.hearth.coordinator.distributed.wire.EndCheckpointRequest;
import io.hearth.coordinator.distributed.wire.EndCheckpointResponse;
import io.hearth.coordinator.distributed.wire.HeartbeatRequest;
import io.hearth.coordinator.distributed.wire.HeartbeatResponse;
import io.hearth.coordinator.distributed.wire.RegisterWorkerRequest;
import io.hearth.coordinator.distributed.wire.RegisterWorkerResponse;
import io.hearth.coordinator.distributed.wire.StartCheckpointRequest;
import io.hearth.coordinator.distributed.wire.StartCheckpointResponse;
import io.hearth.coordinator.distributed.wire.UnregisterWorkerRequest;
import io.hearth.coordinator.distributed.wire.UnregisterWorkerResponse;
import io.hearth.coordinator.machine.CoordinatorEffect;
import io.hearth.coordinator.machine.CoordinatorEvent;
import io.hearth.coordinator.machine.CoordinatorMachine;
import io.hearth.coordinator.machine.CoordinatorState;
import io.hearth.coordinator.machine.WorkerLedger;
import io.hearth.core.Bytes;
import io.hearth.replicated.Application;
import io.hearth.replicated.host.ReplicaHost;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.shell.ClusterService;
import io.hearth.serve.shell.ServiceShell;
import io.hearth.serve.shell.Surroundings;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Zerfoo's coordinator: its calls, and the workers and checkpoints from the store. */
public final class Coordinator implements ClusterService<WorkerLedger> {
    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);
    private static final String SERVICE = "distributed.Coordinator";

    private final CoordinatorSettings settings;
    private final Surroundings around;
    private final SecureRandom sessions = new SecureRandom();
    private final ServiceShell<CoordinatorState, CoordinatorEvent, CoordinatorEffect> shell;
    private WorkerLedger known = WorkerLedger.EMPTY; // guarded by the shell

    private Coordinator(CoordinatorSettings settings, Surroundings around) {
        this.settings = settings;
        this.around = around;
        this.shell = new ServiceShell<>(
                new CoordinatorMachine(settings),
                CoordinatorState.START,
                new CoordinatorEvent.Tick(),
                around,
                this::carryOut);
    }

    /** Makes coordinators with these settings. */
    public static ClusterService.Maker<WorkerLedger> maker(CoordinatorSettings settings) {
        return new ClusterService.Maker<>() {
            @Override
            public String name() {
                return "coordinator";
            }

            @Override
            public Application<WorkerLedger> application() {
                return WorkerLedger.APPLICATION;
            }

            @Override
            public String settings() {
                return settings.text();
            }

            @Override
            public ClusterService<WorkerLedger> make(Surroundings surroundings) {
                return new Coordinator(settings, surroundings);
            }
        };
    }

    @Override
    public List<ServerServiceDefinition> methods() {
        return List.of(ServerServiceDefinition.builder(SERVICE)
                .addMethod(method(
                        "RegisterWorker",
                        RegisterWorkerRequest.parser(),
                        request -> new CoordinatorEvent.Register(
                                request.getWorkerId(), request.getAddress(), request.getSession())))
                .addMethod(method(
                        "UnregisterWorker",
                        UnregisterWorkerRequest.parser(),
                        request -> new CoordinatorEvent.Unregister(request.getWorkerId(), request.getSession())))
                .addMethod(method(
                        "Heartbeat",
                        HeartbeatRequest.parser(),
                        request -> new CoordinatorEvent.Heartbeat(
                                request.getWorkerId(), request.getSession(), request.getVersion())))
                .addMethod(method(
                        "StartCheckpoint",
                        StartCheckpointRequest.parser(),
                        request -> new CoordinatorEvent.StartCheckpoint(request.getEpoch(), request.getPath())))
                .addMethod(method(
                        "EndCheckpoint",
                        EndCheckpointRequest.parser(),
                        request -> new CoordinatorEvent.EndCheckpoint(
                                request.getWorkerId(), request.getEpoch(), request.getCheckpointId())))
                .build());
    }

    private <R extends MessageLite> ServerMethodDefinition<byte[], byte[]> method(
            String name, Parser<R> parser, Function<R, CoordinatorEvent.Request> event) {
        return UnaryHandler.method(
                SERVICE,
                name,
                parser,
                around.timer(),
                (request, _, call) -> shell.open(
                        call,
                        number -> new CoordinatorEvent.Call(number, event.apply(request)),
                        CoordinatorEvent.Ended::new));
    }

    /** A worker that is there already is the same one; what else is repeated would be an error. */
    @Override
    public boolean mayRepeat(String method) {
        return method.endsWith("/RegisterWorker") || method.endsWith("/Heartbeat");
    }

    /** Without a session, a registration that is repeated behind its caller's back would meet itself. */
    @Override
    public byte[] marked(String method, byte[] request) {
        if (!method.endsWith("/RegisterWorker")) {
            return request;
        }
        try {
            RegisterWorkerRequest read = RegisterWorkerRequest.parseFrom(request);
            return read.getSession() == 0
                    ? read.toBuilder().setSession(sessions.nextLong()).build().toByteArray()
                    : request;
        } catch (InvalidProtocolBufferException malformed) {
            return request; // the caller hears of it
        }
    }

    @Override
    public ServicePort.Pages pages() {
        return CoordinatorPages.of(settings, this::view);
    }

    private void carryOut(CoordinatorEffect effect) {
        switch (effect) {
            case CoordinatorEffect.Store(long attempt, Bytes command) ->
                around.store().submit(command, outcome -> stored(attempt, outcome));
            case CoordinatorEffect.AnswerRegister(long call, int rank, CoordinatorEffect.Peers peers) ->
                shell.answer(
                        call,
                        RegisterWorkerResponse.newBuilder()
                                .setRank(rank)
                                .addAllPeers(peers.addresses())
                                .addAllRegistrations(peers.registrations())
                                .setVersion(peers.version())
                                .build());
            case CoordinatorEffect.AnswerUnregister(long call) ->
                shell.answer(call, UnregisterWorkerResponse.getDefaultInstance());
            case CoordinatorEffect.AnswerHeartbeat(long call, long version, Optional<CoordinatorEffect.Peers> peers) ->
                shell.answer(call, heartbeat(version, peers));
            case CoordinatorEffect.AnswerStart(long call, String id) ->
                shell.answer(
                        call,
                        StartCheckpointResponse.newBuilder().setCheckpointId(id).build());
            case CoordinatorEffect.AnswerEnd(long call) ->
                shell.answer(call, EndCheckpointResponse.getDefaultInstance());
            case CoordinatorEffect.Fail(long call, Failure why) -> shell.fail(call, why);
            case CoordinatorEffect.Explain(String text) -> LOG.info("{}", text);
        }
    }

    private static HeartbeatResponse heartbeat(long version, Optional<CoordinatorEffect.Peers> peers) {
        var answer = HeartbeatResponse.newBuilder().setStatus("OK").setVersion(version);
        peers.ifPresent(all -> answer.addAllPeers(all.addresses()).addAllRegistrations(all.registrations()));
        return answer.build();
    }

    private void stored(long attempt, ReplicaHost.Outcome outcome) {
        synchronized (shell) {
            switch (outcome) {
                case ReplicaHost.Outcome.Applied(Bytes answer) ->
                    shell.step(new CoordinatorEvent.Stored(attempt, answer, known));
                case ReplicaHost.Outcome.Unknown(String why) ->
                    shell.step(new CoordinatorEvent.NotStored(
                            attempt,
                            new Failure(
                                    Failure.Code.UNAVAILABLE,
                                    "nobody knows whether the call was carried out (" + why + "): call again")));
            }
        }
    }

    @Override
    public void elected(WorkerLedger newest) {
        synchronized (shell) {
            known = newest;
            shell.step(new CoordinatorEvent.Elected(newest));
        }
    }

    /** Comes before the outcome of the command that made this state. */
    @Override
    public void applied(WorkerLedger newest) {
        synchronized (shell) {
            known = newest;
        }
    }

    @Override
    public void deposed(String why) {
        synchronized (shell) {
            shell.step(new CoordinatorEvent.Deposed(new Failure(
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
            return new View(shell.state(), around.clock().nanoTime());
        }
    }

    /** What the pages show. */
    record View(CoordinatorState state, long nanos) {}
}

package io.hearth.parameterserver.server;

import com.google.protobuf.MessageLite;
import io.grpc.ServerServiceDefinition;
import io.hearth.identity.NodeId;
import io.hearth.parameterserver.ServerSettings;
import io.hearth.parameterserver.Sizes;
import io.hearth.parameterserver.etcd.EtcdPublication;
import io.hearth.parameterserver.etcd.EtcdPublisher;
import io.hearth.parameterserver.machine.PartLedger;
import io.hearth.parameterserver.machine.RegistryEffect;
import io.hearth.parameterserver.machine.RegistryEvent;
import io.hearth.parameterserver.machine.RegistryMachine;
import io.hearth.parameterserver.machine.RegistryState;
import io.hearth.parameterserver.placement.Placement;
import io.hearth.parameterserver.wire.FinishInitParamsRequest;
import io.hearth.parameterserver.wire.FinishInitParamsResponse;
import io.hearth.parameterserver.wire.GetParamRequest;
import io.hearth.parameterserver.wire.InitParamRequest;
import io.hearth.parameterserver.wire.PlaceRequest;
import io.hearth.parameterserver.wire.PlaceResponse;
import io.hearth.parameterserver.wire.RegisterRequest;
import io.hearth.parameterserver.wire.RegisterResponse;
import io.hearth.parameterserver.wire.SaveRequest;
import io.hearth.parameterserver.wire.SendGradRequest;
import io.hearth.parameterserver.wire.StatusRequest;
import io.hearth.parameterserver.wire.UpdateFrame;
import io.hearth.replicated.Application;
import io.hearth.replicated.host.ReplicaHost;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.UnaryCall;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.shell.ClusterService;
import io.hearth.serve.shell.ServiceShell;
import io.hearth.serve.shell.Surroundings;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A parameter server: its calls, and who has which part. A call for a part of another machine is passed on to it. */
public final class ParameterServer implements ClusterService<PartLedger> {
    private static final Logger LOG = LoggerFactory.getLogger(ParameterServer.class);
    private static final String SERVICE = "hearth.parameterserver.ParameterServer";
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final ServerSettings settings;
    private final Surroundings around;
    private final ServiceShell<RegistryState, RegistryEvent, RegistryEffect> registry;
    private final Parts parts;
    private final Optional<EtcdPublisher> etcd;

    private ParameterServer(ServerSettings settings, Optional<EtcdPublication> publication, Surroundings around) {
        this.settings = settings;
        this.around = around;
        this.etcd = publication.map(each -> new EtcdPublisher(each, around.clock()));
        this.parts = new Parts(settings, around, file -> etcd.ifPresent(publisher -> publisher.written(file)));
        this.registry = new ServiceShell<>(
                new RegistryMachine(settings), RegistryState.START, new RegistryEvent.Tick(), around, this::carryOut);
    }

    /** Makes parameter servers with these settings, which are the same on all machines. */
    public static ClusterService.Maker<PartLedger> maker(ServerSettings settings) {
        return maker(settings, Optional.empty());
    }

    /** Makes parameter servers that also publish themselves in an etcd. */
    public static ClusterService.Maker<PartLedger> maker(
            ServerSettings settings, Optional<EtcdPublication> publication) {
        return new ClusterService.Maker<>() {
            @Override
            public String name() {
                return "parameterserver";
            }

            @Override
            public Application<PartLedger> application() {
                return PartLedger.APPLICATION;
            }

            @Override
            public String settings() {
                return settings.text();
            }

            @Override
            public ClusterService<PartLedger> make(Surroundings surroundings) {
                return new ParameterServer(settings, publication, surroundings);
            }
        };
    }

    @Override
    public List<ServerServiceDefinition> methods() {
        var timer = around.timer();
        return List.of(ServerServiceDefinition.builder(SERVICE)
                .addMethod(UnaryHandler.method(SERVICE, "InitParam", InitParamRequest.parser(), timer, this::init))
                .addMethod(UnaryHandler.method(
                        SERVICE, "FinishInitParams", FinishInitParamsRequest.parser(), timer, this::finish))
                .addMethod(UnaryHandler.method(SERVICE, "SendGrad", SendGradRequest.parser(), timer, this::send))
                .addMethod(UnaryHandler.method(SERVICE, "GetParam", GetParamRequest.parser(), timer, this::get))
                .addMethod(UnaryHandler.method(SERVICE, "Register", RegisterRequest.parser(), timer, this::register))
                .addMethod(UnaryHandler.method(SERVICE, "Save", SaveRequest.parser(), timer, this::save))
                .addMethod(UnaryHandler.method(SERVICE, "Status", StatusRequest.parser(), timer, this::status))
                .addMethod(UnaryHandler.method(SERVICE, "Place", PlaceRequest.parser(), timer, this::place))
                .build());
    }

    @Override
    public List<ServerServiceDefinition> memberMethods() {
        return List.of(parts.memberMethods());
    }

    @Override
    public int messageBytesMax() {
        return Sizes.MESSAGE_BYTES_MAX;
    }

    @Override
    public ServicePort.Pages pages() {
        return ParameterPages.of(parts);
    }

    @Override
    public void listening(InetSocketAddress address) {
        etcd.ifPresent(publisher -> publisher.listening(address));
    }

    /** A part's machine may be any, and every machine knows it; only leases are one machine's. */
    @Override
    public boolean isAnsweredAnywhere(String method) {
        return !method.endsWith("/Register");
    }

    private Runnable init(InitParamRequest request, OptionalLong remainingNanos, UnaryCall call) {
        return update(
                request.getParam().getName(),
                request.hasPart() ? OptionalInt.of(request.getPart()) : OptionalInt.empty(),
                UpdateFrame.newBuilder().setInit(request).build(),
                remainingNanos,
                call);
    }

    private Runnable send(SendGradRequest request, OptionalLong remainingNanos, UnaryCall call) {
        if (!request.hasGradient()) {
            call.fail(new Failure(Failure.Code.INVALID_ARGUMENT, "no gradient received"));
            return () -> {};
        }
        return update(
                request.getGradient().getName(),
                request.hasPart() ? OptionalInt.of(request.getPart()) : OptionalInt.empty(),
                UpdateFrame.newBuilder().setGradient(request).build(),
                remainingNanos,
                call);
    }

    private Runnable update(
            String name, OptionalInt part, UpdateFrame update, OptionalLong remainingNanos, UnaryCall call) {
        var gone = new Gone();
        OptionalInt place = part(name, part, call);
        if (place.isPresent()) {
            parts.update(place.getAsInt(), update, remainingNanos, Answer.of(call), gone);
        }
        return gone::set;
    }

    private Runnable get(GetParamRequest request, OptionalLong remainingNanos, UnaryCall call) {
        var gone = new Gone();
        OptionalInt place = part(
                request.getName(), request.hasPart() ? OptionalInt.of(request.getPart()) : OptionalInt.empty(), call);
        if (place.isPresent()) {
            GetParamRequest placed =
                    request.toBuilder().setPart(place.getAsInt()).build();
            parts.get(placed, remainingNanos, Answer.of(call), gone);
        }
        return gone::set;
    }

    /** The part of a name; fails the call if there is none. */
    private OptionalInt part(String name, OptionalInt asked, UnaryCall call) {
        int number = parts.ledger().parts();
        if (number == 0) {
            call.fail(new Failure(
                    Failure.Code.UNAVAILABLE,
                    "no machine of this cluster can answer yet: a quorum of them is needed; call again"));
            return OptionalInt.empty();
        }
        int part = asked.orElseGet(() -> Placement.byName(name, number));
        if (part < 0 || part >= number) {
            call.fail(new Failure(
                    Failure.Code.INVALID_ARGUMENT, "this server has the parts 0 to " + (number - 1) + ", got " + part));
            return OptionalInt.empty();
        }
        return OptionalInt.of(part);
    }

    /** Finishes all parts. If some were finished before, by a call whose answer was lost, the rest is finished now. */
    private Runnable finish(FinishInitParamsRequest request, OptionalLong remainingNanos, UnaryCall call) {
        var gone = new Gone();
        int number = parts.ledger().parts();
        if (part("", OptionalInt.empty(), call).isEmpty()) {
            return () -> {};
        }
        var failures = new ArrayList<Failure>(); // guarded by itself
        var open = new AtomicInteger(number);
        Answer each = new Answer() {
            @Override
            public void answer(MessageLite message) {
                done();
            }

            @Override
            public void fail(Failure why) {
                synchronized (failures) {
                    failures.add(why);
                }
                done();
            }

            private void done() {
                if (open.decrementAndGet() == 0) {
                    synchronized (failures) {
                        Optional<Failure> other = failures.stream()
                                .filter(why -> why.code() != Failure.Code.ALREADY_EXISTS)
                                .findFirst();
                        if (other.isPresent() || failures.size() == number) {
                            call.fail(other.orElseGet(failures::getFirst));
                        } else {
                            call.answer(FinishInitParamsResponse.getDefaultInstance());
                        }
                    }
                }
            }
        };
        UpdateFrame update = UpdateFrame.newBuilder().setFinish(request).build();
        for (int part = 0; part < number; part++) {
            parts.update(part, update, remainingNanos, each, gone);
        }
        return gone::set;
    }

    private Runnable register(RegisterRequest request, OptionalLong remainingNanos, UnaryCall call) {
        long millis = request.getLeaseMillis();
        long nanos = millis < 0 || millis > Long.MAX_VALUE / NANOS_PER_MILLI ? -1 : millis * NANOS_PER_MILLI;
        return registry.open(
                call,
                number -> new RegistryEvent.Register(number, request.getTrainer(), nanos),
                RegistryEvent.Ended::new);
    }

    private Runnable save(SaveRequest request, OptionalLong remainingNanos, UnaryCall call) {
        parts.saveAll(registry.state().members(), Answer.of(call));
        return () -> {};
    }

    private Runnable status(StatusRequest request, OptionalLong remainingNanos, UnaryCall call) {
        var _ = parts.status().thenAccept(call::answer);
        return () -> {};
    }

    private Runnable place(PlaceRequest request, OptionalLong remainingNanos, UnaryCall call) {
        OptionalInt part = part(request.getName(), OptionalInt.empty(), call);
        if (part.isPresent()) {
            PartLedger ledger = parts.ledger();
            call.answer(PlaceResponse.newBuilder()
                    .setPart(part.getAsInt())
                    .setParts(ledger.parts())
                    .setSynchronous(settings.isSynchronous())
                    .setPrimary(Optional.ofNullable(ledger.assignments().get(part.getAsInt()))
                            .map(assignment -> assignment.primary().node().text())
                            .orElse(""))
                    .build());
        }
        return () -> {};
    }

    private void carryOut(RegistryEffect effect) {
        switch (effect) {
            case RegistryEffect.Submit submit -> {
                LOG.info("{}", submit.why());
                around.store().submit(submit.command(), outcome -> {
                    if (outcome instanceof ReplicaHost.Outcome.Unknown(String why)) {
                        LOG.info("it is not known whether {}: {}", submit.why(), why);
                        registry.step(new RegistryEvent.NotStored(submit.number()));
                    } else {
                        registry.step(new RegistryEvent.Stored(submit.number()));
                    }
                });
            }
            case RegistryEffect.Ask(long round, List<NodeId> members) ->
                members.forEach(member -> parts.report(
                        member, report -> registry.step(new RegistryEvent.Reported(member, round, report))));
            case RegistryEffect.Answer(long call, var trainers) ->
                registry.answer(
                        call,
                        RegisterResponse.newBuilder().addAllTrainers(trainers).build());
            case RegistryEffect.Fail(long call, Failure why) -> registry.fail(call, why);
        }
    }

    @Override
    public void members(List<NodeId> serving) {
        registry.step(new RegistryEvent.Members(serving));
    }

    @Override
    public void elected(PartLedger newest) {
        parts.ledger(newest);
        registry.step(new RegistryEvent.Elected(newest));
    }

    @Override
    public void applied(PartLedger newest) {
        parts.ledger(newest);
        registry.step(new RegistryEvent.Applied(newest));
    }

    @Override
    public void deposed(String why) {
        registry.step(new RegistryEvent.Deposed(new Failure(
                Failure.Code.UNAVAILABLE, "another machine answers for this cluster now: call again (" + why + ")")));
    }

    @Override
    public void failed(Throwable why) {
        around.failed().accept(why);
    }

    /** Writes last checkpoints, leaves etcd, and ends the threads. */
    @Override
    public void close() {
        parts.close();
        etcd.ifPresent(EtcdPublisher::close);
    }
}

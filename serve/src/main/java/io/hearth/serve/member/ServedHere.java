package io.hearth.serve.member;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.machine.Limits;
import io.hearth.replicated.machine.ReplicaEvent;
import io.hearth.replicated.machine.ReplicaState;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.replica.ServiceReplica;
import io.hearth.serve.shell.ClusterService;
import io.hearth.serve.shell.MemberCalls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One service of this node: its replica, its port, and the way of its calls.
 *
 * @param <S> what survives a machine
 */
final class ServedHere<S> implements AutoCloseable, Router, MemberCalls {
    private static final Logger LOG = LoggerFactory.getLogger(ServedHere.class);

    private final String name;
    private final NodeId self;
    private final MemberChannels channels;
    private final ScheduledExecutorService timer;
    private final ServiceReplica<S> replica;
    private final PortPlace listen;
    private final String settings;
    private @Nullable ServicePort port; // set before the first call

    ServedHere(
            MemberServices.Node node,
            ClusterService.Maker<S> maker,
            PortPlace listen,
            MemberChannels channels,
            ScheduledExecutorService timer)
            throws SetupException {
        this.name = maker.name();
        this.self = node.self();
        this.listen = listen;
        this.settings = maker.settings();
        this.channels = channels;
        this.timer = timer;
        replica = ServiceReplica.open(
                maker,
                new ServiceReplica.Place(self, node.incarnation(), node.folder().resolve(name), node.computer()),
                Limits.DEFAULT,
                (to, message) -> node.links().send(to, ServiceFrame.KIND, ServiceFrame.encode(name, message)),
                this,
                node.clock(),
                timer,
                why -> node.failed().accept(name, why));
        replica.host().start();
    }

    String name() {
        return name;
    }

    /** What other members may call. */
    List<ServerServiceDefinition> forMembers() {
        var methods = new ArrayList<>(RoutedHandler.around(replica.service().methods(), this));
        methods.addAll(replica.service().memberMethods());
        return methods;
    }

    /** Opens the port for clients. */
    ServicePort listen() throws SetupException {
        listen.checkEncrypted("the service " + name);
        try {
            ServicePort opened = ServicePort.open(
                    listen,
                    RoutedHandler.around(replica.service().methods(), this),
                    replica.service().messageBytesMax(),
                    replica.service().pages());
            port = opened;
            replica.service().listening(new InetSocketAddress(listen.address().getAddress(), opened.port()));
            return opened;
        } catch (IOException taken) {
            throw new SetupException(
                    listen.refusal("the service " + name, taken) + ", with --serve-on and --serve " + name + ":PORT",
                    taken);
        }
    }

    int port() {
        ServicePort opened = port;
        return opened == null ? 0 : opened.port();
    }

    String url() {
        return listen.url(port());
    }

    MemberServices.Report report() {
        Optional<NodeId> answering = answering();
        return new MemberServices.Report(
                name,
                url(),
                answering,
                answering.isPresent() ? Optional.empty() : Optional.of(vacancy()),
                replica.host().state().keepers(),
                replica.service().jobs());
    }

    void viewed(KnownNodes nodes) {
        nodes.place().ifPresent(place -> {
            List<NodeId> serving = nodes.serving(name, self);
            replica.host().event(new ReplicaEvent.Viewed(place.lineage(), place.epoch(), serving));
            replica.service().members(serving);
        });
    }

    void said(NodeId from, KnownNodes before, KnownNodes after) {
        Optional<String> others = after.otherSettings(from, name, settings);
        if (others.isPresent() && !others.equals(before.otherSettings(from, name, settings))) {
            LOG.warn(
                    "node={} serves the {} with other settings ({} there, {} here): give both agents the same",
                    from.shortText(),
                    name,
                    others.get(),
                    settings);
        }
        if (after.serves(from, name)) {
            replica.host().event(new ReplicaEvent.Linked(from));
        }
        if (!before.serving(name, self).equals(after.serving(name, self))) {
            viewed(after);
        }
    }

    void unlinked(NodeId peer, KnownNodes before, KnownNodes after) {
        if (before.serves(peer, name)) {
            replica.host().event(new ReplicaEvent.Unlinked(peer));
            channels.drop(peer);
        }
        if (!before.serving(name, self).equals(after.serving(name, self))) {
            viewed(after);
        }
    }

    boolean heard(NodeId from, ReplicaMessage message) {
        return replica.host().received(from, message);
    }

    @Override
    public Optional<NodeId> answering() {
        return replica.host().state().served().map(ReplicaState.Served::node);
    }

    @Override
    public boolean isHere() {
        return replica.isElected() && answering().filter(self::equals).isPresent();
    }

    @Override
    public Optional<ManagedChannel> to(NodeId member) {
        return channels.to(member);
    }

    @Override
    public String vacancy() {
        ReplicaState<S> state = replica.host().state();
        if (state.diskFailure().isPresent()) {
            return "the state of the service " + name + " cannot be written on this machine ("
                    + state.diskFailure().get() + "), and no other one answers";
        }
        if (state.copy().isEmpty()) {
            return "the service " + name + " is not ready: no machine in sight keeps its state yet";
        }
        List<PeerId> missing = state.missing();
        return missing.isEmpty()
                ? "the machines are electing the one that answers for the service " + name
                : "no machine can answer for the service " + name
                        + ": too many of those that keep its state are out of reach ("
                        + missing.stream().map(PeerId::shortText).collect(Collectors.joining(" "))
                        + "): start 'hearth agent --serve " + name + "' there";
    }

    @Override
    public boolean mayRepeat(String method) {
        return replica.service().mayRepeat(method);
    }

    @Override
    public boolean isAnsweredAnywhere(String method) {
        return replica.service().isAnsweredAnywhere(method);
    }

    @Override
    public byte[] marked(String method, byte[] request) {
        return replica.service().marked(method, request);
    }

    @Override
    public ScheduledExecutorService timer() {
        return timer;
    }

    @Override
    public CompletableFuture<byte[]> call(NodeId member, String method, byte[] request, Duration timeout) {
        Optional<ManagedChannel> way = channels.to(member);
        if (way.isEmpty()) {
            return CompletableFuture.failedFuture(Status.UNAVAILABLE
                    .withDescription("there is no way to " + member.shortText())
                    .asException());
        }
        int slash = method.lastIndexOf('/');
        var call = way.get()
                .newCall(
                        UnaryHandler.descriptor(method.substring(0, slash), method.substring(slash + 1)),
                        CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS));
        var answer = new CompletableFuture<byte[]>();
        ClientCalls.asyncUnaryCall(call, request, new Awaited(answer));
        var _ = answer.whenComplete((_, _) -> {
            if (answer.isCancelled()) {
                call.cancel("nobody waits for the answer any more", null);
            }
        });
        return answer;
    }

    @Override
    public void close() {
        replica.close();
    }
}

package io.hearth.parameterserver.client;

import io.grpc.Status;
import io.hearth.core.SetupException;
import io.hearth.parameterserver.etcd.EtcdLock;
import io.hearth.parameterserver.etcd.EtcdPlace;
import io.hearth.parameterserver.etcd.EtcdServers;
import io.hearth.parameterserver.optimize.OptimizerSettings;
import io.hearth.parameterserver.placement.Splitting.Piece;
import io.hearth.parameterserver.wire.FinishInitParamsRequest;
import io.hearth.parameterserver.wire.FinishInitParamsResponse;
import io.hearth.parameterserver.wire.InitParamRequest;
import io.hearth.parameterserver.wire.InitParamResponse;
import io.hearth.parameterserver.wire.PlaceRequest;
import io.hearth.parameterserver.wire.PlaceResponse;
import io.hearth.parameterserver.wire.RegisterRequest;
import io.hearth.parameterserver.wire.RegisterResponse;
import io.hearth.parameterserver.wire.SendGradRequest;
import io.hearth.parameterserver.wire.SendGradResponse;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A trainer's view of the parameter servers; its calls block. Each call is repeated while no machine can answer, and a repeated gradient is
 * not applied twice. One thread at a time.
 */
public final class ParameterClient implements AutoCloseable {
    private final String trainer;
    private final Found found;
    private final Caller caller;
    private final Layout layout;
    private final Readings readings;
    private long sequence;

    /**
     * A parameter's values.
     *
     * @param content little-endian
     * @param version updates that the values have; of a parameter in pieces, the lowest of its pieces
     */
    @SuppressWarnings("ArrayRecordComponent") // large, and never compared
    public record Got(Shape shape, byte[] content, long version) {}

    /** A gradient, little-endian, of its parameter's type. */
    @SuppressWarnings("ArrayRecordComponent") // large, and never compared
    public record Gradient(String name, byte[] content) {}

    /** The servers, and the etcd if they are from one. */
    private record Found(List<InetSocketAddress> servers, Optional<EtcdServers> etcd, Optional<EtcdPlace> place) {}

    private ParameterClient(
            Found found, String trainer, List<Shape> all, ClientOptions options, Optional<SslContext> tls)
            throws ParameterServerException, InterruptedException {
        this.trainer = trainer;
        this.found = found;
        this.caller = new Caller(
                found.servers(),
                trainer.hashCode(),
                () -> found.etcd().ifPresent(EtcdServers::lookSoon),
                options.timeout(),
                tls);
        found.etcd().ifPresent(servers -> servers.watch(caller::servers));
        boolean isOpen = false;
        try {
            PlaceResponse place = caller.begin("Place", PlaceRequest.getDefaultInstance(), PlaceResponse.parser())
                    .await();
            layout = new Layout(all, place.getParts(), options);
            readings = new Readings(caller, layout, trainer, place.getSynchronous());
            isOpen = true;
        } finally {
            if (!isOpen) {
                close();
            }
        }
    }

    /**
     * Connects.
     *
     * @param trainer a name that no other start of a trainer has
     * @param all parameters, the same for all trainers
     */
    public static ParameterClient connect(
            InetSocketAddress address, String trainer, List<Shape> all, ClientOptions options)
            throws ParameterServerException, InterruptedException {
        return new ParameterClient(
                new Found(List.of(address), Optional.empty(), Optional.empty()), trainer, all, options, tls(options));
    }

    /**
     * Connects to any of the servers that an etcd knows, and goes on with another one when that is gone. If the etcd is gone, the servers
     * are those from before.
     *
     * @param trainer a name that no other start of a trainer has
     * @param all parameters, the same for all trainers
     * @throws ParameterServerException also if no server is in the etcd for the time-out of a call
     */
    public static ParameterClient connect(EtcdPlace place, String trainer, List<Shape> all, ClientOptions options)
            throws ParameterServerException, InterruptedException {
        Optional<SslContext> tls = tls(options); // before anything is open
        EtcdServers servers;
        try {
            servers = EtcdServers.find(place, options.timeout());
        } catch (IOException none) {
            throw unavailable(none);
        }
        return new ParameterClient(
                new Found(servers.addresses(), Optional.of(servers), Optional.of(place)), trainer, all, options, tls);
    }

    private static Optional<SslContext> tls(ClientOptions options) throws ParameterServerException {
        try {
            return options.tls().isEmpty()
                    ? Optional.empty()
                    : Optional.of(options.tls().get().client());
        } catch (SetupException unusable) {
            throw new ParameterServerException(
                    Status.Code.FAILED_PRECONDITION, String.valueOf(unusable.getMessage()), unusable);
        }
    }

    private static ParameterServerException unavailable(IOException why) {
        return new ParameterServerException(Status.Code.UNAVAILABLE, String.valueOf(why.getMessage()), why);
    }

    /** What sets the parameters: calls of {@link #init}. */
    @FunctionalInterface
    public interface Initialization {
        void run() throws ParameterServerException, InterruptedException;
    }

    /**
     * Has exactly one of the trainers that call it set the parameters, and finish: the others wait for a lock in etcd. If a trainer stops in
     * the middle, the next one begins again.
     *
     * @param wait for the lock, longer than an initialization takes
     * @return whether this trainer did it
     * @throws ParameterServerException also if the lock was not free for all of the time
     * @throws IllegalStateException if this client found its servers without an etcd
     */
    public boolean initializeOnce(Duration wait, Initialization work)
            throws ParameterServerException, InterruptedException {
        EtcdPlace place = found.place()
                .orElseThrow(() -> new IllegalStateException(
                        "this client has no etcd, which has the lock: connect with one, or let one trainer call init"));
        EtcdLock taken;
        try {
            taken = EtcdLock.take(place, wait);
        } catch (IOException none) {
            throw unavailable(none);
        }
        try (taken) {
            boolean isMine = !isAlready(work);
            return !isAlready(this::finish) && isMine; // finishes what a trainer began to finish
        }
    }

    private static boolean isAlready(Initialization step) throws ParameterServerException, InterruptedException {
        try {
            step.run();
            return false;
        } catch (ParameterServerException failed) {
            if (failed.code() == Status.Code.ALREADY_EXISTS) {
                return true;
            }
            throw failed;
        }
    }

    /** Sets a parameter before the initialization is finished; a repeat overwrites. */
    public void init(String name, byte[] content, OptimizerSettings settings)
            throws ParameterServerException, InterruptedException {
        Shape shape = layout.shape(name);
        settings.checkFor(shape.type());
        var _ = caller.all(
                layout.pieces(shape),
                piece -> caller.begin(
                        "InitParam",
                        InitParamRequest.newBuilder()
                                .setParam(Layout.parameter(shape, piece, content))
                                .setConfig(settings.wire())
                                .setPart(layout.part(piece))
                                .build(),
                        InitParamResponse.parser()));
    }

    /** Ends the initialization: from now on gradients are taken. */
    public void finish() throws ParameterServerException, InterruptedException {
        var _ = caller.begin(
                        "FinishInitParams",
                        FinishInitParamsRequest.newBuilder().setTrainer(trainer).build(),
                        FinishInitParamsResponse.parser())
                .await();
    }

    /**
     * Begins or renews this trainer's lease with synchronous servers.
     *
     * @param lease after which they no longer wait for its gradients, 1 s to 1 h; zero ends it
     * @return all trainers
     */
    public List<String> register(Duration lease) throws ParameterServerException, InterruptedException {
        return List.copyOf(caller.begin(
                        "Register",
                        RegisterRequest.newBuilder()
                                .setTrainer(trainer)
                                .setLeaseMillis(lease.toMillis())
                                .build(),
                        RegisterResponse.parser())
                .await()
                .getTrainersList());
    }

    /**
     * Sends gradients. If that fails, call it again with the same gradients: those that had arrived do not count twice.
     *
     * @return for each, in the same order, the version of the parameter that has it
     * @throws IllegalArgumentException if there is none, or two are of one parameter
     */
    public List<Long> send(List<Gradient> gradients) throws ParameterServerException, InterruptedException {
        if (gradients.isEmpty()) {
            throw new IllegalArgumentException("no gradient received");
        }
        var work = new ArrayList<Sent>();
        var names = new HashSet<String>();
        for (Gradient gradient : gradients) {
            if (!names.add(gradient.name())) {
                throw new IllegalArgumentException("two gradients of parameter " + gradient.name()
                        + " in one call: add them up, or send one after the other");
            }
            Shape shape = layout.shape(gradient.name());
            layout.pieces(shape).forEach(piece -> work.add(new Sent(shape, piece, gradient)));
        }
        List<SendGradResponse> answers = caller.all(work, this::begin);
        sequence++;
        var versions = new TreeMap<String, Long>();
        for (int i = 0; i < answers.size(); i++) {
            versions.merge(work.get(i).shape().name(), answers.get(i).getVersion(), Math::min);
        }
        for (int i = 0; i < answers.size(); i++) {
            Sent sent = work.get(i);
            readings.sent(
                    sent.piece(),
                    answers.get(i).getVersion(),
                    versions.getOrDefault(sent.shape().name(), 0L));
        }
        return gradients.stream()
                .map(gradient -> versions.getOrDefault(gradient.name(), 0L))
                .toList();
    }

    private record Sent(Shape shape, Piece piece, Gradient gradient) {}

    private Caller.Call<SendGradResponse> begin(Sent sent) {
        return caller.begin(
                "SendGrad",
                SendGradRequest.newBuilder()
                        .setGradient(Layout.parameter(
                                sent.shape(), sent.piece(), sent.gradient().content()))
                        .setTrainer(trainer)
                        .setSequence(sequence + 1)
                        .setPart(layout.part(sent.piece()))
                        .build(),
                SendGradResponse.parser());
    }

    /** Gets parameters, in the order of {@code names}, as they are. */
    public List<Got> get(List<String> names) throws ParameterServerException, InterruptedException {
        return get(names, 0);
    }

    /**
     * Gets parameters, in the order of {@code names}, once they have at least a version. Of synchronous servers, all pieces of a parameter
     * are of one step. The only exception is a trainer that registered while others sent gradients, and is awaited by some pieces and not yet
     * by others: then those pieces lack the gradient that it sends next.
     */
    public List<Got> get(List<String> names, long versionMin) throws ParameterServerException, InterruptedException {
        var results = new ArrayList<Got>();
        for (String name : names) {
            results.add(readings.get(layout.shape(name), versionMin));
        }
        return List.copyOf(results);
    }

    @Override
    public void close() {
        found.etcd().ifPresent(EtcdServers::close);
        caller.close();
    }
}

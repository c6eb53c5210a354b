package io.hearth.parameterserver.server;

import com.google.protobuf.MessageLite;
import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusException;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.parameterserver.ServerSettings;
import io.hearth.parameterserver.machine.PartLedger;
import io.hearth.replicated.host.ReplicaHost;
import io.hearth.serve.shell.ClusterService;
import io.hearth.serve.shell.MemberCalls;
import io.hearth.serve.shell.StoreAccess;
import io.hearth.serve.shell.Surroundings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Parameter servers in one process, with one ledger, whose calls to each other stay in memory. The first machine that is up is elected. */
final class MemoryCluster implements AutoCloseable {
    private final ServerSettings settings;
    private final Path folder;
    private final ExecutorService replica = Executors.newSingleThreadExecutor();
    private final AtomicReference<Optional<Throwable>> failure = new AtomicReference<>(Optional.empty());

    // The replica's.
    private PartLedger ledger = PartLedger.EMPTY;
    private Optional<NodeId> elected = Optional.empty();

    private final Map<NodeId, Member> members = new TreeMap<>(); // guarded by itself
    private final List<Member> all = new ArrayList<>(); // also those that were killed, guarded by the members

    private final class Member {
        private final ClusterService<PartLedger> service;
        private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
        private final Map<Object, CompletableFuture<byte[]>> open = new ConcurrentHashMap<>(); // by a key of each
        private volatile boolean isUp = true;

        private Member(NodeId node) {
            service = ParameterServer.maker(settings)
                    .make(new Surroundings(
                            node,
                            folder.resolve(node.shortText()),
                            Clock.system(),
                            timer,
                            new StoreAccess() {
                                @Override
                                public void submit(Bytes command, Consumer<ReplicaHost.Outcome> then) {
                                    replica.execute(() -> MemoryCluster.this.submit(Member.this, node, command, then));
                                }

                                @Override
                                public void confirm(Consumer<Boolean> then) {
                                    replica.execute(() -> then.accept(elected.equals(Optional.of(node))));
                                }
                            },
                            others(this),
                            this::failed));
        }

        /** Without its timer, a machine that was killed may fail. */
        private void failed(Throwable why) {
            if (isUp) {
                failure.compareAndSet(Optional.empty(), Optional.of(why));
            }
        }

        private MemberCalls others(Member from) {
            return (to, method, request, _) -> {
                Member target;
                synchronized (members) {
                    target = members.get(to);
                }
                if (target == null || !target.isUp || !from.isUp) {
                    return CompletableFuture.failedFuture(
                            new StatusException(Status.UNAVAILABLE.withDescription("no way to " + to.shortText())));
                }
                return until(invoke(target.service.memberMethods(), method, request), from, target)
                        .thenApply(answer -> {
                            if (!from.isUp || !target.isUp) {
                                throw Status.UNAVAILABLE
                                        .withDescription("the link broke")
                                        .asRuntimeException();
                            }
                            return answer;
                        });
            };
        }
    }

    MemoryCluster(ServerSettings settings, Path folder, int size) {
        this.settings = settings;
        this.folder = folder;
        for (int i = 0; i < size; i++) {
            start(node(i));
        }
    }

    static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) number;
        key[PeerId.KEY_BYTES - 1] = (byte) (number * 37);
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }

    private void submit(Member from, NodeId node, Bytes command, Consumer<ReplicaHost.Outcome> then) {
        if (!from.isUp) {
            return; // a process that was killed hears nothing
        }
        if (!elected.equals(Optional.of(node))) {
            tell(from, _ -> then.accept(new ReplicaHost.Outcome.Unknown("another one is elected")));
            return;
        }
        var outcome = PartLedger.APPLICATION.apply(ledger, command);
        ledger = outcome.state();
        up().values().forEach(member -> tell(member, service -> service.applied(ledger)));
        tell(from, _ -> then.accept(new ReplicaHost.Outcome.Applied(outcome.answer())));
    }

    /** A process may be killed in the middle of it. */
    private static void tell(Member member, Consumer<ClusterService<PartLedger>> what) {
        try {
            what.accept(member.service);
        } catch (RejectedExecutionException noTimer) {
            if (member.isUp) {
                throw noTimer;
            }
        }
    }

    private Map<NodeId, Member> up() {
        synchronized (members) {
            var up = new TreeMap<>(members);
            up.values().removeIf(member -> !member.isUp);
            return up;
        }
    }

    /** A new process of a machine, with its old folder. */
    void start(NodeId node) {
        synchronized (members) {
            var member = new Member(node);
            members.put(node, member);
            all.add(member);
        }
        replica.execute(this::elect);
    }

    /** The power cord is pulled. */
    void kill(NodeId node) {
        synchronized (members) {
            Member member = members.get(node);
            if (member != null) {
                member.isUp = false;
                member.timer.shutdownNow();
                member.open
                        .values()
                        .forEach(call -> call.completeExceptionally(
                                new StatusException(Status.UNAVAILABLE.withDescription("the connection broke"))));
            }
        }
        replica.execute(this::elect);
    }

    private void elect() {
        Map<NodeId, Member> up = up();
        List<NodeId> view = List.copyOf(up.keySet());
        up.forEach((node, member) -> {
            tell(member, service -> service.members(view));
            tell(member, service -> service.applied(ledger));
        });
        Optional<NodeId> next = view.stream().findFirst();
        elected.map(up::get).ifPresent(member -> tell(member, service -> service.deposed("a new view")));
        elected = next;
        next.map(up::get).ifPresent(member -> tell(member, service -> service.elected(ledger)));
    }

    List<NodeId> upNodes() {
        return List.copyOf(up().keySet());
    }

    PartLedger ledger() {
        return CompletableFuture.supplyAsync(() -> ledger, replica).join();
    }

    Optional<Throwable> failure() {
        return failure.get();
    }

    /** A call that breaks when one of these ends. */
    private static CompletableFuture<byte[]> until(CompletableFuture<byte[]> call, Member... ends) {
        for (Member end : ends) {
            var key = new Object();
            end.open.put(key, call);
            var _ = call.whenComplete((_, _) -> end.open.remove(key));
            if (!end.isUp) {
                call.completeExceptionally(new StatusException(Status.UNAVAILABLE));
            }
        }
        return call;
    }

    /** Calls a machine as a client. */
    CompletableFuture<byte[]> call(NodeId node, String method, MessageLite request) {
        Member member = up().get(node);
        if (member == null) {
            return CompletableFuture.failedFuture(new StatusException(Status.UNAVAILABLE));
        }
        return until(
                        invoke(
                                member.service.methods(),
                                "hearth.parameterserver.ParameterServer/" + method,
                                request.toByteArray()),
                        member)
                .orTimeout(Duration.ofSeconds(20).toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(answer -> {
                    if (!member.isUp) { // its answer did not get out
                        throw Status.UNAVAILABLE.asRuntimeException();
                    }
                    return answer;
                });
    }

    @SuppressWarnings("unchecked")
    private static CompletableFuture<byte[]> invoke(
            List<ServerServiceDefinition> services, String method, byte[] request) {
        var answer = new CompletableFuture<byte[]>();
        var found = services.stream()
                .flatMap(service -> service.getMethods().stream())
                .filter(each -> each.getMethodDescriptor().getFullMethodName().equals(method))
                .findFirst()
                .orElseThrow();
        var call = new ServerCall<byte[], byte[]>() {
            private final List<byte[]> messages = new ArrayList<>();

            @Override
            public void request(int numMessages) {}

            @Override
            public void sendHeaders(Metadata headers) {}

            @Override
            public void sendMessage(byte[] message) {
                messages.add(message);
            }

            @Override
            public void close(Status status, Metadata trailers) {
                if (status.isOk()) {
                    answer.complete(messages.getFirst());
                } else {
                    answer.completeExceptionally(new StatusException(status));
                }
            }

            @Override
            public boolean isCancelled() {
                return false;
            }

            @Override
            public Attributes getAttributes() {
                return Attributes.EMPTY;
            }

            @Override
            public MethodDescriptor<byte[], byte[]> getMethodDescriptor() {
                return (MethodDescriptor<byte[], byte[]>) found.getMethodDescriptor();
            }
        };
        var listener = ((io.grpc.ServerCallHandler<byte[], byte[]>) found.getServerCallHandler())
                .startCall(call, new Metadata());
        listener.onMessage(request);
        listener.onHalfClose();
        return answer;
    }

    @Override
    public void close() {
        replica.shutdownNow();
        List<Member> ended;
        synchronized (members) {
            ended = List.copyOf(all); // a killed one may still write a checkpoint into the folder of the test
        }
        for (Member member : ended) { // without the lock: its threads may need it to end
            if (member.service instanceof ParameterServer server) {
                server.close();
            }
            member.timer.shutdownNow();
        }
    }
}

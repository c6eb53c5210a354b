package io.hearth.serve;

import com.google.protobuf.Int64Value;
import io.grpc.ServerServiceDefinition;
import io.hearth.core.Bytes;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.replicated.Application;
import io.hearth.replicated.host.ReplicaHost;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.shell.ClusterService;
import io.hearth.serve.shell.ServiceShell;
import io.hearth.serve.shell.Surroundings;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A service for tests: adds numbers, each once, and answers with their sum. */
public final class Counter implements ClusterService<Map<Long, Long>> {
    public static final String SERVICE = "test.Counter";

    sealed interface Event {
        record Add(long call, long number) implements Event {}

        record Ended(long call) implements Event {}

        record Tick() implements Event {}
    }

    /** A machine that passes each call on. */
    private static final class Pass implements Machine<Long, Event, Event.Add> {
        @Override
        public Step<Long, Event.Add> step(Long state, Event event, long nowNanos) {
            return new Step<>(state, event instanceof Event.Add add ? List.of(add) : List.of());
        }

        @Override
        public long sleepNanos(Long state, long nowNanos) {
            return Long.MAX_VALUE;
        }
    }

    private static final class Sum implements Application<Map<Long, Long>> {
        @Override
        public Map<Long, Long> empty() {
            return Map.of();
        }

        @Override
        public Outcome<Map<Long, Long>> apply(Map<Long, Long> state, Bytes command) {
            long number = ByteBuffer.wrap(command.toArray()).getLong();
            var next = new TreeMap<>(state);
            next.put(number, number); // a number that is repeated counts once
            return new Outcome<>(next, bytes(sum(next)));
        }

        @Override
        public Map<Long, Long> merge(Map<Long, Long> better, Map<Long, Long> worse) {
            var both = new TreeMap<>(better);
            both.putAll(worse);
            return both;
        }

        @Override
        public Bytes encode(Map<Long, Long> state) {
            var all = ByteBuffer.allocate(state.size() * Long.BYTES);
            state.keySet().forEach(all::putLong);
            return Bytes.of(all.array());
        }

        @Override
        public Map<Long, Long> decode(Bytes bytes) {
            var all = ByteBuffer.wrap(bytes.toArray());
            var state = new TreeMap<Long, Long>();
            while (all.hasRemaining()) {
                long number = all.getLong();
                state.put(number, number);
            }
            return state;
        }
    }

    private static Bytes bytes(long number) {
        return Bytes.of(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
    }

    private static long sum(Map<Long, Long> state) {
        return state.values().stream().mapToLong(Long::longValue).sum();
    }

    private final Surroundings around;
    private final ServiceShell<Long, Event, Event.Add> shell;

    private Counter(Surroundings around) {
        this.around = around;
        this.shell = new ServiceShell<>(new Pass(), 0L, new Event.Tick(), around, this::add);
    }

    public static ClusterService.Maker<Map<Long, Long>> maker() {
        return new ClusterService.Maker<>() {
            @Override
            public String name() {
                return "counter";
            }

            @Override
            public Application<Map<Long, Long>> application() {
                return new Sum();
            }

            @Override
            public ClusterService<Map<Long, Long>> make(Surroundings surroundings) {
                return new Counter(surroundings);
            }
        };
    }

    private void add(Event.Add add) {
        around.store().submit(bytes(add.number()), outcome -> {
            switch (outcome) {
                case ReplicaHost.Outcome.Applied(Bytes answer) ->
                    shell.answer(
                            add.call(),
                            Int64Value.of(ByteBuffer.wrap(answer.toArray()).getLong()));
                case ReplicaHost.Outcome.Unknown(String why) ->
                    shell.fail(add.call(), new Failure(Failure.Code.UNAVAILABLE, why));
            }
        });
    }

    @Override
    public List<ServerServiceDefinition> methods() {
        return List.of(ServerServiceDefinition.builder(SERVICE)
                .addMethod(UnaryHandler.method(
                        SERVICE,
                        "Add",
                        Int64Value.parser(),
                        around.timer(),
                        (request, _, call) -> shell.open(
                                call, number -> new Event.Add(number, request.getValue()), Event.Ended::new)))
                .build());
    }

    @Override
    public boolean mayRepeat(String method) {
        return true;
    }

    @Override
    public ServicePort.Pages pages() {
        return (_, _) -> new ServicePort.Page(404, "text/plain", "").now();
    }

    @Override
    public void elected(Map<Long, Long> state) {}

    @Override
    public void deposed(String why) {}

    @Override
    public void failed(Throwable why) {
        around.failed().accept(why);
    }
}

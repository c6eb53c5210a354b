package io.hearth.scheduler.server;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.ServerServiceDefinition;
import io.hearth.core.Bytes;
import io.hearth.replicated.Application;
import io.hearth.replicated.host.ReplicaHost;
import io.hearth.scheduler.SchedulerSettings;
import io.hearth.scheduler.ledger.LedgerApplication;
import io.hearth.scheduler.ledger.SchedulerLedger;
import io.hearth.scheduler.machine.Reply;
import io.hearth.scheduler.machine.Request;
import io.hearth.scheduler.machine.SchedulerEffect;
import io.hearth.scheduler.machine.SchedulerEvent;
import io.hearth.scheduler.machine.SchedulerMachine;
import io.hearth.scheduler.machine.SchedulerState;
import io.hearth.scheduler.machine.Views;
import io.hearth.scheduler.wire.BarrierRequest;
import io.hearth.scheduler.wire.CancelJobRequest;
import io.hearth.scheduler.wire.CompleteShardRequest;
import io.hearth.scheduler.wire.HeartbeatRequest;
import io.hearth.scheduler.wire.LeaveNodeRequest;
import io.hearth.scheduler.wire.ListJobsRequest;
import io.hearth.scheduler.wire.MessagesRequest;
import io.hearth.scheduler.wire.MetricsRequest;
import io.hearth.scheduler.wire.NextShardsRequest;
import io.hearth.scheduler.wire.RegisterNodeRequest;
import io.hearth.scheduler.wire.ReportEpochRequest;
import io.hearth.scheduler.wire.RequestDataRequest;
import io.hearth.scheduler.wire.SendRequest;
import io.hearth.scheduler.wire.ShowJobRequest;
import io.hearth.scheduler.wire.SubmitJobRequest;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.UnaryCall;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.shell.ClusterService;
import io.hearth.serve.shell.ServiceJob;
import io.hearth.serve.shell.ServiceShell;
import io.hearth.serve.shell.Surroundings;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The scheduler of training jobs: its calls, and its jobs and nodes from the store. */
public final class Scheduler implements ClusterService<SchedulerLedger> {
    /** The full name of the gRPC service. */
    public static final String SERVICE = "hearth.scheduler.Scheduler";

    private static final int MESSAGE_BYTES_MAX = 512 * 1024; // 4,096 owners of shards

    private static final int JOBS_MAX = 20; // told to the agent

    private final SchedulerSettings settings;
    private final Surroundings around;
    private final ServiceShell<SchedulerState, SchedulerEvent, SchedulerEffect> shell;

    private Scheduler(SchedulerSettings settings, Surroundings around) {
        this.settings = settings;
        this.around = around;
        this.shell = new ServiceShell<>(
                new SchedulerMachine(settings),
                SchedulerState.START,
                new SchedulerEvent.Tick(),
                around,
                this::carryOut);
    }

    /** Makes schedulers with these settings. */
    public static ClusterService.Maker<SchedulerLedger> maker(SchedulerSettings settings) {
        return new ClusterService.Maker<>() {
            @Override
            public String name() {
                return "scheduler";
            }

            @Override
            public Application<SchedulerLedger> application() {
                return new LedgerApplication();
            }

            @Override
            public String settings() {
                return settings.text();
            }

            @Override
            public ClusterService<SchedulerLedger> make(Surroundings surroundings) {
                return new Scheduler(settings, surroundings);
            }
        };
    }

    @Override
    public List<ServerServiceDefinition> methods() {
        var methods = ServerServiceDefinition.builder(SERVICE);
        add(methods, "RegisterNode", RegisterNodeRequest.parser(), Requests::register);
        add(methods, "Heartbeat", HeartbeatRequest.parser(), Requests::beat);
        add(methods, "LeaveNode", LeaveNodeRequest.parser(), Requests::leave);
        add(methods, "SubmitJob", SubmitJobRequest.parser(), Requests::submit);
        add(methods, "ListJobs", ListJobsRequest.parser(), _ -> new Request.ListJobs());
        add(methods, "ShowJob", ShowJobRequest.parser(), Requests::show);
        add(methods, "CancelJob", CancelJobRequest.parser(), Requests::cancel);
        add(methods, "ReportEpoch", ReportEpochRequest.parser(), Requests::report);
        add(methods, "Barrier", BarrierRequest.parser(), Requests::barrier);
        add(methods, "RequestData", RequestDataRequest.parser(), Requests::data);
        add(methods, "NextShards", NextShardsRequest.parser(), Requests::next);
        add(methods, "CompleteShard", CompleteShardRequest.parser(), Requests::complete);
        add(methods, "Send", SendRequest.parser(), Requests::send);
        add(methods, "Messages", MessagesRequest.parser(), Requests::messages);
        add(methods, "Metrics", MetricsRequest.parser(), _ -> new Request.Metrics());
        return List.of(methods.build());
    }

    private <R extends MessageLite> void add(
            ServerServiceDefinition.Builder methods, String name, Parser<R> parser, Function<R, Request> reader) {
        methods.addMethod(UnaryHandler.method(
                SERVICE, name, parser, around.timer(), (message, _, call) -> open(message, reader, call)));
    }

    private <R> Runnable open(R message, Function<R, Request> reader, UnaryCall call) {
        Request request;
        try {
            request = reader.apply(message);
        } catch (IllegalArgumentException wrong) {
            call.fail(new Failure(Failure.Code.INVALID_ARGUMENT, String.valueOf(wrong.getMessage())));
            return () -> {};
        }
        return shell.open(call, number -> new SchedulerEvent.Called(number, request), SchedulerEvent.Ended::new);
    }

    @Override
    public int messageBytesMax() {
        return MESSAGE_BYTES_MAX;
    }

    /** Submissions have an id, shards a term, barriers a number, messages an id: what is repeated counts once. */
    @Override
    public boolean mayRepeat(String method) {
        return true;
    }

    /** A message that comes without an id gets one, so that a repeated call does not send it twice. */
    @Override
    public byte[] marked(String method, byte[] request) {
        return method.endsWith("/Send") ? Requests.withMessageId(request) : request;
    }

    @Override
    public List<ServiceJob> jobs() {
        return views().jobs().stream()
                .limit(JOBS_MAX)
                .map(job -> new ServiceJob(
                        job.spec().name(),
                        job.state().name().toLowerCase(Locale.ROOT),
                        job.reason(),
                        job.epoch(),
                        job.spec().epochs(),
                        job.completed(),
                        job.spec().shards(),
                        job.samplesPerSecond(),
                        job.etaSeconds()))
                .toList();
    }

    @Override
    public ServicePort.Pages pages() {
        return SchedulerPages.of(this::views);
    }

    private void carryOut(SchedulerEffect effect) {
        switch (effect) {
            case SchedulerEffect.Answer(long number, Reply reply) ->
                shell.answer(number, Replies.message(reply, around.clock()));
            case SchedulerEffect.Fail(long number, Failure why) -> shell.fail(number, why);
            case SchedulerEffect.Store(long attempt, Bytes command) ->
                around.store().submit(command, outcome -> stored(attempt, outcome));
            case SchedulerEffect.Confirm(long attempt) ->
                around.store().confirm(isConfirmed -> confirmed(attempt, isConfirmed));
        }
    }

    private void stored(long attempt, ReplicaHost.Outcome outcome) {
        shell.step(
                switch (outcome) {
                    case ReplicaHost.Outcome.Applied(Bytes answer) -> new SchedulerEvent.Stored(attempt, answer);
                    case ReplicaHost.Outcome.Unknown(String why) ->
                        new SchedulerEvent.NotStored(
                                attempt,
                                new Failure(
                                        Failure.Code.UNAVAILABLE,
                                        "nobody knows whether the call was carried out (" + why
                                                + "): repeat it, it does not count twice"));
                });
    }

    private void confirmed(long attempt, boolean isConfirmed) {
        shell.step(
                isConfirmed
                        ? new SchedulerEvent.Confirmed(attempt)
                        : new SchedulerEvent.NotStored(
                                attempt,
                                new Failure(
                                        Failure.Code.UNAVAILABLE,
                                        "another machine answers for this cluster now: call again")));
    }

    @Override
    public void applied(SchedulerLedger newest) {
        shell.step(new SchedulerEvent.Applied(newest));
    }

    @Override
    public void elected(SchedulerLedger newest) {
        shell.step(new SchedulerEvent.Elected(newest, Math.max(1, around.clock().epochMillis())));
    }

    @Override
    public void deposed(String why) {
        shell.step(new SchedulerEvent.Deposed(new Failure(
                Failure.Code.UNAVAILABLE, "another machine answers for this cluster now: call again (" + why + ")")));
    }

    @Override
    public void failed(Throwable why) {
        around.failed().accept(why);
    }

    private Views views() {
        return new Views(shell.state(), settings, around.clock().nanoTime());
    }
}

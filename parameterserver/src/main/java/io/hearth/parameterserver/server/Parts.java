package io.hearth.parameterserver.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.hearth.identity.NodeId;
import io.hearth.parameterserver.ServerSettings;
import io.hearth.parameterserver.checkpoint.Checkpoint;
import io.hearth.parameterserver.checkpoint.Written;
import io.hearth.parameterserver.machine.Assignment;
import io.hearth.parameterserver.machine.PartEffect;
import io.hearth.parameterserver.machine.PartEvent;
import io.hearth.parameterserver.machine.PartLedger;
import io.hearth.parameterserver.machine.Report;
import io.hearth.parameterserver.wire.DeliverRequest;
import io.hearth.parameterserver.wire.DeliverResponse;
import io.hearth.parameterserver.wire.FinishInitParamsResponse;
import io.hearth.parameterserver.wire.GetParamRequest;
import io.hearth.parameterserver.wire.GetParamResponse;
import io.hearth.parameterserver.wire.InitParamResponse;
import io.hearth.parameterserver.wire.PartStatus;
import io.hearth.parameterserver.wire.PartUpdate;
import io.hearth.parameterserver.wire.ReportFrame;
import io.hearth.parameterserver.wire.ReportResponse;
import io.hearth.parameterserver.wire.SaveRequest;
import io.hearth.parameterserver.wire.SaveResponse;
import io.hearth.parameterserver.wire.SendGradResponse;
import io.hearth.parameterserver.wire.StatusResponse;
import io.hearth.parameterserver.wire.UpdateFrame;
import io.hearth.serve.Failure;
import io.hearth.serve.shell.Surroundings;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of this machine, on one thread, and the way to those of others. */
final class Parts {
    private static final Logger LOG = LoggerFactory.getLogger(Parts.class);
    private static final Duration REPORT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration DELIVER_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration CALL_TIMEOUT = Duration.ofMinutes(10);
    private static final long CLOSE_SECONDS = 60;
    private static final long QUEUED_BYTES_MAX = Runtime.getRuntime().maxMemory() / 4;

    private final ServerSettings settings;
    private final Surroundings around;
    private final Assignment.Seat seat;
    private final MemberRequests requests;
    private final CheckpointKeeper checkpoints;
    private final ThreadPoolExecutor owner = CheckpointKeeper.singleThread("hearth-parameterserver");
    private final Future<?> periodic;

    // The owner's.
    private final QueueRoom room = new QueueRoom(QUEUED_BYTES_MAX);
    private final Map<Integer, PartHost> hosts = new TreeMap<>();
    private CompletableFuture<List<String>> round = CompletableFuture.completedFuture(List.of()); // of checkpoints
    private Optional<CompletableFuture<List<String>>> nextRound = Optional.empty();

    private final AtomicBoolean isClosed = new AtomicBoolean();
    private volatile PartLedger ledger = PartLedger.EMPTY; // the replica's thread writes it

    /** Parts that tell of each checkpoint file. */
    Parts(ServerSettings settings, Surroundings around, Consumer<Written> written) {
        this.settings = settings;
        this.around = around;
        this.seat = new Assignment.Seat(around.self(), new SecureRandom().nextLong());
        this.requests = new MemberRequests(around, this::asked);
        this.checkpoints = new CheckpointKeeper(around.folder().resolve("checkpoints"), written);
        this.periodic = around.timer()
                .scheduleWithFixedDelay(
                        () -> run(() -> {
                            if (round.isDone()) {
                                var _ = save();
                            }
                        }),
                        settings.checkpointNanos(),
                        settings.checkpointNanos(),
                        TimeUnit.NANOSECONDS);
    }

    private void run(Runnable task) {
        try {
            owner.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException | Error fatal) { // else callers would wait without a word
                    around.failed().accept(fatal);
                }
            });
        } catch (RejectedExecutionException closed) {
            // the service is closed: its port has ended all calls
        }
    }

    ServerServiceDefinition memberMethods() {
        return requests.methods();
    }

    PartLedger ledger() {
        return ledger;
    }

    void ledger(PartLedger newest) {
        ledger = newest;
        run(() ->
                newest.assignments().forEach((part, assignment) -> host(part).assigned(assignment, newest.trainers())));
    }

    private PartHost host(int part) {
        return hosts.computeIfAbsent(part, number -> new PartHost(number, seat, new Owner()));
    }

    /** Takes an update to the part's primary. */
    void update(int part, UpdateFrame update, OptionalLong remainingNanos, Answer answer, Gone gone) {
        primary(part, answer).ifPresent(primary -> {
            if (primary.equals(around.self())) {
                run(() -> host(part).update(update, answer, gone));
            } else {
                var request =
                        PartUpdate.newBuilder().setPart(part).setUpdate(update).build();
                forward(primary, "Update", request, parser(update), remainingNanos, answer, gone);
            }
        });
    }

    private static Parser<? extends MessageLite> parser(UpdateFrame update) {
        return switch (update.getKindCase()) {
            case INIT -> InitParamResponse.parser();
            case FINISH -> FinishInitParamsResponse.parser();
            case GRADIENT, TRAINERS, KIND_NOT_SET -> SendGradResponse.parser();
        };
    }

    /** Asks the part's primary. */
    void get(GetParamRequest request, OptionalLong remainingNanos, Answer answer, Gone gone) {
        primary(request.getPart(), answer).ifPresent(primary -> {
            if (primary.equals(around.self())) {
                run(() -> host(request.getPart()).get(request, answer, gone));
            } else {
                forward(primary, "Get", request, GetParamResponse.parser(), remainingNanos, answer, gone);
            }
        });
    }

    private Optional<NodeId> primary(int part, Answer answer) {
        Assignment assignment = ledger.assignments().get(part);
        if (assignment == null) {
            answer.fail(new Failure(
                    Failure.Code.UNAVAILABLE, "no machine serves part " + part + " yet: call again in a moment"));
            return Optional.empty();
        }
        return Optional.of(assignment.primary().node());
    }

    private void forward(
            NodeId to,
            String method,
            MessageLite request,
            Parser<? extends MessageLite> parser,
            OptionalLong remainingNanos,
            Answer answer,
            Gone gone) {
        Duration timeout =
                remainingNanos.isPresent() ? Duration.ofNanos(Math.max(1, remainingNanos.getAsLong())) : CALL_TIMEOUT;
        CompletableFuture<byte[]> call = requests.call(to, method, request, timeout);
        gone.then(() -> call.cancel(true));
        var _ = call.whenComplete((bytes, failed) -> {
            if (failed != null) {
                answer.fail(failure(to, failed));
                return;
            }
            try {
                answer.answer(parser.parseFrom(bytes));
            } catch (InvalidProtocolBufferException broken) {
                answer.fail(new Failure(Failure.Code.INTERNAL, "an answer of " + to.shortText() + " cannot be read"));
            }
        });
    }

    /** A machine that stops cancels its calls, and one whose link is lost is no member: such calls may be made again elsewhere. */
    private static Failure failure(NodeId to, Throwable failed) {
        Status status = Status.fromThrowable(failed);
        String text = status.getDescription();
        boolean isGone = switch (status.getCode()) {
            case CANCELLED, UNKNOWN, UNAUTHENTICATED -> true;
            default -> false;
        };
        return Arrays.stream(Failure.Code.values())
                .filter(code -> !isGone && code.number() == status.getCode().value())
                .findFirst()
                .map(code -> new Failure(code, text == null ? "machine " + to.shortText() + " gave no reason" : text))
                .orElse(new Failure(
                        Failure.Code.UNAVAILABLE,
                        "machine " + to.shortText() + ", which serves this part, does not answer: call again"));
    }

    /** What another member asks. */
    private void asked(String method, ByteString request, Gone gone, Answer answer) {
        try {
            switch (method) {
                case "Update" -> {
                    PartUpdate update = PartUpdate.parseFrom(request);
                    local(update.getPart(), answer, host -> host.update(update.getUpdate(), answer, gone));
                }
                case "Get" -> {
                    GetParamRequest get = GetParamRequest.parseFrom(request);
                    local(get.getPart(), answer, host -> host.get(get, answer, gone));
                }
                case "Deliver" -> {
                    DeliverRequest deliver = DeliverRequest.parseFrom(request);
                    local(deliver.getPart(), answer, host -> host.delivered(deliver, answer));
                }
                case "Report" -> run(() -> answer.answer(message(report())));
                case "Save" -> saveHere(answer);
                default ->
                    answer.fail(new Failure(Failure.Code.UNIMPLEMENTED, "this version has no member method " + method));
            }
        } catch (InvalidProtocolBufferException broken) {
            answer.fail(
                    new Failure(Failure.Code.INTERNAL, "failed to decode Protobuf message: " + broken.getMessage()));
        }
    }

    private void local(int part, Answer answer, Consumer<PartHost> then) {
        if (part < 0 || part >= ServerSettings.PARTS_MAX) {
            answer.fail(new Failure(Failure.Code.INVALID_ARGUMENT, "no part has the number " + part));
        } else {
            run(() -> then.accept(host(part)));
        }
    }

    /** Asks a member, or this machine, what it has; no answer, no report. */
    void report(NodeId member, Consumer<Report> then) {
        if (member.equals(around.self())) {
            run(() -> then.accept(report()));
            return;
        }
        var _ = requests.call(member, "Report", SaveRequest.getDefaultInstance(), REPORT_TIMEOUT)
                .thenAccept(bytes -> {
                    try {
                        then.accept(report(ReportResponse.parseFrom(bytes)));
                    } catch (InvalidProtocolBufferException broken) {
                        throw new IllegalStateException("a report that cannot be read", broken);
                    }
                });
    }

    private Report report() {
        var parts = new TreeMap<Integer, Report.Part>();
        int number = Math.max(ledger.parts(), settings.parts());
        for (int part = 0; part < number; part++) {
            Report.Part file = checkpoints.newest(part);
            PartHost host = hosts.get(part);
            parts.put(
                    part,
                    new Report.Part(
                            host == null ? 0 : host.state().copyTerm(), file.checkpointTerm(), file.checkpointIndex()));
        }
        return new Report(seat.boot(), parts);
    }

    private static ReportResponse message(Report report) {
        var message = ReportResponse.newBuilder().setBoot(report.boot());
        report.parts()
                .forEach((number, part) -> message.addParts(ReportFrame.newBuilder()
                        .setPart(number)
                        .setCopyTerm(part.copyTerm())
                        .setCheckpointTerm(part.checkpointTerm())
                        .setCheckpointIndex(part.checkpointIndex())));
        return message.build();
    }

    private static Report report(ReportResponse message) {
        var parts = new TreeMap<Integer, Report.Part>();
        message.getPartsList()
                .forEach(frame -> parts.put(
                        frame.getPart(),
                        new Report.Part(frame.getCopyTerm(), frame.getCheckpointTerm(), frame.getCheckpointIndex())));
        return new Report(message.getBoot(), parts);
    }

    /**
     * Writes what changed; on the owner's thread. The future fails if a disk is full. While a round of checkpoints is being written, only one
     * more waits: its copies of the parts are made when it begins.
     */
    private CompletableFuture<List<String>> save() {
        if (!round.isDone()) {
            if (nextRound.isEmpty()) {
                nextRound = Optional.of(round.handle((_, _) -> "it ended")
                        .thenComposeAsync(
                                _ -> {
                                    nextRound = Optional.empty();
                                    return save();
                                },
                                this::run));
            }
            return nextRound.get();
        }
        round = saveNow();
        return round;
    }

    private CompletableFuture<List<String>> saveNow() {
        var files = new ArrayList<CompletableFuture<Optional<String>>>();
        hosts.forEach((part, host) -> {
            if (host.state().copyTerm() > 0) {
                files.add(checkpoints.save(part, host.state(), host.snapshot()));
            }
        });
        return CompletableFuture.allOf(files.toArray(CompletableFuture[]::new))
                .thenApply(_ -> files.stream()
                        .map(CompletableFuture::join)
                        .flatMap(Optional::stream)
                        .toList());
    }

    private void saveHere(Answer answer) {
        run(() -> {
            var _ = save().whenComplete((files, failed) -> {
                if (failed != null) {
                    Throwable cause = failed.getCause() == null ? failed : failed.getCause();
                    answer.fail(new Failure(Failure.Code.RESOURCE_EXHAUSTED, String.valueOf(cause.getMessage())));
                } else {
                    answer.answer(SaveResponse.newBuilder().addAllFiles(files).build());
                }
            });
        });
    }

    /** Has all members write checkpoints. */
    void saveAll(List<NodeId> members, Answer answer) {
        var all = new ArrayList<CompletableFuture<List<String>>>();
        for (NodeId member : members) {
            var each = new CompletableFuture<List<String>>();
            all.add(each);
            Answer one = new Answer() {
                @Override
                public void answer(MessageLite message) {
                    each.complete(
                            message instanceof SaveResponse response
                                    ? response.getFilesList().stream()
                                            .map(file -> member.shortText() + ": " + file)
                                            .toList()
                                    : List.of());
                }

                @Override
                public void fail(Failure why) {
                    each.completeExceptionally(Status.fromCodeValue(why.code().number())
                            .withDescription(why.text())
                            .asRuntimeException());
                }
            };
            if (member.equals(around.self())) {
                saveHere(one);
            } else {
                forward(
                        member,
                        "Save",
                        SaveRequest.getDefaultInstance(),
                        SaveResponse.parser(),
                        OptionalLong.empty(),
                        one,
                        new Gone());
            }
        }
        var _ = CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).whenComplete((_, failed) -> {
            if (failed != null) {
                answer.fail(failure(around.self(), failed));
            } else {
                var files = SaveResponse.newBuilder();
                all.forEach(each -> files.addAllFiles(each.join()));
                answer.answer(files.build());
            }
        });
    }

    /** What this machine knows. */
    CompletableFuture<StatusResponse> status() {
        var answer = new CompletableFuture<StatusResponse>();
        run(() -> answer.complete(statusNow()));
        return answer;
    }

    private StatusResponse statusNow() {
        PartLedger now = ledger;
        var status = StatusResponse.newBuilder()
                .setParts(now.parts())
                .setSynchronous(settings.isSynchronous())
                .addAllTrainers(now.trainers());
        now.assignments().forEach((part, assignment) -> {
            PartHost host = host(part);
            status.addPart(PartStatus.newBuilder()
                    .setPart(part)
                    .setTerm(assignment.term())
                    .setPrimary(assignment.primary().node().text())
                    .setHolder(assignment
                            .holder()
                            .map(holder -> holder.node().text())
                            .orElse(""))
                    .setRole(host.state().role().name().toLowerCase(Locale.ROOT))
                    .setInitialized(host.isInitialized())
                    .setUpdates(host.state().index())
                    .setParameters(host.parameters())
                    .addAllWarnings(checkpoints.warnings(part)));
        });
        return status.build();
    }

    void close() {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        periodic.cancel(false);
        var saved = new CompletableFuture<List<String>>();
        run(() -> {
            var _ = save().whenComplete((files, failed) -> {
                if (failed == null) {
                    saved.complete(files);
                } else {
                    saved.completeExceptionally(failed);
                }
            });
        });
        try {
            var _ = saved.get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException slow) {
            LOG.error("the last checkpoints were not written within {} s; those before them are used", CLOSE_SECONDS);
        } catch (ExecutionException full) {
            // its reason is in the log; the checkpoints before it are unchanged
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        owner.shutdownNow();
    }

    /** What parts need. */
    private final class Owner implements PartHost.Owner {
        @Override
        public boolean isSynchronous() {
            return settings.isSynchronous();
        }

        @Override
        public long nanoTime() {
            return around.clock().nanoTime();
        }

        @Override
        public QueueRoom room() {
            return room;
        }

        @Override
        public Optional<Checkpoint> load(int part, long term) {
            return checkpoints.load(part, term);
        }

        @Override
        public void send(int part, PartEffect.SendUpdate message, boolean isCopy) {
            var request = DeliverRequest.newBuilder()
                    .setPart(part)
                    .setTerm(message.term())
                    .setIndex(message.index())
                    .setCopy(isCopy)
                    .setBody(message.update())
                    .build();
            var _ = requests.call(message.holder(), "Deliver", request, DELIVER_TIMEOUT)
                    .whenComplete((bytes, failed) ->
                            run(() -> host(part).event(outcome(message.attempt(), bytes, failed))));
        }

        private static PartEvent outcome(long attempt, byte @Nullable [] bytes, @Nullable Throwable failed) {
            if (failed == null && bytes != null) {
                try {
                    DeliverResponse answer = DeliverResponse.parseFrom(bytes);
                    return new PartEvent.Answered(attempt, answer.getAccepted(), answer.getTerm());
                } catch (InvalidProtocolBufferException broken) {
                    return new PartEvent.NotAnswered(attempt);
                }
            }
            return new PartEvent.NotAnswered(attempt);
        }

        @Override
        public void wake(int part, long nanos) {
            try {
                var _ = around.timer().schedule(() -> run(() -> host(part).tick()), nanos, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException closed) {
                // the service is closed
            }
        }
    }
}

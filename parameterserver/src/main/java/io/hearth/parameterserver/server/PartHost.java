package io.hearth.parameterserver.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnsafeByteOperations;
import io.hearth.core.Step;
import io.hearth.parameterserver.checkpoint.Checkpoint;
import io.hearth.parameterserver.machine.Assignment;
import io.hearth.parameterserver.machine.PartEffect;
import io.hearth.parameterserver.machine.PartEvent;
import io.hearth.parameterserver.machine.PartMachine;
import io.hearth.parameterserver.machine.PartState;
import io.hearth.parameterserver.table.Outcome;
import io.hearth.parameterserver.table.ParameterTable;
import io.hearth.parameterserver.table.Stored;
import io.hearth.parameterserver.table.TableEncoding;
import io.hearth.parameterserver.table.TableSnapshot;
import io.hearth.parameterserver.wire.DeliverRequest;
import io.hearth.parameterserver.wire.DeliverResponse;
import io.hearth.parameterserver.wire.ElementType;
import io.hearth.parameterserver.wire.FinishInitParamsResponse;
import io.hearth.parameterserver.wire.GetParamRequest;
import io.hearth.parameterserver.wire.GetParamResponse;
import io.hearth.parameterserver.wire.InitParamResponse;
import io.hearth.parameterserver.wire.Parameter;
import io.hearth.parameterserver.wire.SendGradResponse;
import io.hearth.parameterserver.wire.TrainersFrame;
import io.hearth.parameterserver.wire.UpdateFrame;
import io.hearth.serve.Failure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One part on this machine: its table, its open calls, and the shell of its machine. All on the owner's thread. */
final class PartHost {
    private static final int WAITING_MAX = 10_000;
    private static final Set<UpdateFrame.KindCase> KINDS_OF_CALLERS =
            EnumSet.of(UpdateFrame.KindCase.INIT, UpdateFrame.KindCase.FINISH, UpdateFrame.KindCase.GRADIENT);

    /** What a part needs of the service. */
    interface Owner {
        boolean isSynchronous();

        long nanoTime();

        /** Room for updates that wait, of all parts. */
        QueueRoom room();

        /** Waits for the disk. */
        Optional<Checkpoint> load(int part, long term);

        /** Sends to the holder and reports {@link PartEvent.Answered} or {@link PartEvent.NotAnswered}. */
        void send(int part, PartEffect.SendUpdate message, boolean isCopy);

        /** Has {@link #tick} called after a time. */
        void wake(int part, long nanos);
    }

    /** An update and its caller. */
    private record Work(UpdateFrame update, Answer answer, Gone gone) {}

    /** A caller of GetParam that waits. */
    private record Reader(GetParamRequest request, Answer answer, Gone gone) {}

    private final int part;
    private final Owner owner;
    private final PartMachine machine = new PartMachine();
    private final ArrayDeque<PartEvent> events = new ArrayDeque<>();
    private final ArrayDeque<Work> queue = new ArrayDeque<>();
    private final List<Reader> readers = new ArrayList<>();
    private final Map<Long, Answer> deliveries = new HashMap<>();
    private SortedSet<String> trainers = new TreeSet<>();
    private PartState state;
    private ParameterTable table;
    private Optional<TableSnapshot> arrived = Optional.empty(); // the copy of the message that is being handled
    private @Nullable Work inFlight;
    private long calls;
    private boolean isStepping;
    private boolean isPumping;

    PartHost(int part, Assignment.Seat seat, Owner owner) {
        this.part = part;
        this.owner = owner;
        this.state = PartState.start(seat);
        this.table = new ParameterTable(owner.isSynchronous(), TableSnapshot.EMPTY);
    }

    PartState state() {
        return state;
    }

    boolean isInitialized() {
        return table.isInitialized();
    }

    int parameters() {
        return table.size();
    }

    TableSnapshot snapshot() {
        return table.snapshot();
    }

    void assigned(Assignment assignment, SortedSet<String> registered) {
        trainers = registered;
        step(new PartEvent.Assigned(assignment));
    }

    void tick() {
        step(new PartEvent.Tick());
    }

    void delivered(DeliverRequest request, Answer answer) {
        try {
            if (request.getCopy()) {
                arrived = Optional.of(TableEncoding.decode(request.getBody().toByteArray()));
            } else if (UpdateFrame.parseFrom(request.getBody()).getKindCase() == UpdateFrame.KindCase.KIND_NOT_SET) {
                throw new IllegalArgumentException("an update of an unknown kind");
            }
        } catch (IllegalArgumentException | InvalidProtocolBufferException unreadable) {
            answer.fail(new Failure(
                    Failure.Code.INVALID_ARGUMENT,
                    "this machine cannot read what it should hold of part " + part + " (" + unreadable.getMessage()
                            + "): let all machines run the same version"));
            return;
        }
        long call = ++calls;
        deliveries.put(call, answer);
        step(new PartEvent.Delivered(
                call, request.getTerm(), request.getCopy(), request.getIndex(), request.getBody()));
        arrived = Optional.empty();
    }

    /** Takes an update of a caller at its turn. */
    void update(UpdateFrame update, Answer answer, Gone gone) {
        if (!KINDS_OF_CALLERS.contains(update.getKindCase())) {
            answer.fail(new Failure(Failure.Code.INVALID_ARGUMENT, "no caller makes an update of this kind"));
            return;
        }
        if (!state.isServing()) {
            answer.fail(notServing());
            return;
        }
        int size = update.getSerializedSize();
        if (queue.size() >= WAITING_MAX || !owner.room().take(size)) {
            answer.fail(new Failure(
                    Failure.Code.RESOURCE_EXHAUSTED,
                    queue.size() + " updates wait for part " + part + " already, and "
                            + owner.room().taken() + " bytes for all parts of this machine: call again later"));
            return;
        }
        queue.add(new Work(update, answer, gone));
        pump();
    }

    /** Answers once the parameter is there, in the version that is asked for. */
    void get(GetParamRequest request, Answer answer, Gone gone) {
        if (!state.isServing()) {
            answer.fail(notServing());
        } else if (!answered(new Reader(request, answer, gone))) {
            readers.removeIf(reader -> reader.gone().isSet());
            if (readers.size() >= WAITING_MAX) {
                answer.fail(new Failure(
                        Failure.Code.RESOURCE_EXHAUSTED, WAITING_MAX + " calls wait for part " + part + " already"));
            } else {
                readers.add(new Reader(request, answer, gone));
            }
        }
    }

    private boolean answered(Reader reader) {
        if (!table.isInitialized() || reader.gone().isSet()) {
            return reader.gone().isSet();
        }
        String name = reader.request().getName();
        Optional<Stored> found = table.find(name);
        if (found.isEmpty()) {
            reader.answer().fail(new Failure(Failure.Code.NOT_FOUND, "parameter: " + name + " does not exist"));
            return true;
        }
        Stored stored = found.get();
        boolean isAwaited = table.awaits(stored, reader.request().getTrainer());
        if (stored.version() < reader.request().getVersionMin() && !isAwaited) {
            return false;
        }
        var values = stored.state().values();
        reader.answer()
                .answer(GetParamResponse.newBuilder()
                        .setVersion(stored.version())
                        .setAwaitsTrainer(isAwaited)
                        .setParam(Parameter.newBuilder()
                                .setName(name)
                                .setElementType(
                                        ElementType.forNumber(values.type().number()))
                                .setContent(UnsafeByteOperations.unsafeWrap(values.bytes())))
                        .build());
        return true;
    }

    private Failure notServing() {
        return new Failure(
                Failure.Code.UNAVAILABLE,
                "this machine takes part " + part + " over, or gives it away, at this moment: call again");
    }

    private void step(PartEvent event) {
        events.add(event);
        if (isStepping) {
            return;
        }
        isStepping = true;
        try {
            while (!events.isEmpty()) {
                Step<PartState, PartEffect> step = machine.step(state, events.remove(), owner.nanoTime());
                state = step.state();
                step.effects().forEach(this::carryOut);
            }
        } finally {
            isStepping = false;
        }
        long sleep = machine.sleepNanos(state, owner.nanoTime());
        if (sleep < Long.MAX_VALUE) {
            owner.wake(part, sleep);
        }
        pump();
    }

    void event(PartEvent event) {
        step(event);
    }

    private void carryOut(PartEffect effect) {
        switch (effect) {
            case PartEffect.Load(long term) -> {
                Optional<Checkpoint> found = owner.load(part, term - 1);
                table = new ParameterTable(
                        owner.isSynchronous(),
                        found.map(checkpoint -> TableEncoding.decode(checkpoint.content()))
                                .orElse(TableSnapshot.EMPTY));
                events.add(
                        new PartEvent.Loaded(term, found.map(Checkpoint::index).orElse(0L)));
            }
            case PartEffect.Install(ByteString copy) ->
                table = new ParameterTable(
                        owner.isSynchronous(), arrived.orElseGet(() -> TableEncoding.decode(copy.toByteArray())));
            case PartEffect.Apply(ByteString update) -> apply(update);
            case PartEffect.SendCopy(var attempt, var holder, var term, var index) ->
                owner.send(
                        part,
                        new PartEffect.SendUpdate(
                                attempt,
                                holder,
                                term,
                                index,
                                UnsafeByteOperations.unsafeWrap(TableEncoding.encode(table.snapshot()))),
                        true);
            case PartEffect.SendUpdate message -> owner.send(part, message, false);
            case PartEffect.Reply(long call, boolean isAccepted, long term) -> {
                Answer answer = deliveries.remove(call);
                if (answer != null) {
                    answer.answer(DeliverResponse.newBuilder()
                            .setAccepted(isAccepted)
                            .setTerm(term)
                            .build());
                }
            }
            case PartEffect.Stopped _ -> stopped();
        }
    }

    private void stopped() {
        if (state.copyTerm() == 0) {
            table = new ParameterTable(owner.isSynchronous(), TableSnapshot.EMPTY);
        }
        var why = new Failure(
                Failure.Code.UNAVAILABLE,
                "another machine serves part " + part
                        + " now: call again; a gradient with a trainer and a sequence is not applied twice");
        if (inFlight != null) {
            inFlight.answer().fail(why);
            inFlight = null;
        }
        queue.forEach(work -> {
            owner.room().give(work.update().getSerializedSize());
            work.answer().fail(why);
        });
        queue.clear();
        readers.forEach(reader -> reader.answer().fail(why));
        readers.clear();
    }

    private void apply(ByteString bytes) {
        Outcome outcome;
        try {
            outcome = table.apply(UpdateFrame.parseFrom(bytes));
        } catch (InvalidProtocolBufferException impossible) {
            throw new IllegalStateException("an update that was read before", impossible);
        }
        Work work = inFlight;
        inFlight = null;
        if (work != null && state.role() == PartState.Role.PRIMARY) {
            answer(work, outcome);
        }
        readers.removeIf(this::answered);
    }

    /** Begins updates while it can. */
    private void pump() {
        if (isPumping) {
            return;
        }
        isPumping = true;
        try {
            beginUpdates();
        } finally {
            isPumping = false;
        }
    }

    private void beginUpdates() {
        while (!isStepping && state.canPropose()) {
            if (owner.isSynchronous() && !table.trainers().equals(trainers)) {
                propose(UpdateFrame.newBuilder()
                        .setTrainers(TrainersFrame.newBuilder().addAllTrainers(trainers))
                        .build());
                continue;
            }
            Work work = queue.poll();
            if (work == null) {
                return;
            }
            owner.room().give(work.update().getSerializedSize());
            if (work.gone().isSet()) {
                continue;
            }
            Optional<Outcome> known = table.check(work.update());
            if (known.isPresent()) {
                answer(work, known.get());
            } else {
                inFlight = work;
                propose(work.update());
            }
        }
    }

    private void propose(UpdateFrame update) {
        step(new PartEvent.Propose(update.toByteString()));
    }

    private static void answer(Work work, Outcome outcome) {
        switch (outcome) {
            case Outcome.Refused(Failure why) -> work.answer().fail(why);
            case Outcome.Taken taken -> work.answer().answer(message(work.update(), taken));
        }
    }

    private static MessageLite message(UpdateFrame update, Outcome.Taken taken) {
        return switch (update.getKindCase()) {
            case INIT -> InitParamResponse.getDefaultInstance();
            case FINISH -> FinishInitParamsResponse.getDefaultInstance();
            case GRADIENT ->
                SendGradResponse.newBuilder()
                        .setVersion(taken.version())
                        .setApplied(taken.isApplied())
                        .setRepeat(taken.isRepeat())
                        .build();
            case TRAINERS, KIND_NOT_SET -> throw new IllegalStateException("no call");
        };
    }
}

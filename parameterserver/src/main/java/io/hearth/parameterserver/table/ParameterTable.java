package io.hearth.parameterserver.table;

import io.hearth.parameterserver.Sizes;
import io.hearth.parameterserver.gradient.Gradients;
import io.hearth.parameterserver.optimize.Optimizer;
import io.hearth.parameterserver.optimize.OptimizerSettings;
import io.hearth.parameterserver.optimize.OptimizerState;
import io.hearth.parameterserver.wire.SendGradRequest;
import io.hearth.parameterserver.wire.UpdateFrame;
import io.hearth.serve.Failure;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The parameters of one part. Updates are applied whole, one at a time; the same updates make the same table, bit for bit. What {@link
 * #find} and {@link #snapshot} give does not change afterwards, so a reader never sees half an update. One thread at a time.
 */
public final class ParameterTable {
    private final boolean isSynchronous;
    private final SortedMap<String, Stored> parameters;
    private SortedSet<String> trainers;
    private boolean isInitialized;
    private String finisher;
    private long bytes;
    private long pendingBytes;

    /** A table that goes on from a snapshot. */
    public ParameterTable(boolean isSynchronous, TableSnapshot start) {
        this.isSynchronous = isSynchronous;
        this.parameters = new TreeMap<>(start.parameters());
        this.trainers = start.trainers();
        this.isInitialized = start.isInitialized();
        this.finisher = start.finisher();
        parameters.values().forEach(stored -> {
            bytes += bytes(stored);
            pendingBytes += pendingBytes(stored);
        });
    }

    /** This table now. */
    public TableSnapshot snapshot() {
        return new TableSnapshot(isInitialized, finisher, trainers, parameters);
    }

    public boolean isInitialized() {
        return isInitialized;
    }

    /** The trainers whose gradients make a step. */
    public SortedSet<String> trainers() {
        return trainers;
    }

    /** The number of parameters. */
    public int size() {
        return parameters.size();
    }

    /** A parameter, if there is one of this name. */
    public Optional<Stored> find(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /** Whether the gradient of this trainer is missing in a step for which others have sent theirs. */
    public boolean awaits(Stored stored, String trainer) {
        return trainers.contains(trainer)
                && !stored.pending().isEmpty()
                && !stored.pending().containsKey(trainer);
    }

    /** What {@link #apply} would answer without a change of the table; empty if it would change it. */
    public Optional<Outcome> check(UpdateFrame update) {
        return switch (update.getKindCase()) {
            case INIT ->
                InitChecks.check(update.getInit(), isInitialized, parameters, bytes)
                        .map(Outcome.Refused::new);
            case FINISH -> checkFinish(update.getFinish().getTrainer());
            case GRADIENT ->
                GradientChecks.check(
                                update.getGradient(),
                                isInitialized,
                                Optional.ofNullable(parameters.get(
                                        update.getGradient().getGradient().getName())),
                                isSynchronous ? Optional.of(trainers) : Optional.empty())
                        .or(() -> checkRoom(update.getGradient()));
            case TRAINERS -> Optional.empty();
            case KIND_NOT_SET ->
                Optional.of(new Outcome.Refused(new Failure(
                        Failure.Code.INVALID_ARGUMENT, "an update of a kind that this version does not know")));
        };
    }

    private Optional<Outcome> checkRoom(SendGradRequest request) {
        boolean hasRoom = !isSynchronous
                || bytes + pendingBytes + request.getGradient().getContent().size() <= Sizes.TABLE_BYTES_MAX;
        return hasRoom
                ? Optional.empty()
                : Optional.of(new Outcome.Refused(new Failure(
                        Failure.Code.RESOURCE_EXHAUSTED,
                        "gradients of " + pendingBytes + " bytes wait for other trainers: use more parts, or wait")));
    }

    private Optional<Outcome> checkFinish(String trainer) {
        if (!isInitialized) {
            return Optional.empty();
        }
        return Optional.of(
                !trainer.isEmpty() && trainer.equals(finisher)
                        ? new Outcome.Taken(0, true, true)
                        : new Outcome.Refused(InitChecks.ALREADY));
    }

    /** Applies an update. */
    public Outcome apply(UpdateFrame update) {
        Optional<Outcome> known = check(update);
        if (known.isPresent()) {
            return known.get();
        }
        return switch (update.getKindCase()) {
            case INIT -> {
                var init = update.getInit();
                var values = InitChecks.values(init.getParam());
                var stored = new Stored(
                        OptimizerState.start(OptimizerSettings.of(init.getConfig()), values),
                        new TreeMap<>(),
                        new TreeMap<>());
                Stored before = parameters.put(init.getParam().getName(), stored);
                bytes += bytes(stored) - (before == null ? 0 : bytes(before));
                yield new Outcome.Taken(0, true, false);
            }
            case FINISH -> {
                isInitialized = true;
                finisher = update.getFinish().getTrainer();
                yield new Outcome.Taken(0, true, false);
            }
            case TRAINERS -> {
                trainers = new TreeSet<>(update.getTrainers().getTrainersList());
                parameters.replaceAll((_, stored) -> completed(stored));
                pendingBytes = 0;
                parameters.values().forEach(stored -> pendingBytes += pendingBytes(stored));
                yield new Outcome.Taken(0, true, false);
            }
            case GRADIENT -> gradient(update.getGradient());
            case KIND_NOT_SET -> throw new IllegalStateException("checked before");
        };
    }

    private Outcome gradient(SendGradRequest request) {
        String name = request.getGradient().getName();
        Stored before = parameters.get(name);
        if (before == null) {
            throw new IllegalStateException("checked before");
        }
        long version = before.version() + 1;
        var seen = new TreeMap<>(before.seen());
        if (!request.getTrainer().isEmpty()) {
            seen.put(request.getTrainer(), new Stored.Seen(request.getSequence(), version));
            if (seen.size() > Sizes.TRAINERS_MAX) {
                seen.entrySet().stream()
                        .min(Comparator.comparingLong(entry -> entry.getValue().version()))
                        .map(Map.Entry::getKey)
                        .ifPresent(seen::remove);
            }
        }
        Stored after;
        if (isSynchronous) {
            var pending = new TreeMap<>(before.pending());
            pending.put(
                    request.getTrainer(),
                    new Stored.Pending(
                            request.getEncoding(), request.getGradient().getContent()));
            after = completed(new Stored(before.state(), seen, pending));
        } else {
            double[] numbers = Gradients.decode(
                    request.getEncoding(),
                    before.state().values().type(),
                    before.state().values().size(),
                    request.getGradient().getContent());
            after = new Stored(Optimizer.update(before.state(), numbers), seen, before.pending());
        }
        parameters.put(name, after);
        pendingBytes += pendingBytes(after) - pendingBytes(before);
        return new Outcome.Taken(version, after.version() >= version, false);
    }

    /** Applies the mean of the step's gradients if no trainer is missing. A trainer that left still counts with what it sent. */
    private Stored completed(Stored stored) {
        if (stored.pending().isEmpty() || !stored.pending().keySet().containsAll(trainers)) {
            return stored;
        }
        var values = stored.state().values();
        double[] sum = new double[values.size()];
        for (Stored.Pending pending :
                stored.pending().values()) { // in the order of names: the same sum for any order of arrival
            double[] numbers = Gradients.decode(pending.encoding(), values.type(), values.size(), pending.content());
            for (int i = 0; i < sum.length; i++) {
                sum[i] += numbers[i];
            }
        }
        int count = stored.pending().size();
        for (int i = 0; i < sum.length; i++) {
            sum[i] /= count;
        }
        return new Stored(Optimizer.update(stored.state(), sum), stored.seen(), new TreeMap<>());
    }

    private static long pendingBytes(Stored stored) {
        return stored.pending().values().stream()
                .mapToLong(pending -> pending.content().size())
                .sum();
    }

    private static long bytes(Stored stored) {
        return OptimizerState.bytes(
                stored.state().settings(), stored.state().values().bytes().length);
    }
}

package io.hearth.collective.engine;

import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.CompressionChoice;
import io.hearth.collective.Signature;
import io.hearth.collective.Tensor;
import io.hearth.collective.call.CallPlan;
import io.hearth.collective.call.CallRequest;
import io.hearth.collective.choice.CodecCost;
import io.hearth.collective.choice.CodecDecision;
import io.hearth.collective.choice.CodecMeasurements;
import io.hearth.collective.choice.SizeVotes;
import io.hearth.collective.choice.SumModel;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.sum.SumPlans;
import io.hearth.collective.sum.TensorBucket;
import io.hearth.collective.sum.compressed.CompressionMemories;
import io.hearth.collective.sum.timing.CodecVote;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.CompressionStrategy.Auto;
import io.hearth.compression.CompressionStrategy.Coded;
import io.hearth.compression.memory.ErrorFeedback;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sums whose codec the group chooses. For each size of tensor the members vote from time to time, in a separate call. The decision
 * holds for the next sums of exactly that size. A sum of half as many values takes another time, which would look like a changed
 * link. The cost of codecs is measured in the background, so that no sum waits for it.
 *
 * <p>All members make the same calls, so they vote at the same calls as long as they remember the same votes. All members forget
 * their votes at the same points: when a call is rejected, which all ranks learn; when the members are not those that voted; and
 * when a step begins at which a member joins or returns.
 *
 * <p>For the calling thread, except {@link #choices}.
 */
final class AutoSums {
    /** Most sizes with remembered votes. At one more, all ranks alike forget all of them. */
    static final int SIZES_MAX = 1024;

    private static final Coded NONE = new CompressionStrategy.None();
    private static final Logger LOG = LoggerFactory.getLogger(AutoSums.class);

    private final SumPlans plans;
    private final CompressionMemories memories;
    private final Buffers buffers;
    private final CallAdmission admission;
    private final Clock clock;
    private final SumModel model;
    private final Function<List<Coded>, List<CodecCost>> costs;
    private final Map<Size, SizeVotes> sizes = new HashMap<>();
    private boolean hasSummed; // codecs are timed after the first sum, so that they do not slow it down
    private final Map<Size, CompressionChoice> choices =
            new ConcurrentHashMap<>(); // written by the calling thread, read by any

    /** Creates the sums; {@code costs} gives the costs of codecs on this machine, none while they are being measured. */
    AutoSums(
            SumPlans plans,
            CompressionMemories memories,
            Buffers buffers,
            CallAdmission admission,
            CollectiveConfig config,
            Clock clock,
            Function<List<Coded>, List<CodecCost>> costs) {
        this.plans = plans;
        this.memories = memories;
        this.buffers = buffers;
        this.admission = admission;
        this.clock = clock;
        this.model = new SumModel(config.links().alphaNanos());
        this.costs = costs;
    }

    /** The key of a vote: sums of {@code count} values. */
    private record Size(Auto asked, long count) {}

    /**
     * Sums float32 values.
     *
     * @param how options of the call, whose compression is {@code auto}
     * @param bucket the bucket of a list, if the values are one
     */
    CollectiveResult reduce(
            Auto auto,
            MemorySegment input,
            MemorySegment target,
            ReduceOp op,
            CollectiveOptions how,
            Optional<TensorBucket> bucket)
            throws CollectiveException {
        long count = Tensor.elements(input, DataType.FLOAT32);
        Tensor.requireUsable(input); // checked before the vote, in which all ranks must take part
        Tensor.requireWritable(target);
        if (count * Float.BYTES < CodecDecision.BYTES_MIN || auto.allowed().isEmpty()) {
            CallPlan plan = plans.plan(count, DataType.FLOAT32, op, how.as(NONE), bucket);
            return admission.run(new CallRequest(plan, input, target), how);
        }
        long due = admission.due(how);
        var size = new Size(auto, count);
        forgetIfFull(size);
        SizeVotes votes =
                sizes.computeIfAbsent(size, _ -> new SizeVotes(auto.allowed().size()));
        if (votes.isDue()) {
            vote(size, votes, admission.until(due, how), bucket);
        }
        long started = clock.nanoTime();
        CollectiveResult result = play(auto, votes, input, target, op, admission.until(due, how), bucket);
        hasSummed = true;
        if (result.contributors() == votes.members()) {
            votes.took(clock.nanoTime() - started);
        }
        return result;
    }

    private void forgetIfFull(Size size) {
        if (sizes.size() >= SIZES_MAX && !sizes.containsKey(size)) {
            sizes.clear();
            choices.clear();
        }
    }

    private void vote(Size size, SizeVotes votes, CollectiveOptions how, Optional<TensorBucket> bucket)
            throws CollectiveException {
        Auto auto = size.asked();
        CodecMeasurements ballot = votes.ballot(size.count(), hasSummed ? costs.apply(auto.allowed()) : List.of());
        var made = MemorySegment.ofArray(
                new byte[CodecDecision.bytes(auto.allowed().size())]);
        var plan = new CallPlan(
                Signature.choice(auto, size.count(), made.byteSize()),
                new CodecVote(votes.decision(), ballot, model, buffers));
        int members = admission
                .run(CallRequest.inPlace(plan.of(bucket.map(TensorBucket::list)), made), how)
                .contributors();
        try {
            votes.decided(CodecDecision.readFrom(made, auto.allowed().size()), members);
        } catch (MalformedMessageException malformed) {
            throw new CollectiveException(
                    "malformed choice of a codec from a member: " + malformed.getMessage()
                            + "; restart the job with one version of Hearth everywhere",
                    malformed);
        }
        if (members == 1) {
            choices.remove(size);
        } else if (!Double.isNaN(votes.decision().expected())) {
            publish(size, votes);
        }
    }

    private void publish(Size size, SizeVotes votes) {
        CodecDecision decision = votes.decision();
        var choice = new CompressionChoice(
                size.asked().text(),
                size.count() * Float.BYTES,
                votes.members(),
                codec(size.asked(), decision.settled()).text(),
                decision.expected(),
                decision.expectedPlain(model, votes.members(), size.count()));
        CompressionChoice before = choices.put(size, choice);
        if (before == null || !before.chosen().equals(choice.chosen()) || before.world() != choice.world()) {
            LOG.info("{}", choice.text());
        }
    }

    private static Coded codec(Auto auto, int chosen) {
        return chosen == 0 ? NONE : auto.allowed().get(chosen - 1);
    }

    /** Sums with the chosen codec. Outside a trial it adds the residuals that other codecs hold for this tensor. */
    private CollectiveResult play(
            Auto auto,
            SizeVotes votes,
            MemorySegment input,
            MemorySegment target,
            ReduceOp op,
            CollectiveOptions how,
            Optional<TensorBucket> bucket)
            throws CollectiveException {
        long count = Tensor.elements(input, DataType.FLOAT32);
        Coded codec = codec(auto, votes.decision().chosen());
        CallPlan plan = plans.plan(count, DataType.FLOAT32, op, how.as(codec), bucket);
        String tensor = SumPlans.key(how, count);
        List<ErrorFeedback> others =
                !votes.decision().isTrial() ? memories.withResidual(tensor, count, codec) : List.of();
        if (others.isEmpty()) {
            return admission.run(new CallRequest(plan, input, target), how, votes::ended);
        }
        Buffers.Buffer whole = buffers.take(input.byteSize());
        try {
            MemorySegment.copy(input, 0, whole.bytes(), 0, input.byteSize());
            others.forEach(other -> other.addResidual(tensor, whole.bytes(), count));
            CollectiveResult result = admission.run(CallRequest.inPlace(plan, whole.bytes()), how, members -> {
                votes.ended(members);
                others.forEach(other -> other.forget(tensor));
            });
            MemorySegment.copy(whole.bytes(), 0, target, 0, target.byteSize());
            return result;
        } finally {
            buffers.give(whole);
        }
    }

    /** Forgets all votes, here as on all other ranks. */
    void forgetVotes() {
        sizes.clear();
    }

    /** The last choice for each size; from any thread. */
    List<CompressionChoice> choices() {
        return choices.values().stream()
                .sorted(Comparator.comparing(CompressionChoice::asked).thenComparingLong(CompressionChoice::bytes))
                .toList();
    }
}

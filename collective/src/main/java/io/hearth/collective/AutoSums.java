package io.hearth.collective;

import io.hearth.collective.choice.CodecBallot;
import io.hearth.collective.choice.CodecCost;
import io.hearth.collective.choice.CodecDecision;
import io.hearth.collective.choice.SumModel;
import io.hearth.collective.choice.SumTimes;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.CompressionStrategy.Auto;
import io.hearth.compression.CompressionStrategy.Coded;
import io.hearth.compression.ErrorFeedback;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sums whose codec the group chooses. For each size of tensor (a power of two) the members vote now and then, in a number of its own, and
 * what comes out holds for the next so many sums of that size. The sum right after a vote is timed: all begin it together.
 *
 * <p>All members make the same calls, so they vote at the same ones, as long as they remember the same votes. They forget them all together:
 * when a number ends with a refusal, which all hear of; when the members are others than those that voted; and with the beginning of a
 * step at which somebody comes to the group or comes back.
 *
 * <p>For the thread that calls, but for {@link #choices}.
 */
final class AutoSums {
    /** Smaller sums are plain: latency is most of what they take. */
    static final long BYTES_MIN = 128 * 1024;

    private static final Coded NONE = new CompressionStrategy.None();
    private static final Logger LOG = LoggerFactory.getLogger(AutoSums.class);

    private final SumPlans plans;
    private final CompressionMemories memories;
    private final Buffers buffers;
    private final CallRunner runner;
    private final Clock clock;
    private final SumModel model;
    private final Function<Coded, CodecCost> costs;
    private final Map<Auto, List<CodecCost>> known = new HashMap<>();
    private final Map<Size, Slot> slots = new HashMap<>();
    private final Map<Size, CompressionChoice> choices = new ConcurrentHashMap<>(); // written here, read by anybody

    /** {@code costs} of codecs on this machine. */
    AutoSums(
            SumPlans plans,
            CompressionMemories memories,
            Buffers buffers,
            CallRunner runner,
            CollectiveConfig config,
            Clock clock,
            Function<Coded, CodecCost> costs) {
        this.plans = plans;
        this.memories = memories;
        this.buffers = buffers;
        this.runner = runner;
        this.clock = clock;
        this.model = new SumModel(config.links().alphaNanos());
        this.costs = costs;
    }

    /**
     * Tensors that share a choice.
     *
     * @param bits of the number of values
     */
    private record Size(Auto asked, int bits) {
        static Size of(Auto auto, long count) {
            return new Size(auto, Long.SIZE - Long.numberOfLeadingZeros(count));
        }
    }

    /** What holds for one size. */
    private static final class Slot {
        private final SumTimes times;
        private CodecDecision decision = new CodecDecision(0, 1, 0, CodecDecision.Kind.RESTART, Double.NaN, Double.NaN);
        private int left; // sums until the next vote
        private int current; // what was settled on last
        private int world;

        Slot(int codecs) {
            times = new SumTimes(codecs);
        }

        void decided(CodecDecision made, int members) {
            switch (made.kind()) {
                case SETTLED -> current = made.chosen();
                case RESTART -> {
                    current = 0;
                    times.forget();
                }
                case TRIAL -> {
                    // what is used in the end is another question
                }
            }
            decision = made;
            left = made.calls();
            world = members;
        }

        boolean hasMoved() {
            return decision.isOver(times.nanos(decision.chosen()));
        }
    }

    /**
     * Sums float32 values.
     *
     * @param how with the caller's compression, which is {@code auto} here
     */
    CollectiveResult reduce(Auto auto, MemorySegment input, MemorySegment target, ReduceOp op, CollectiveOptions how)
            throws CollectiveException {
        long count = Tensors.elements(input, DataType.FLOAT32);
        Tensors.demandUsable(input); // before this rank alone votes, or does not
        Tensors.demandWritable(target);
        if (count * Float.BYTES < BYTES_MIN || auto.allowed().isEmpty()) {
            Plan plan = plans.plan(count, DataType.FLOAT32, op, how.as(NONE));
            return runner.run(new Asked(plan, input, target), how);
        }
        known.computeIfAbsent(auto, _ -> auto.allowed().stream().map(costs).toList()); // no part of the caller's time
        long due = runner.due(how);
        Size size = Size.of(auto, count);
        Slot slot = slots.computeIfAbsent(size, _ -> new Slot(auto.allowed().size()));
        boolean isTimed = slot.left == 0;
        if (isTimed) {
            vote(size, slot, count, within(how, due));
        }
        int chosen = slot.decision.chosen();
        long started = clock.nanoTime();
        CollectiveResult result = play(auto, slot, input, target, op, within(how, due));
        if (isTimed && result.contributors() == slot.world) {
            slot.times.took(chosen, clock.nanoTime() - started);
        }
        return result;
    }

    private CollectiveOptions within(CollectiveOptions how, long due) {
        return how.within(Duration.ofNanos(Math.max(1, due - clock.nanoTime())));
    }

    private void vote(Size size, Slot slot, long count, CollectiveOptions how) throws CollectiveException {
        Auto auto = size.asked();
        List<CodecCost> ownCosts = known.getOrDefault(auto, List.of());
        var ballot = new CodecBallot(
                count, slot.current, slot.decision.round(), slot.hasMoved(), slot.times.nanos(), ownCosts);
        MemorySegment made = MemorySegment.ofArray(new byte[CodecDecision.BYTES]);
        var plan = new Plan(
                Signature.choice(auto, size.bits(), CodecDecision.BYTES), new CodecVote(ballot, model, buffers));
        int members = runner.run(Asked.inPlace(plan, made), how).contributors();
        CodecDecision decision = CodecDecision.readFrom(made);
        if (!decision.isAmong(auto.allowed().size())) {
            throw new CollectiveException("a member passed on a choice among "
                    + auto.allowed().size() + " codecs that is none: " + decision
                    + "; restart the job with one version of Hearth everywhere");
        }
        slot.decided(decision, members);
        if (decision.kind() == CodecDecision.Kind.SETTLED) {
            tell(size, slot, count);
        }
    }

    private void tell(Size size, Slot slot, long count) {
        CodecDecision decision = slot.decision;
        var choice = new CompressionChoice(
                size.asked().text(),
                count * Float.BYTES,
                slot.world,
                codec(size.asked(), decision.chosen()).text(),
                decision.nanos(),
                decision.plainNanos());
        CompressionChoice before = choices.put(size, choice);
        if (before == null || !before.chosen().equals(choice.chosen()) || before.world() != choice.world()) {
            LOG.info("{}", choice.text());
        }
    }

    private static Coded codec(Auto auto, int chosen) {
        return chosen == 0 ? NONE : auto.allowed().get(chosen - 1);
    }

    /** Sums with the chosen codec. Once it is settled, what other codecs owe to this tensor goes along. */
    private CollectiveResult play(
            Auto auto, Slot slot, MemorySegment input, MemorySegment target, ReduceOp op, CollectiveOptions how)
            throws CollectiveException {
        long count = Tensors.elements(input, DataType.FLOAT32);
        Coded codec = codec(auto, slot.decision.chosen());
        Plan plan = plans.plan(count, DataType.FLOAT32, op, how.as(codec));
        String tensor = SumPlans.key(how, count);
        List<ErrorFeedback> others =
                slot.decision.kind() == CodecDecision.Kind.SETTLED ? memories.owing(tensor, count, codec) : List.of();
        if (others.isEmpty()) {
            return runner.run(new Asked(plan, input, target), how, members -> ended(slot, members));
        }
        Buffers.Buffer whole = buffers.take(input.byteSize());
        try {
            MemorySegment.copy(input, 0, whole.bytes(), 0, input.byteSize());
            others.forEach(other -> other.addOwed(tensor, whole.bytes(), count));
            CollectiveResult result = runner.run(Asked.inPlace(plan, whole.bytes()), how, members -> {
                ended(slot, members);
                others.forEach(other -> other.forget(tensor));
            });
            MemorySegment.copy(whole.bytes(), 0, target, 0, target.byteSize());
            return result;
        } finally {
            buffers.give(whole);
        }
    }

    /** A sum has a result on all ranks, whatever becomes of it here. */
    private static void ended(Slot slot, int members) {
        if (members == slot.world) {
            slot.left--;
        } else { // all that was seen was among others
            slot.left = 0;
            slot.current = 0;
            slot.times.forget();
        }
    }

    /** Nothing that was voted holds any more, here as on all other ranks. */
    void forgetVotes() {
        slots.clear();
    }

    /** What was settled last, by size; from any thread. */
    List<CompressionChoice> choices() {
        return choices.values().stream()
                .sorted(Comparator.comparing(CompressionChoice::asked).thenComparingLong(CompressionChoice::bytes))
                .toList();
    }
}

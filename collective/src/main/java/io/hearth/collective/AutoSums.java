package io.hearth.collective;

import io.hearth.collective.choice.CodecBallot;
import io.hearth.collective.choice.CodecCost;
import io.hearth.collective.choice.CodecDecision;
import io.hearth.collective.choice.SumHistory;
import io.hearth.collective.choice.SumModel;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.CompressionStrategy.Auto;
import io.hearth.compression.CompressionStrategy.Coded;
import io.hearth.compression.ErrorFeedback;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sums whose codec the group chooses. For each size of tensor (a power of two) the members vote now and then, in a number of its own, and
 * what comes out holds for the next so many sums of that size.
 *
 * <p>All members make the same calls, so they vote at the same ones, as long as they remember the same votes. Who comes to a group, or
 * comes back, does so with the beginning of a step, where all forget them.
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
    private final SumHistory history;
    private final Function<Coded, CodecCost> costs;
    private final Map<Size, Slot> slots = new HashMap<>();
    private final SortedMap<Size, CompressionChoice> choices =
            new ConcurrentSkipListMap<>(); // written here, read by anybody

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
        this.history = new SumHistory(model);
        this.costs = costs;
    }

    /**
     * Tensors that share a choice.
     *
     * @param asked text of what chooses
     * @param bits of the number of values
     */
    private record Size(String asked, int bits) implements Comparable<Size> {
        static Size of(Auto auto, long count) {
            return new Size(auto.text(), Long.SIZE - Long.numberOfLeadingZeros(count));
        }

        @Override
        public int compareTo(Size that) {
            int order = asked.compareTo(that.asked);
            return order == 0 ? Integer.compare(bits, that.bits) : order;
        }
    }

    /** What holds for one size. */
    private static final class Slot {
        private CodecDecision decision = new CodecDecision(0, 1, Double.NaN, Double.NaN, Double.NaN);
        private int left; // sums until the next vote
        private int current; // what was chosen last, but for a probe
        private int round;
        private int world;

        void decided(CodecDecision made, int members) {
            decision = made;
            left = made.calls();
            current = made.isProbe() ? current : made.chosen();
            round++;
            world = members;
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
        long due = runner.due(how);
        if (count * Float.BYTES < BYTES_MIN || auto.allowed().isEmpty()) {
            return play(auto, NONE, input, target, op, how);
        }
        Slot slot = slots.computeIfAbsent(Size.of(auto, count), _ -> new Slot());
        if (slot.left == 0) {
            vote(auto, slot, count, within(how, due));
        }
        int world = slot.world;
        Coded codec = codec(auto, slot.decision.chosen());
        long started = clock.nanoTime();
        CollectiveResult result = play(auto, codec, input, target, op, within(how, due));
        long took = clock.nanoTime() - started;
        // Not reached by a sum that fails: it fails on all ranks, or this one is out of the group.
        slot.left = result.contributors() == world ? slot.left - 1 : 0;
        if (result.contributors() != world) {
            return result;
        }
        if (codec.equals(NONE)) {
            history.plainTook(world, count, took);
        } else {
            history.encodedTook(codec.text(), costs.apply(codec), world, count, took);
        }
        return result;
    }

    private CollectiveOptions within(CollectiveOptions how, long due) {
        return how.within(Duration.ofNanos(Math.max(1, due - clock.nanoTime())));
    }

    private void vote(Auto auto, Slot slot, long count, CollectiveOptions how) throws CollectiveException {
        var codecs = new ArrayList<CodecBallot.Codec>();
        for (Coded codec : auto.allowed()) {
            codecs.add(new CodecBallot.Codec(costs.apply(codec), history.ratio(codec.text())));
        }
        var ballot = new CodecBallot(count, slot.current, slot.round, history.nanosPerByte(), codecs);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment made = arena.allocate(CodecDecision.BYTES);
            var plan = new Plan(Signature.choice(auto, CodecDecision.BYTES), new CodecVote(ballot, model, buffers));
            int members = runner.run(Asked.inPlace(plan, made), how).contributors();
            CodecDecision decision = CodecDecision.readFrom(made);
            if (!decision.isAmong(codecs.size())) {
                throw new CollectiveException(
                        "a member passed on a choice among " + codecs.size() + " codecs that is none: " + decision
                                + "; restart the job with one version of Hearth everywhere");
            }
            int before = slot.current;
            slot.decided(decision, members);
            if (!decision.isProbe()) {
                tell(auto, slot, count, before);
            }
        }
    }

    private void tell(Auto auto, Slot slot, long count, int before) {
        CodecDecision decision = slot.decision;
        var choice = new CompressionChoice(
                auto.text(),
                count * Float.BYTES,
                slot.world,
                codec(auto, decision.chosen()).text(),
                decision.nanos(),
                decision.plainNanos(),
                decision.nanosPerByte());
        choices.put(Size.of(auto, count), choice);
        if (decision.chosen() != before) {
            LOG.info("{}", choice.text());
        }
    }

    private static Coded codec(Auto auto, int chosen) {
        return chosen == 0 ? NONE : auto.allowed().get(chosen - 1);
    }

    /** Sums with a codec, together with what other codecs still owe to this tensor. */
    private CollectiveResult play(
            Auto auto, Coded codec, MemorySegment input, MemorySegment target, ReduceOp op, CollectiveOptions how)
            throws CollectiveException {
        long count = Tensors.elements(input, DataType.FLOAT32);
        Plan plan = plans.plan(count, DataType.FLOAT32, op, how.as(codec));
        String tensor = SumPlans.key(how, count);
        List<ErrorFeedback> others = auto.allowed().stream()
                .filter(other -> !other.equals(codec))
                .flatMap(other -> memories.known(other).stream())
                .filter(other -> other.owes(tensor, count))
                .toList();
        if (others.isEmpty()) {
            return runner.run(new Asked(plan, input, target), how);
        }
        Buffers.Buffer whole = buffers.take(input.byteSize());
        try {
            MemorySegment.copy(input, 0, whole.bytes(), 0, input.byteSize());
            others.forEach(other -> other.addOwed(tensor, whole.bytes(), count));
            CollectiveResult result = runner.run(Asked.inPlace(plan, whole.bytes()), how);
            others.forEach(other -> other.forget(tensor));
            MemorySegment.copy(whole.bytes(), 0, target, 0, target.byteSize());
            return result;
        } finally {
            buffers.give(whole);
        }
    }

    /** Nothing that was voted holds any more: somebody came who was not there. */
    void forgetVotes() {
        slots.clear();
    }

    /** What holds at the moment, by size; from any thread. */
    List<CompressionChoice> choices() {
        return List.copyOf(choices.values());
    }
}

package io.hearth.accel.metal;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Locale;

/** A program that counts the messages of a submission and times one, on the stand-in. {@code native/message-cost} runs it. */
final class MessageCost {
    private static final int ROUNDS = 10;
    private static final int CALLS = 200_000;
    private static final int SUBMISSIONS = 300;

    private MessageCost() {}

    public static void main(String[] arguments) throws MetalException {
        FakeMetal fake = FakeMetal.get();
        var runtime = new ObjectiveC(Symbols.load(fake.libraries()));
        var messages = new Messages(runtime);
        long device = runtime.defaultDevice();
        double least = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < CALLS; i++) {
                messages.ask(device, Selector.BUFFER_BYTES_MAX);
            }
            least = Math.min(least, (double) (System.nanoTime() - start) / CALLS);
        }
        System.out.printf(Locale.ROOT, "%.0f ns for a message, the stand-in's own work in it%n", least);
        messages.tell(device, Selector.RELEASE);
        for (int inputs : new int[] {2, 4, 10}) {
            submissions(fake, inputs);
        }
    }

    private static void submissions(FakeMetal fake, int inputs) {
        var limits = new MetalLimits(1, 1 << 20, Duration.ofSeconds(10), Duration.ofSeconds(60));
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), limits);
                var arena = Arena.ofConfined()) {
            var operands = new MemorySegment[inputs];
            for (int i = 0; i < inputs; i++) {
                operands[i] = arena.allocate(4096);
            }
            engine.combine(DataType.FLOAT32, ReduceOp.SUM, operands[0], 0, operands, 1024); // allocates its buffers
            long messages = fake.get("messages");
            long dispatches = fake.get("dispatches");
            long start = System.nanoTime();
            for (int i = 0; i < SUBMISSIONS; i++) {
                engine.combine(DataType.FLOAT32, ReduceOp.SUM, operands[0], 0, operands, 1024);
            }
            double micros = (System.nanoTime() - start) / 1e3 / SUBMISSIONS;
            System.out.printf(
                    Locale.ROOT,
                    "sum of %d inputs: %.1f messages and %.1f dispatches for a submission, %.0f us with waking two threads%n",
                    inputs,
                    (double) (fake.get("messages") - messages) / SUBMISSIONS,
                    (double) (fake.get("dispatches") - dispatches) / SUBMISSIONS,
                    micros);
        }
    }
}

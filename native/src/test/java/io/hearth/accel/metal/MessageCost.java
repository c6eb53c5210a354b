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
        submissions(fake);
    }

    private static void submissions(FakeMetal fake) {
        var limits = new MetalLimits(1, 1 << 20, Duration.ofSeconds(10), Duration.ofSeconds(60));
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), limits);
                var arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(4096);
            MemorySegment right = arena.allocate(4096);
            engine.combine(
                    DataType.FLOAT32, ReduceOp.SUM, target, 0, target, 0, right, 0, 1024); // allocates its buffers
            long messages = fake.get("messages");
            long start = System.nanoTime();
            for (int i = 0; i < SUBMISSIONS; i++) {
                engine.combine(DataType.FLOAT32, ReduceOp.SUM, target, 0, target, 0, right, 0, 1024);
            }
            double micros = (System.nanoTime() - start) / 1e3 / SUBMISSIONS;
            System.out.printf(
                    Locale.ROOT,
                    "sum: %.1f messages for a submission, %.0f us with waking two threads%n",
                    (double) (fake.get("messages") - messages) / SUBMISSIONS,
                    micros);
        }
    }
}

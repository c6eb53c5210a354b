package io.hearth.cli;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.core.ReduceOp;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A training script that sums until a file {@code stop} is in its home, and says how many ranks there are whenever that changes. Each rank
 * begins a step of its own for every sum.
 */
final class WorldTrainer {
    private static final int VALUES = 100_000;

    private WorldTrainer() {}

    public static void main(String[] arguments) throws Exception {
        int peers = Integer.parseInt(arguments[0]);
        Path stop = Path.of(System.getenv("HEARTH_HOME"), "stop");
        try (var hearth = AutoDiscoveryBackend.start(HearthConfig.defaults().namespace("home"))) {
            hearth.waitForPeers(peers, Duration.ofSeconds(60));
            var cluster = hearth.context();
            int world = 0;
            boolean isOver = false;
            for (int sums = 1; !isOver; sums++) {
                cluster.beginStep();
                float[] values = new float[VALUES];
                values[0] = 1;
                values[VALUES - 1] = Files.exists(stop) ? 1 : 0;
                cluster.allReduce(values, ReduceOp.SUM);
                isOver = values[VALUES - 1] > 0;
                if ((int) values[0] != world) {
                    world = (int) values[0];
                    System.out.println("world " + world);
                }
                if (sums % 20 == 0) {
                    System.out.println("summed " + sums);
                }
            }
            System.out.println("stopped");
        }
    }
}

package io.hearth.agent;

import io.hearth.collective.DistributedContext;
import io.hearth.core.ReduceOp;
import io.hearth.discovery.HostPort;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** A script without steps in a separate process, which a test can pause and kill; each line on its input lets it continue. */
final class LineTrainer {
    private LineTrainer() {}

    /** Home, and the address of another trainer. */
    public static void main(String[] arguments) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        HearthConfig config = TestNodes.loopback().home(Path.of(arguments[0]));
        try (var hearth = AutoDiscoveryBackend.start(config)) {
            hearth.addPeer(HostPort.parse(arguments[1]));
            System.out.println("peers " + hearth.waitForPeers(1, Duration.ofSeconds(60)));
            if (lines.readLine() == null) {
                return;
            }
            DistributedContext cluster = hearth.context();
            System.out.println("rank " + cluster.rank() + " of " + cluster.worldSize());
            float[] ones = {1};
            cluster.allReduce(ones, ReduceOp.SUM);
            System.out.println("sum " + ones[0]);
            lines.readLine();
        }
    }
}

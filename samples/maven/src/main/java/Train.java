import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.core.ReduceOp;

void main(String... interfaces) throws Exception { // network interfaces to use; none: all
    var config = HearthConfig.defaults().namespace("home").interfaces(List.of(interfaces));
    try (var hearth = AutoDiscoveryBackend.start(config)) {
        hearth.waitForPeers(1, Duration.ofSeconds(60));
        var cluster = hearth.context();
        var random = new Random(cluster.rank()); // each rank has its own data
        float slope = 0;
        for (int step = 0; step < 100; step++) {
            float x = random.nextFloat();
            float[] gradient = {(slope * x - 3 * x) * x}; // the data is y = 3 x
            cluster.allReduce(gradient, ReduceOp.AVG);
            slope -= gradient[0];
        }
        IO.println("rank %d of %d: y = %.2f x".formatted(cluster.rank(), cluster.worldSize(), slope));
    }
}

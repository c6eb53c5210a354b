package io.hearth.collective.engine;

import io.hearth.collective.DistributedBackendContractTest;
import io.hearth.collective.EngineOptions;
import java.util.List;

/** The engine, on streams in memory. */
final class CollectiveEngineContractTest extends DistributedBackendContractTest {
    @Override
    @SuppressWarnings("resource") // the contract closes each engine, and a group holds nothing else
    protected List<CollectiveEngine> open(int world) {
        var group = new TestGroup(world, EngineOptions.DEFAULTS);
        return group.nodes.stream().map(group::of).toList();
    }
}

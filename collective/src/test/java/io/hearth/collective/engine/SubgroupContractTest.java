package io.hearth.collective.engine;

import io.hearth.collective.DistributedBackend;
import io.hearth.collective.DistributedBackendContractTest;
import io.hearth.collective.EngineOptions;
import io.hearth.core.CollectiveException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;

/** A subgroup of all ranks but the first, in reverse order. */
final class SubgroupContractTest extends DistributedBackendContractTest {
    private final List<TestGroup> groups = new ArrayList<>();

    @Override
    protected List<DistributedBackend> open(int world) throws CollectiveException {
        var group = new TestGroup(world + 1, EngineOptions.DEFAULTS);
        groups.add(group);
        List<Integer> ranks =
                IntStream.range(0, world).mapToObj(rank -> world - rank).toList();
        var subgroup = new ArrayList<DistributedBackend>();
        for (int rank : ranks) {
            subgroup.add(group.engine(rank).split(ranks).orElseThrow());
        }
        return subgroup;
    }

    @AfterEach
    void close() {
        groups.forEach(TestGroup::close);
    }
}

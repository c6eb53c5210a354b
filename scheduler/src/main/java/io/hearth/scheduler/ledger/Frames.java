package io.hearth.scheduler.ledger;

import io.hearth.scheduler.Capabilities;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.NodeRole;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.Numbered;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.scheduler.Topology;
import io.hearth.scheduler.ledger.wire.NodeFrame;
import io.hearth.scheduler.ledger.wire.SpecFrame;
import java.util.List;
import java.util.TreeMap;

/** What commands and snapshots share: nodes and specifications. Reading throws {@link IllegalArgumentException} if something is wrong. */
final class Frames {
    private static final int CAPABILITIES = 5;

    private Frames() {}

    static NodeFrame.Builder frame(NodeSpec node) {
        Capabilities has = node.capabilities();
        return NodeFrame.newBuilder()
                .setId(node.id())
                .setAddress(node.address())
                .setRole(node.role().number())
                .setZone(node.zone())
                .setRegion(node.region())
                .addAllCapabilities(List.of(
                        (long) has.gpus(),
                        has.gpuMemory(),
                        has.systemMemory(),
                        has.networkBandwidth(),
                        has.storageBandwidth()))
                .addAllPaths(node.localities().keySet())
                .addAllLocalities(node.localities().values());
    }

    static NodeSpec node(NodeFrame frame) {
        if (frame.getCapabilitiesCount() != CAPABILITIES || frame.getPathsCount() != frame.getLocalitiesCount()) {
            throw new IllegalArgumentException("a node has 5 capabilities, and a score for each path");
        }
        var localities = new TreeMap<String, Double>();
        for (int i = 0; i < frame.getPathsCount(); i++) {
            localities.put(frame.getPaths(i), frame.getLocalities(i));
        }
        return new NodeSpec(
                frame.getId(),
                frame.getAddress(),
                Numbered.of(NodeRole.class, frame.getRole()),
                frame.getZone(),
                frame.getRegion(),
                new Capabilities(
                        Math.toIntExact(Math.clamp(frame.getCapabilities(0), -1, Integer.MAX_VALUE)),
                        frame.getCapabilities(1),
                        frame.getCapabilities(2),
                        frame.getCapabilities(3),
                        frame.getCapabilities(4)),
                localities);
    }

    static SpecFrame.Builder frame(JobSpec spec, boolean isClosed) {
        return SpecFrame.newBuilder()
                .setSubmitId(spec.submitId())
                .setName(spec.name())
                .setTopology(spec.topology().number())
                .setStrategy(spec.strategy().number())
                .setEpochs(spec.epochs())
                .setBatch(spec.batch())
                .setSamples(spec.samples())
                .setPath(spec.path())
                .setSize(spec.size())
                .setShards(spec.shards())
                .setClosed(isClosed)
                .setSeed(spec.seed());
    }

    static JobSpec spec(SpecFrame frame) {
        return new JobSpec(
                frame.getSubmitId(),
                frame.getName(),
                Numbered.of(Topology.class, frame.getTopology()),
                Numbered.of(ShardStrategy.class, frame.getStrategy()),
                frame.getEpochs(),
                frame.getBatch(),
                frame.getSamples(),
                frame.getPath(),
                frame.getSize(),
                frame.getShards(),
                frame.getSeed());
    }
}

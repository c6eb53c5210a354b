package io.hearth.scheduler.protobuf;

import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.Capabilities;
import io.hearth.scheduler.NodeRole;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.Numbered;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.Shard;
import io.hearth.scheduler.wire.CapabilitiesMessage;
import io.hearth.scheduler.wire.LocalityMessage;
import io.hearth.scheduler.wire.NodeMessage;
import io.hearth.scheduler.wire.ProgressMessage;
import io.hearth.scheduler.wire.RoleCode;
import io.hearth.scheduler.wire.ShardMessage;
import java.util.TreeMap;

/** Nodes, progress and shards as messages. Reading throws {@link IllegalArgumentException} with what is wrong. */
public final class Nodes {
    private Nodes() {}

    public static NodeMessage message(NodeSpec node) {
        var message = NodeMessage.newBuilder()
                .setNodeId(node.id())
                .setAddress(node.address())
                .setRole(role(node.role()))
                .setZone(node.zone())
                .setRegion(node.region())
                .setCapabilities(message(node.capabilities()));
        node.localities()
                .forEach((path, score) -> message.addDataLocality(
                        LocalityMessage.newBuilder().setPath(path).setScore(score)));
        return message.build();
    }

    public static NodeSpec node(NodeMessage message) {
        var localities = new TreeMap<String, Double>();
        Bounds.range("the number of data sets of a node", 0, Bounds.LOCALITIES_MAX, message.getDataLocalityCount());
        message.getDataLocalityList().forEach(each -> localities.put(each.getPath(), each.getScore()));
        return new NodeSpec(
                message.getNodeId(),
                message.getAddress(),
                role(message.getRoleValue()),
                message.getZone(),
                message.getRegion(),
                capabilities(message.getCapabilities()),
                localities);
    }

    public static RoleCode role(NodeRole role) {
        return RoleCode.forNumber(role.number());
    }

    public static NodeRole role(int number) {
        return Numbered.of(NodeRole.class, number);
    }

    public static CapabilitiesMessage message(Capabilities capabilities) {
        return CapabilitiesMessage.newBuilder()
                .setGpuCount(capabilities.gpus())
                .setGpuMemory(capabilities.gpuMemory())
                .setSystemMemory(capabilities.systemMemory())
                .setNetworkBandwidth(capabilities.networkBandwidth())
                .setStorageBandwidth(capabilities.storageBandwidth())
                .build();
    }

    public static Capabilities capabilities(CapabilitiesMessage message) {
        return new Capabilities(
                Bounds.unsigned("the number of GPUs", message.getGpuCount()),
                message.getGpuMemory(),
                message.getSystemMemory(),
                message.getNetworkBandwidth(),
                message.getStorageBandwidth());
    }

    public static ProgressMessage message(Progress progress) {
        return ProgressMessage.newBuilder()
                .setJob(progress.job())
                .setEpoch(progress.epoch())
                .setSamples(progress.samples())
                .build();
    }

    public static Progress progress(ProgressMessage message) {
        return progress(message.getJob(), message.getEpoch(), message.getSamples());
    }

    /** Progress whose numbers came as uint64. */
    public static Progress progress(String job, long epoch, long samples) {
        return new Progress(job, Bounds.unsigned("an epoch", epoch), Bounds.unsigned("the number of samples", samples));
    }

    public static ShardMessage message(Shard shard) {
        return ShardMessage.newBuilder()
                .setShardId(shard.id())
                .setShard(shard.index())
                .setPath(shard.path())
                .setStart(shard.start())
                .setEnd(shard.end())
                .setOwner(shard.owner())
                .setTerm(shard.term())
                .build();
    }

    public static Shard shard(ShardMessage message) {
        return new Shard(
                message.getShardId(),
                message.getShard(),
                message.getPath(),
                message.getStart(),
                message.getEnd(),
                message.getOwner(),
                message.getTerm());
    }
}

package io.hearth.scheduler.ledger;

import io.hearth.core.Bytes;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.ledger.wire.BarrierFrame;
import io.hearth.scheduler.ledger.wire.CandidateFrame;
import io.hearth.scheduler.ledger.wire.CommandFrame;
import io.hearth.scheduler.ledger.wire.CompleteFrame;
import io.hearth.scheduler.ledger.wire.ReportFrame;
import io.hearth.scheduler.ledger.wire.SubmitFrame;
import io.hearth.scheduler.ledger.wire.TakeFrame;
import java.util.List;
import java.util.SortedMap;

/** Makes the commands of the ledger. */
public final class Commands {
    private Commands() {}

    private static Bytes bytes(CommandFrame.Builder command) {
        return Bytes.of(command.build().toByteArray());
    }

    /** A node comes, or comes again. */
    public static Bytes register(NodeSpec node) {
        return bytes(CommandFrame.newBuilder().setRegister(Frames.frame(node)));
    }

    /** A node fell silent. */
    public static Bytes away(String node) {
        return bytes(CommandFrame.newBuilder().setAway(node));
    }

    /** A node that fell silent is heard again. */
    public static Bytes back(String node) {
        return bytes(CommandFrame.newBuilder().setBack(node));
    }

    /** A node says that it goes. */
    public static Bytes leave(String node) {
        return bytes(CommandFrame.newBuilder().setLeave(node));
    }

    /**
     * A job begins.
     *
     * @param isClosed whether nodes that come later may not join
     * @param loads of the nodes that take part, by id
     * @param custom of the custom strategy: for each shard the index of a node in {@code loads}
     */
    public static Bytes submit(JobSpec spec, boolean isClosed, SortedMap<String, Double> loads, List<Integer> custom) {
        var submit =
                SubmitFrame.newBuilder().setSpec(Frames.frame(spec, isClosed)).addAllCustom(custom);
        loads.forEach((id, load) ->
                submit.addCandidates(CandidateFrame.newBuilder().setId(id).setLoad(load)));
        return bytes(CommandFrame.newBuilder().setSubmit(submit));
    }

    /** A job is not wanted any more. */
    public static Bytes cancel(String job) {
        return bytes(CommandFrame.newBuilder().setCancel(job));
    }

    /** A node completed an epoch; or, if {@code failure} is not empty, the job failed. */
    public static Bytes report(String node, Progress progress, String failure) {
        return bytes(CommandFrame.newBuilder()
                .setReport(ReportFrame.newBuilder()
                        .setNode(node)
                        .setJob(progress.job())
                        .setEpoch(progress.epoch())
                        .setSamples(progress.samples())
                        .setFailure(failure)));
    }

    /** All nodes arrived at a barrier. */
    public static Bytes passed(String job, long epoch) {
        return bytes(CommandFrame.newBuilder()
                .setBarrier(BarrierFrame.newBuilder().setJob(job).setEpoch(epoch)));
    }

    /** A node takes shards to work on, {@code max} together with those that it has. */
    public static Bytes take(String node, String job, int max, double load) {
        return bytes(CommandFrame.newBuilder()
                .setTake(TakeFrame.newBuilder()
                        .setNode(node)
                        .setJob(job)
                        .setMax(max)
                        .setLoad(load)));
    }

    /** A node completed a shard, which it was given under this term. */
    public static Bytes complete(String node, String job, int shard, long term) {
        return bytes(CommandFrame.newBuilder()
                .setComplete(CompleteFrame.newBuilder()
                        .setNode(node)
                        .setJob(job)
                        .setShard(shard)
                        .setTerm(term)));
    }
}

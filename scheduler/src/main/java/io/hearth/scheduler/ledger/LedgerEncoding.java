package io.hearth.scheduler.ledger;

import io.hearth.core.BoundedDecoder;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.replicated.Application;
import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.Numbered;
import io.hearth.scheduler.ledger.SchedulerLedger.Node;
import io.hearth.scheduler.ledger.wire.JobFrame;
import io.hearth.scheduler.ledger.wire.LedgerFrame;
import io.hearth.scheduler.ledger.wire.NodeFrame;
import java.util.ArrayList;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/** The ledger as bytes. */
final class LedgerEncoding {
    /** A packed list counts each byte as a number. */
    private static final BoundedDecoder.Limits LIMITS = new BoundedDecoder.Limits(
            Application.STATE_BYTES_MAX, 3, 16 * Bounds.SHARDS_MAX, 3 * Bounds.TEXT_BYTES_MAX);

    private LedgerEncoding() {}

    static Bytes encode(SchedulerLedger ledger) {
        var frame = LedgerFrame.newBuilder().setJobsEver(ledger.jobsEver()).setTerm(ledger.term());
        ledger.nodes()
                .values()
                .forEach(node -> frame.addNodes(Frames.frame(node.spec()).setAway(node.isAway())));
        ledger.jobs().values().forEach(job -> frame.addJobs(frame(job)));
        return Bytes.of(frame.build().toByteArray());
    }

    private static JobFrame frame(Job job) {
        var frame = JobFrame.newBuilder()
                .setSpec(Frames.frame(job.spec(), job.isClosed()))
                .setNumber(job.number())
                .setState(job.state().number())
                .setReason(job.reason())
                .setBarrier(job.barrier())
                .setPass(job.pass())
                .setCounts(job.hasCompletions());
        for (Member member : job.members()) {
            frame.addNodes(member.id())
                    .addScores(member.score())
                    .addAway(member.isAway())
                    .addEpochs(member.epoch())
                    .addSamples(member.samples());
        }
        Shards shards = job.shards();
        for (int i = 0; i < shards.count(); i++) {
            frame.addOwners((shards.owner(i) + 1) * 2 + (shards.isGiven(i) ? 1 : 0))
                    .addTerms(shards.term(i))
                    .addDoneOwners(shards.doneOwner(i) + 1)
                    .addDoneTerms(shards.doneTerm(i));
        }
        return frame.build();
    }

    /** Throws {@link IllegalArgumentException} if the bytes are no ledger. */
    static SchedulerLedger decode(Bytes bytes) {
        LedgerFrame frame;
        try {
            frame = BoundedDecoder.parse(LedgerFrame.parser(), LedgerFrame.getDescriptor(), bytes.toArray(), LIMITS);
        } catch (MalformedMessageException broken) {
            throw new IllegalArgumentException("no ledger of a scheduler: " + broken.getMessage(), broken);
        }
        PSortedMap<String, Node> nodes = TreePMap.empty();
        for (NodeFrame node : frame.getNodesList()) {
            nodes = nodes.plus(node.getId(), new Node(Frames.node(node), node.getAway()));
        }
        PSortedMap<String, Job> jobs = TreePMap.empty();
        for (JobFrame job : frame.getJobsList()) {
            jobs = jobs.plus(job.getSpec().getName(), job(job));
        }
        return new SchedulerLedger(nodes, jobs, frame.getJobsEver(), frame.getTerm());
    }

    private static Job job(JobFrame frame) {
        int count = frame.getNodesCount();
        if (frame.getScoresCount() != count
                || frame.getAwayCount() != count
                || frame.getEpochsCount() != count
                || frame.getSamplesCount() != count) {
            throw new IllegalArgumentException("each node of a job has a score, a state and its progress");
        }
        var members = new ArrayList<Member>();
        for (int i = 0; i < count; i++) {
            members.add(new Member(
                    Bounds.nodeId(frame.getNodes(i)),
                    frame.getScores(i),
                    frame.getAway(i),
                    frame.getEpochs(i),
                    frame.getSamples(i)));
        }
        JobSpec spec = Frames.spec(frame.getSpec());
        return new Job(
                spec,
                frame.getSpec().getClosed(),
                frame.getNumber(),
                Numbered.of(JobState.class, frame.getState()),
                frame.getReason(),
                Members.of(members),
                shards(frame, spec.shards(), count),
                frame.getBarrier(),
                frame.getPass(),
                frame.getCounts());
    }

    private static Shards shards(JobFrame frame, int count, int members) {
        if (count < 1
                || frame.getOwnersCount() != count
                || frame.getTermsCount() != count
                || frame.getDoneOwnersCount() != count
                || frame.getDoneTermsCount() != count) {
            throw new IllegalArgumentException("each shard of a job has an owner and a term");
        }
        int[] owners = new int[count];
        boolean[] given = new boolean[count];
        long[] terms = new long[count];
        int[] doneOwners = new int[count];
        long[] doneTerms = new long[count];
        for (int i = 0; i < count; i++) {
            owners[i] = member(frame.getOwners(i) / 2 - 1, members);
            given[i] = frame.getOwners(i) % 2 != 0;
            terms[i] = frame.getTerms(i);
            doneOwners[i] = member(frame.getDoneOwners(i) - 1, members);
            doneTerms[i] = frame.getDoneTerms(i);
        }
        return new Shards(owners, given, terms, doneOwners, doneTerms);
    }

    private static int member(int index, int members) {
        if (index < Shards.NOBODY || index >= members) {
            throw new IllegalArgumentException("a shard belongs to no node of its job");
        }
        return index;
    }
}

package io.hearth.scheduler.ledger;

import com.google.protobuf.InvalidProtocolBufferException;
import io.hearth.core.Bytes;
import io.hearth.replicated.Application;
import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.ledger.wire.CandidateFrame;
import io.hearth.scheduler.ledger.wire.CommandFrame;
import io.hearth.scheduler.ledger.wire.ReportFrame;
import io.hearth.scheduler.ledger.wire.SubmitFrame;
import io.hearth.scheduler.ledger.wire.TakeFrame;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What commands do to the ledger, as replicated state. A command that is refused changes nothing; {@link Verdict} reads the answers. */
public final class LedgerApplication implements Application<SchedulerLedger> {
    @Override
    public SchedulerLedger empty() {
        return SchedulerLedger.EMPTY;
    }

    @Override
    public Outcome<SchedulerLedger> apply(SchedulerLedger state, Bytes command) {
        var draft = new Draft(state);
        Optional<Failure> refusal;
        try {
            refusal = carryOut(draft, CommandFrame.parseFrom(command.toArray()));
        } catch (InvalidProtocolBufferException unreadable) {
            refusal = Draft.refuse(Failure.Code.INTERNAL, "the command cannot be read: " + unreadable.getMessage());
        } catch (IllegalArgumentException wrong) {
            refusal = Draft.refuse(Failure.Code.INVALID_ARGUMENT, String.valueOf(wrong.getMessage()));
        }
        return new Outcome<>(refusal.isEmpty() ? draft.finish() : state, Verdict.encode(refusal));
    }

    private static Optional<Failure> carryOut(Draft draft, CommandFrame frame) {
        return switch (frame.getCommandCase()) {
            case REGISTER -> NodeCommands.register(draft, Frames.node(frame.getRegister()));
            case AWAY -> NodeCommands.away(draft, frame.getAway());
            case BACK -> NodeCommands.back(draft, frame.getBack());
            case LEAVE -> NodeCommands.leave(draft, frame.getLeave());
            case SUBMIT -> submit(draft, frame.getSubmit());
            case CANCEL -> JobCommands.cancel(draft, frame.getCancel());
            case REPORT -> report(draft, frame.getReport());
            case BARRIER ->
                JobCommands.passed(
                        draft,
                        frame.getBarrier().getJob(),
                        Bounds.range(
                                "an epoch",
                                0,
                                Bounds.EPOCHS_MAX,
                                frame.getBarrier().getEpoch()));
            case TAKE -> take(draft, frame.getTake());
            case COMPLETE ->
                JobCommands.complete(
                        draft,
                        frame.getComplete().getNode(),
                        frame.getComplete().getJob(),
                        frame.getComplete().getShard(),
                        frame.getComplete().getTerm());
            case COMMAND_NOT_SET -> Draft.refuse(Failure.Code.INTERNAL, "this version does not know the command");
        };
    }

    private static Optional<Failure> submit(Draft draft, SubmitFrame frame) {
        Bounds.range("the number of nodes", 0, Bounds.NODES_MAX, frame.getCandidatesCount());
        JobSpec spec = Frames.spec(frame.getSpec());
        List<Submission.Candidate> candidates = new ArrayList<>();
        String before = "";
        for (CandidateFrame candidate : frame.getCandidatesList()) {
            if (candidate.getId().compareTo(before) <= 0) {
                throw new IllegalArgumentException("the nodes of a job come in the order of their ids, each once");
            }
            before = candidate.getId();
            candidates.add(new Submission.Candidate(before, candidate.getLoad()));
        }
        return Submission.submit(draft, spec, frame.getSpec().getClosed(), candidates, frame.getCustomList());
    }

    private static Optional<Failure> report(Draft draft, ReportFrame frame) {
        var progress = new Progress(frame.getJob(), frame.getEpoch(), frame.getSamples());
        String failure = Bounds.text("the reason of a failure", frame.getFailure());
        return JobCommands.report(
                draft, frame.getNode(), progress.job(), progress.epoch(), progress.samples(), failure);
    }

    private static Optional<Failure> take(Draft draft, TakeFrame frame) {
        Bounds.range("the number of shards to take", 1, Bounds.SHARDS_MAX, frame.getMax());
        return JobCommands.take(draft, frame.getNode(), frame.getJob(), frame.getMax(), frame.getLoad());
    }

    @Override
    public SchedulerLedger merge(SchedulerLedger better, SchedulerLedger worse) {
        return Merge.merge(better, worse);
    }

    @Override
    public Bytes encode(SchedulerLedger state) {
        return LedgerEncoding.encode(state);
    }

    @Override
    public SchedulerLedger decode(Bytes bytes) {
        return LedgerEncoding.decode(bytes);
    }
}

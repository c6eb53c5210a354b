package io.hearth.simulation.trainer;

import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupMachine.State;
import io.hearth.collective.state.StateClaim;
import io.hearth.collective.state.StateVote;
import io.hearth.collective.state.machine.FetchMachine;
import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;
import io.hearth.topology.plan.Plan;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The exchange at the beginning of a step, as {@code StepBoundary} does it. Each member claims a state, and all of them decide alike
 * which one is right, and which plan follows. A member that lacks it fetches it, and no member goes on before all reported that they hold it.
 */
final class Boundary {
    private static final long BUDGET_NANOS = 10 * SECOND;

    private final ProcessContext process;
    private final WorldSetting setting;
    private final Trainer trainer;
    private final Exchanges exchanges;
    private final NavigableMap<Long, Attempt> attempts = new TreeMap<>(); // of this group epoch, by number
    private final StateChunks chunks;
    private final Plans proposals;
    private long fetchedNumber;
    private long fetchedNanos; // in former attempts at that number

    /** Everything received for one number. */
    private static final class Attempt {
        final NavigableMap<NodeId, GroupFrame.Claim> claims = new TreeMap<>();
        final NavigableMap<NodeId, CallRejection> dooms = new TreeMap<>();
        final NavigableMap<NodeId, Integer> planBytes = new TreeMap<>();
        final NavigableMap<NodeId, Bytes> plans = new TreeMap<>();
        Bytes proposed = Bytes.EMPTY;

        @Nullable
        StateVote vote;

        @Nullable
        Fetch fetch;
    }

    /** How the beginning of a step ended: {@code model} is the state to go on with if it was not rejected. */
    record End(Optional<CallRejection> refusal, long model) {}

    Boundary(ProcessContext process, Trainer trainer, Exchanges exchanges, Plans proposals) {
        this.proposals = proposals;
        this.process = process;
        this.setting = process.setting();
        this.trainer = trainer;
        this.exchanges = exchanges;
        this.chunks = new StateChunks(setting);
    }

    /** The group epoch changed. */
    void enter() {
        for (Attempt attempt : attempts.values()) {
            Fetch fetch = attempt.fetch;
            if (fetch != null && !fetch.isOver()) {
                fetch.abandon();
                fetchedNanos += fetch.spentNanos();
            }
        }
        attempts.clear();
    }

    private State state() {
        return trainer.state();
    }

    private String fence() {
        return state().layout().fence();
    }

    private Steps steps() {
        return trainer.script().steps();
    }

    private Attempt attempt(long number) {
        return attempts.computeIfAbsent(number, _ -> new Attempt());
    }

    /** Sends this member's claim to all members. */
    void run(long number, Optional<CallRejection> doomed) {
        GroupFrame.Claim mine = steps().claim(state().layout().lineage());
        Bytes proposed = proposals.proposal();
        attempt(number).proposed = proposed;
        var claimed = new GroupFrame.Claimed(fence(), number, process.id(), mine, proposed.size(), doomed);
        claimed(claimed);
        exchanges.toOthers(claimed);
    }

    void claimed(GroupFrame.Claimed frame) {
        Attempt attempt = attempt(frame.number());
        attempt.claims.put(frame.from(), frame.claim());
        attempt.planBytes.put(frame.from(), frame.planBytes());
        frame.doomed().ifPresent(doom -> attempt.dooms.put(frame.from(), doom));
    }

    void planned(GroupFrame.Planned frame) {
        attempt(frame.number()).plans.put(frame.from(), frame.plan());
    }

    /** Whether the claims of all members came. */
    boolean hasClaims(long number) {
        return attempt(number).claims.keySet().containsAll(state().layout().members());
    }

    /** The reason why a number must end without a result, once all claims came: the same on all members, in whichever order they came. */
    Optional<CallRejection> doom(long number) {
        return attempt(number).dooms.values().stream().findFirst();
    }

    /** Whether all members have the lead's plan, if it proposes one; sends this member's part. All claims came. */
    boolean hasPlan(long number) {
        Attempt attempt = attempt(number);
        List<NodeId> members = state().layout().members();
        if (Objects.requireNonNull(attempt.planBytes.get(members.getFirst())) == 0) {
            return true;
        }
        if (!attempt.plans.containsKey(process.id())) {
            var row = new GroupFrame.Planned(fence(), number, process.id(), attempt.proposed);
            planned(row);
            exchanges.toOthers(row);
            proposals.sent(attempt.proposed);
        }
        return attempt.plans.keySet().containsAll(members);
    }

    /** The plan that all members take over after a number; empty if the lead proposes none that they can read. */
    Optional<Plan> plan(long number) {
        Bytes lead = attempt(number).plans.get(state().layout().members().getFirst());
        return lead == null ? Optional.empty() : Plans.read(lead);
    }

    /** The end of a step's beginning: a rejection, or the state that all agreed on and hold; empty while it waits. */
    Optional<End> advance(long number) {
        List<NodeId> members = state().layout().members();
        Attempt attempt = attempt(number);
        if (!hasClaims(number)) {
            return Optional.empty();
        }
        Optional<CallRejection> doom = doom(number);
        if (doom.isPresent()) {
            return Optional.of(new End(doom, 0));
        }
        if (!hasPlan(number)) {
            return Optional.empty();
        }
        StateVote vote = vote(attempt);
        GroupFrame.Claim agreed = claim(vote.agreed());
        List<Integer> sources = vote.sources().get(members.indexOf(process.id()));
        if (sources == null) {
            chunks.clear(); // chunks of an earlier attempt are of no use any more
        } else if (setting.hooks.keeps(ShellRule.TAKE_OVER) && !hasFetched(number, attempt, agreed, sources)) {
            return Optional.empty();
        }
        if (!exchanges.holders(number).contains(process.id())) {
            fetchedNanos = 0;
            steps().agree(agreed.revision());
            exchanges.hold(number);
        }
        boolean allHold = exchanges.holders(number).containsAll(members);
        return allHold || !setting.hooks.keeps(ShellRule.STEP_WAITS)
                ? Optional.of(new End(Optional.empty(), agreed.model()))
                : Optional.empty();
    }

    private StateVote vote(Attempt attempt) {
        StateVote known = attempt.vote;
        if (known != null) {
            return known;
        }
        List<GroupFrame.Claim> byRank =
                state().layout().members().stream().map(attempt.claims::get).toList();
        var claims = new ArrayList<StateClaim>();
        for (int rank = 0; rank < byRank.size(); rank++) {
            claims.add(claim(byRank.get(rank), rank, byRank.size()));
        }
        StateVote vote = StateVote.decide(setting.hooks.votes(claims));
        attempt.vote = vote;
        process.surroundings().results().agreed(byRank, claim(vote.agreed()));
        return vote;
    }

    /** The claim as on the wire; the ranks after this one are its nearest sources. */
    private static StateClaim claim(GroupFrame.Claim claim, int rank, int ranks) {
        Bytes digest = Bytes.of(ByteBuffer.allocate(StateClaim.DIGEST_BYTES)
                .putLong(claim.model())
                .array());
        List<Integer> sources = IntStream.range(1, Math.min(ranks, 1 + StateClaim.SOURCES_MAX))
                .mapToObj(hops -> (rank + hops) % ranks)
                .toList();
        return new StateClaim(claim.revision(), digest, claim.joined(), sources);
    }

    private static GroupFrame.Claim claim(StateClaim agreed) {
        long model = ByteBuffer.wrap(agreed.digest().toArray()).getLong();
        return new GroupFrame.Claim(agreed.revision(), model, false);
    }

    private boolean hasFetched(long number, Attempt attempt, GroupFrame.Claim agreed, List<Integer> sources) {
        Fetch begun = attempt.fetch;
        if (begun != null) {
            return begun.isOver() && !begun.hasGivenUp();
        }
        List<NodeId> members = state().layout().members();
        GroupFrame.Claim own = Objects.requireNonNull(attempt.claims.get(process.id()));
        if (!own.joined() && !setting.hooks.keeps(ShellRule.DIFFERENT_STATE_STAYS)) {
            giveUp("its state differs");
            return false;
        }
        if (fetchedNumber != number) {
            fetchedNumber = number;
            fetchedNanos = 0;
        }
        var task = new Fetch.Task(
                fence(),
                number,
                steps().claim("").model(),
                agreed.model(),
                sources.stream().map(members::get).toList());
        var fetch = new Fetch(process, task, chunks, BUDGET_NANOS - fetchedNanos, () -> fetched(attempt));
        attempt.fetch = fetch;
        fetch.begin();
        return false;
    }

    private void fetched(Attempt attempt) {
        Fetch fetch = Objects.requireNonNull(attempt.fetch);
        if (trainer.script().isOver()) {
            return;
        }
        if (fetch.hasGivenUp()) {
            fetchedNanos = 0;
            giveUp("the state did not come");
        } else {
            steps().takeOver(chunks.applied(steps().claim("").model()));
            chunks.clear();
        }
    }

    /** Leaves the group. In a world that loses no process and no message, a member that lacks the state always gets it and stays. */
    private void giveUp(String why) {
        boolean isNobodyLost = setting.profile.isMild() && !setting.spans.areScaled();
        Violation.unless(!isNobodyLost, "state", () -> process.host().name() + " leaves its group: " + why);
        trainer.script().giveUp(why);
    }

    /** A stream of state from that member breaks. */
    boolean lost(NodeId peer, String why) {
        Fetch fetch = attempts.isEmpty() ? null : attempts.lastEntry().getValue().fetch;
        return fetch != null && fetch.lost(peer, why);
    }

    /** Another member asks for a part of the state; the answer takes a while. */
    void asked(GroupFrame.Ask ask) {
        setting.after(
                setting.transferNanos() / 2, // a manifest and then all chunks at once
                () -> process.deliver(() -> {
                    if (ask.fence().equals(fence()) && !trainer.script().isOver()) {
                        process.surroundings().stream(
                                process,
                                ask.from(),
                                new GroupFrame.Chunk(
                                        ask.fence(), ask.number(), process.id(), ask.chunk(), answer(ask)));
                    }
                }));
    }

    private long answer(GroupFrame.Ask ask) {
        long model = steps().claim("").model();
        long right = ask.chunk() == FetchMachine.MANIFEST ? model : StateChunks.chunk(model, ask.chunk());
        if (!setting.isFaulty() || !setting.profile.has(FaultKind.LYING_SOURCE) || setting.random.nextBoolean()) {
            return right;
        }
        setting.statistics.fault(FaultKind.LYING_SOURCE);
        return StateChunks.wrong(right, setting.random.nextInt(Long.SIZE));
    }

    /** An answer came; it may be one to an earlier question. */
    void came(GroupFrame.Chunk frame) {
        Fetch fetch = attempt(frame.number()).fetch;
        if (fetch != null
                && state().open().has(frame.number())
                && !trainer.script().isOver()) {
            fetch.came(frame);
        }
    }
}

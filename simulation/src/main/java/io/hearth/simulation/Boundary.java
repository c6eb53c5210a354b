package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.collective.GroupMachine.State;
import io.hearth.collective.Refusal;
import io.hearth.collective.StateClaim;
import io.hearth.collective.StateVote;
import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The exchange at the beginning of a step, as {@code StepBoundary} has it: all claim a state, all see which is right, those that
 * lack it fetch it, and nobody goes on before all said that they hold it.
 */
final class Boundary {
    private static final long ASK_AGAIN_NANOS = 1_500 * MILLI;
    private static final long BUDGET_NANOS = 10 * SECOND;

    private final NodeProcess process;
    private final World world;
    private final Trainer trainer;
    private final Exchanges exchanges;
    private final NavigableMap<Long, Attempt> attempts = new TreeMap<>(); // of this group epoch, by number
    private long fetchedNanos; // in all attempts at one beginning

    /** What came for one number. */
    private static final class Attempt {
        final NavigableMap<NodeId, Frame.Claim> claims = new TreeMap<>();
        final NavigableMap<NodeId, Refusal> dooms = new TreeMap<>();
        Frame.@Nullable Claim agreed;
        int asked;
    }

    /** How the beginning of a step ended: {@code model} is what to go on with if it was not refused. */
    record End(Optional<Refusal> refusal, long model) {}

    Boundary(NodeProcess process, Trainer trainer, Exchanges exchanges) {
        this.process = process;
        this.world = process.world;
        this.trainer = trainer;
        this.exchanges = exchanges;
    }

    /** The group epoch is another one now. */
    void enter() {
        attempts.clear();
    }

    private State state() {
        return trainer.state();
    }

    private String fence() {
        return state().formation().fence();
    }

    private Steps steps() {
        return trainer.script().steps();
    }

    private Attempt attempt(long number) {
        return attempts.computeIfAbsent(number, _ -> new Attempt());
    }

    /** Tells all what this member holds. */
    void run(long number, Optional<Refusal> doomed) {
        Frame.Claim mine = steps().claim(state().formation().lineage());
        var claimed = new Frame.Claimed(fence(), number, process.host.id, mine, doomed);
        claimed(claimed);
        exchanges.toOthers(claimed);
    }

    void claimed(Frame.Claimed frame) {
        Attempt attempt = attempt(frame.number());
        attempt.claims.put(frame.from(), frame.claim());
        frame.doomed().ifPresent(doom -> attempt.dooms.put(frame.from(), doom));
    }

    /** What it ends with once there is nothing more to wait for: a refusal, or the state that all agreed on and hold. */
    Optional<End> advance(long number) {
        List<NodeId> members = state().formation().members();
        Attempt attempt = attempt(number);
        if (!attempt.claims.keySet().containsAll(members)) {
            return Optional.empty();
        }
        if (!attempt.dooms.isEmpty()) { // the same on all, whatever came first
            return Optional.of(new End(Optional.of(attempt.dooms.firstEntry().getValue()), 0));
        }
        Frame.Claim agreed = agreed(attempt);
        if (!holds(agreed) && world.sabotage.takesStateOver()) {
            if (attempt.asked == 0) {
                fetch(number, attempt, agreed);
            }
            return Optional.empty();
        }
        if (!exchanges.holders(number).contains(process.host.id)) {
            fetchedNanos = 0;
            steps().agree(agreed.revision());
            exchanges.hold(number);
        }
        boolean allHold = exchanges.holders(number).containsAll(members);
        return allHold || !world.sabotage.waitsForHolders()
                ? Optional.of(new End(Optional.empty(), agreed.model()))
                : Optional.empty();
    }

    private Frame.Claim agreed(Attempt attempt) {
        Frame.Claim known = attempt.agreed;
        if (known != null) {
            return known;
        }
        List<Frame.Claim> byRank =
                state().formation().members().stream().map(attempt.claims::get).toList();
        Frame.Claim agreed = vote(byRank);
        attempt.agreed = agreed;
        world.results.agreed(byRank, agreed);
        return agreed;
    }

    private Frame.Claim vote(List<Frame.Claim> byRank) {
        var claims = new ArrayList<StateClaim>();
        for (Frame.Claim claim : byRank) {
            Bytes digest = Bytes.of(ByteBuffer.allocate(StateClaim.DIGEST_BYTES)
                    .putLong(claim.model())
                    .array());
            claims.add(new StateClaim(claim.revision(), digest, claim.joined(), List.of()));
        }
        StateClaim agreed = StateVote.decide(world.sabotage.votes(claims)).agreed();
        long model = ByteBuffer.wrap(agreed.digest().toArray()).getLong();
        return new Frame.Claim(agreed.revision(), model, false);
    }

    private boolean holds(Frame.Claim agreed) {
        return steps().claim("").isSameStateAs(agreed);
    }

    /** Asks one holder after the other until one answered with the right state. */
    private void fetch(long number, Attempt attempt, Frame.Claim agreed) {
        List<NodeId> holders = state().formation().members().stream()
                .filter(member -> {
                    Frame.Claim claim = attempt.claims.get(member);
                    return claim != null && claim.isSameStateAs(agreed);
                })
                .toList();
        NodeId source = holders.get(attempt.asked % holders.size());
        attempt.asked++;
        world.trace(process, () -> "fetches the state of number " + number + " from " + world.name(source));
        world.post.stream(process, source, new Frame.Ask(fence(), number, process.host.id));
        world.after(
                ASK_AGAIN_NANOS,
                () -> process.deliver(() -> {
                    boolean isWaiting = !trainer.script().isOver()
                            && attempts.get(number) == attempt
                            && state().frozen().isEmpty()
                            && !holds(agreed);
                    if (isWaiting) {
                        goOn(number, attempt, agreed);
                    }
                }));
    }

    private void goOn(long number, Attempt attempt, Frame.Claim agreed) {
        fetchedNanos += ASK_AGAIN_NANOS;
        if (fetchedNanos > BUDGET_NANOS) {
            fetchedNanos = 0;
            trainer.script().giveUp("the state did not come in time");
        } else {
            fetch(number, attempt, agreed);
        }
    }

    /** Somebody lacks the state: it takes its time. */
    void asked(Frame.Ask ask) {
        world.after(
                world.transferNanos(),
                () -> process.deliver(() -> {
                    if (ask.fence().equals(fence()) && !trainer.script().isOver()) {
                        Frame.Claim mine = steps().claim("");
                        world.post.stream(process, ask.from(), new Frame.State(ask.fence(), ask.number(), mine));
                    }
                }));
    }

    /** A state came; it is checked against what all agreed on. */
    void came(Frame.State frame) {
        Frame.Claim agreed = attempt(frame.number()).agreed;
        boolean isOpen = state().open().containsKey(frame.number()); // else it is an answer to an earlier question
        if (isOpen && agreed != null && !holds(agreed) && frame.claim().isSameStateAs(agreed)) {
            steps().takeOver(frame.claim().model());
            world.tally.transfer();
        }
    }
}

package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.collective.CollectiveCodec;
import io.hearth.collective.CollectiveEngine;
import io.hearth.collective.GroupMachine;
import io.hearth.collective.GroupMachine.Effect;
import io.hearth.collective.GroupMachine.Event;
import io.hearth.collective.GroupMachine.State;
import io.hearth.collective.Refusal;
import io.hearth.collective.Resolution;
import io.hearth.collective.Signature;
import io.hearth.collective.Status;
import io.hearth.core.Bytes;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.core.Step;
import io.hearth.election.GroupPhase;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.election.ViewMachine;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A training job on one process: the real group machine, and bytes replaced by one number for each input and each sum.
 *
 * <p>An exchange is all inputs to all members; as on a ring, each member finishes on its own and at its own time. The
 * application calls a fixed count of collectives, its next one once an earlier one ended, then leaves.
 */
final class Trainer {
    private static final Signature SIGNATURE = Signature.allReduce(ReduceOp.SUM, DataType.FLOAT32, 10, Signature.PLAIN);
    private static final long PATIENCE_NANOS = 10 * SECOND;

    private final NodeProcess process;
    private final World world;
    private final GroupMachine machine;
    private final int depth;
    private State state = State.START;

    private @Nullable View view;
    private final SortedMap<Long, Call> calls = new TreeMap<>();
    private final SortedMap<Long, Ending> endings = new TreeMap<>();
    private final List<Long> models = new ArrayList<>(List.of(0L)); // after so many numbers
    private final Map<Long, SortedMap<NodeId, Frame.Share>> inputs = new HashMap<>();
    private final Map<Long, Frame.Sum> results = new HashMap<>();
    private final Map<Long, Set<NodeId>> held = new HashMap<>();
    private final Map<Long, Frame.Sum> carried = new HashMap<>();
    private final Set<Long> unsettledMemory = new HashSet<>();
    private final Set<String> formerFences = new HashSet<>();
    private List<Frame> early = new ArrayList<>();
    private boolean streamsOpen;
    private long loopAt; // when the loop takes the last thing that it was told
    private long length;
    private boolean wantsToBegin;
    private boolean isClosing;
    private boolean isOver;

    /** A number that was called: its input stays until it ended. */
    private record Call(View view, long value, long model) {}

    /**
     * What a number ended with.
     *
     * @param sum empty if it was refused
     * @param ranks that the application sees from here on
     */
    record Ending(Lineage lineage, Status.Kept outcome, Optional<Frame.Sum> sum, List<NodeId> ranks) {}

    Trainer(NodeProcess process) {
        this.process = process;
        this.world = process.world;
        this.machine = new GroupMachine(CollectiveEngine.WINDOW, world.policy);
        this.depth = world.depth;
    }

    State state() {
        return state;
    }

    SortedMap<Long, Ending> endings() {
        return endings;
    }

    long doneUpTo() {
        return state.doneUpTo();
    }

    /** Nothing was called yet. */
    boolean isOpen() {
        return state.next() == 1 && !isOver && !isClosing;
    }

    boolean isFinished() {
        return length > 0 && state.doneUpTo() >= length;
    }

    // ---- the application

    /** From now on the application calls its collectives; it closes after {@code count} of them. */
    void work(long count) {
        if (!wantsToBegin && !isOver) {
            wantsToBegin = true;
            length = count;
            callNext();
        }
    }

    /** The application ends after what is open. */
    void close() {
        if (!isClosing && !isOver) {
            isClosing = true;
            if (calls.isEmpty()) {
                leave();
            }
        }
    }

    private void leave() {
        if (world.sabotage.leavesAbruptly()) {
            world.exit(process);
        } else {
            tellLoop(new ViewMachine.Event.Leave());
        }
    }

    private void callNext() {
        if (!wantsToBegin || isOver || isClosing || view == null || !process.isAlive()) {
            return;
        }
        if (state.next() > length) {
            if (calls.isEmpty() && world.endsJobs()) {
                close();
            }
            return;
        }
        if (state.next() - 1 - state.doneUpTo() >= depth) {
            return;
        }
        long number = state.next();
        long value = world.random.nextLong();
        long model = models.get((int) Math.min(models.size() - 1, Math.max(0, number - depth)));
        calls.put(number, new Call(view, value, model));
        world.results.called(process, number, value);
        world.trace(process, () -> "calls number " + number);
        step(new Event.Called(SIGNATURE));
        pump();
        world.after(world.deadlineNanos(), () -> process.deliver(() -> expire(number)));
        if (depth > 1) {
            callLater();
        }
    }

    private void callLater() {
        world.after(world.random.nextLong(30 * MILLI), () -> process.deliver(this::callNext));
    }

    private void expire(long number) {
        if (!calls.containsKey(number) || isOver || !world.hasDeadlines()) {
            return;
        }
        world.trace(process, () -> "number " + number + " did not end before its deadline");
        if (world.sabotage.goesOnAfterDeadline() && state.frozen().isEmpty()) {
            step(new Event.Refused(
                    number,
                    state.formation().fence(),
                    new Refusal(Refusal.Cause.PEER_LOST, "deadline of this member alone")));
            return;
        }
        finish();
        tellLoop(new ViewMachine.Event.Leave());
    }

    private void finish() {
        isOver = true;
        calls.clear();
    }

    // ---- the shell, as CollectiveEngine is to the node

    /** Stops everything, then says how far the group is here. */
    Bytes freeze(Lineage lineage, long epoch) {
        var now = new Event.Freeze(new GroupMachine.Frozen(World.text(lineage), epoch));
        Bytes status = CollectiveCodec.encode(state.status());
        long late = world.sabotage.lateFreezeNanos();
        if (late == 0) {
            step(now);
        } else {
            world.after(
                    late,
                    () -> process.deliver(() -> {
                        if (view != null && view.epoch() == epoch) {
                            step(now);
                        }
                    }));
        }
        if (world.sabotage.thawNanos() < Long.MAX_VALUE) {
            world.after(world.sabotage.thawNanos(), () -> process.deliver(() -> thaw(epoch)));
        }
        return status;
    }

    private void thaw(long epoch) {
        if (state.frozen().filter(frozen -> frozen.epoch() == epoch).isPresent()) {
            state = new State(
                    state.formation(),
                    state.place(),
                    state.next(),
                    state.doneUpTo(),
                    state.open(),
                    state.kept(),
                    state.forwards(),
                    state.refused(),
                    Optional.empty(),
                    state.broken(),
                    state.held(),
                    state.returning());
            pump();
        }
    }

    void install(View next) {
        if (isOver) {
            return;
        }
        String lineage = World.text(next.lineage());
        if (!state.mayGoOnIn(lineage)) {
            removed("it began in another lineage");
            return;
        }
        view = next;
        GroupView groupView = next.groupView(process.host.group).orElseThrow();
        List<NodeId> members =
                next.group(process.host.group).stream().map(Member::node).toList();
        Resolution resolution;
        try {
            resolution = CollectiveCodec.resolution(groupView.resolution());
        } catch (MalformedMessageException malformed) {
            throw new Violation("resolution", String.valueOf(malformed.getMessage()));
        }
        step(new Event.Installed(
                new GroupMachine.Frozen(lineage, next.epoch()),
                lineage + "/" + groupView.epoch(),
                members,
                resolution));
        pump();
        considerBeginning();
        callNext();
    }

    /** All open calls end with an error, and later ones too; before the first call it changes nothing. */
    void removed(String why) {
        if (state.next() > 1 && !isOver) {
            world.trace(process, () -> "its training ends: " + why);
            finish();
            world.after(20 * MILLI + world.random.nextLong(300 * MILLI), () -> tellLoop(new ViewMachine.Event.Leave()));
        }
    }

    void streamBroken(NodeId peer, String why) {
        if (streamsOpen && !isOver && state.formation().members().contains(peer)) {
            step(new Event.StreamBroken(state.formation().fence(), peer, why));
        }
    }

    /** A stream breaks though both ends live. */
    boolean breakStream(java.util.SplittableRandom random) {
        if (!streamsOpen || isOver || state.formation().members().size() < 2) {
            return false;
        }
        NodeId peer = state.formation()
                .members()
                .get(random.nextInt(state.formation().members().size()));
        if (peer.equals(process.host.id)) {
            return false;
        }
        streamBroken(peer, "the stream to " + peer.shortText() + " was reset");
        return true;
    }

    void receive(Frame frame) {
        if (isOver) {
            return;
        }
        boolean isFormer = formerFences.contains(frame.fence());
        if (frame.fence().equals(state.formation().fence()) || (isFormer && !world.sabotage.fences())) {
            take(frame);
            pump();
        } else if (!isFormer) {
            early.add(frame);
        }
    }

    private void take(Frame frame) {
        switch (frame) {
            case Frame.Input input ->
                inputs.computeIfAbsent(input.number(), _ -> new TreeMap<>()).put(input.from(), input.share());
            case Frame.Carried result -> carried.put(result.number(), result.sum());
            case Frame.Held holder ->
                held.computeIfAbsent(holder.number(), _ -> new HashSet<>()).add(holder.from());
        }
    }

    private void step(Event event) {
        world.tally.event();
        String fence = state.formation().fence();
        Step<State, Effect> step = machine.step(state, event, world.now());
        state = world.sabotage.remembered(step.state());
        if (!state.formation().fence().equals(fence)) {
            enter(fence);
        }
        step.effects().forEach(this::carryOut);
    }

    private void enter(String former) {
        formerFences.add(former);
        inputs.clear();
        held.clear();
        carried.clear();
        streamsOpen = false;
        List<Frame> waiting = early;
        early = new ArrayList<>();
        for (Frame frame : waiting) {
            if (frame.fence().equals(state.formation().fence())) {
                take(frame);
            } else if (!formerFences.contains(frame.fence())) {
                early.add(frame);
            }
        }
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Renumber _ -> throw new Violation("boundary", "nothing here begins steps");
            case Effect.Abandon() -> {} // entering the new fence forgot all of the former
            case Effect.RollBack(long number) -> {
                if (world.sabotage.rollsBack()) {
                    unsettledMemory.remove(number);
                }
            }
            case Effect.Commit(long number) -> unsettledMemory.remove(number);
            case Effect.Run(long number, Optional<Refusal> doomed) -> run(number, doomed);
            case Effect.Forward forward -> forward(forward);
            case Effect.End(Status.Kept outcome) -> end(outcome);
            case Effect.Release(long number) -> results.remove(number);
            case Effect.TellBroken(NodeId peer, String why) -> {
                world.trace(process, () -> "the stream to " + world.name(peer) + " broke");
                tellLoop(new ViewMachine.Event.GroupBroken(why));
            }
            case Effect.TellProgress(long doneUpTo, GroupPhase phase) ->
                tellLoop(new ViewMachine.Event.Progress(
                        doneUpTo, world.sabotage.admitsAtWork() ? GroupPhase.FRESH : phase));
        }
    }

    /** Whether the next step has to wait. */
    void hold(boolean held) {
        if (!isOver) {
            step(new Event.Held(held));
        }
    }

    /** The loop hears of it a moment later, in order; what comes from others may be before it. */
    private void tellLoop(ViewMachine.Event event) {
        loopAt = Math.max(loopAt, world.now() + world.random.nextLong(MILLI));
        world.after(loopAt - world.now(), () -> process.deliver(() -> process.view(event)));
    }

    private void run(long number, Optional<Refusal> doomed) {
        Call call = calls.get(number);
        if (call == null) {
            return;
        }
        Violation.unless(
                unsettledMemory.add(number), "memory", "a number runs again and what it left behind is still there");
        streamsOpen = true;
        var share = new Frame.Share(call.value(), call.model(), doomed);
        inputs.computeIfAbsent(number, _ -> new TreeMap<>()).put(process.host.id, share);
        toOthers(new Frame.Input(state.formation().fence(), number, process.host.id, share));
    }

    private void forward(Effect.Forward forward) {
        long number = forward.number();
        streamsOpen = true;
        if (!state.formation().members().contains(forward.holder())) {
            step(new Event.StreamBroken(state.formation().fence(), process.host.id, "the holder is no member"));
        } else if (forward.holder().equals(process.host.id)) {
            Frame.Sum sum = results.get(number);
            if (sum == null) {
                throw new Violation("I6", "a member that is to pass number " + number + " on does not hold it");
            }
            carried.put(number, sum);
            toOthers(new Frame.Carried(state.formation().fence(), number, sum));
            hold(number);
        }
    }

    private void hold(long number) {
        held.computeIfAbsent(number, _ -> new HashSet<>()).add(process.host.id);
        toOthers(new Frame.Held(state.formation().fence(), number, process.host.id));
    }

    private void toOthers(Frame frame) {
        for (NodeId member : state.formation().members()) {
            if (!member.equals(process.host.id)) {
                world.stream(process, member, frame);
            }
        }
    }

    /** Goes on with whatever is complete. */
    private void pump() {
        boolean again = true;
        while (again
                && !isOver
                && process.isAlive()
                && state.frozen().isEmpty()
                && state.broken().isEmpty()) {
            again = state.forwards().isEmpty() ? finishOne() : forwardOne();
        }
    }

    private boolean forwardOne() {
        for (Resolution.Forward forward : List.copyOf(state.forwards())) {
            long number = forward.number();
            Frame.Sum sum = carried.get(number);
            if (sum == null) {
                continue;
            }
            Set<NodeId> holders = held.getOrDefault(number, Set.of());
            if (!holders.contains(process.host.id)) {
                Frame.Sum own = results.get(number);
                Violation.unless(
                        own == null || own.equals(sum),
                        "I5",
                        "the result of number " + number + " that is passed on" + " differs from the own one: " + sum
                                + " and " + own);
                hold(number);
                return true;
            }
            if (holders.containsAll(state.formation().members())) {
                results.put(number, sum);
                step(new Event.Forwarded(number, state.formation().fence()));
                releaseBefore(number);
                return true;
            }
        }
        return false;
    }

    private boolean finishOne() {
        for (Map.Entry<Long, GroupMachine.Open> entry : state.open().entrySet()) {
            long number = entry.getKey();
            SortedMap<NodeId, Frame.Share> got = inputs.getOrDefault(number, new TreeMap<>());
            if (!entry.getValue().running()
                    || got.size() < state.formation().members().size()) {
                continue;
            }
            Optional<Refusal> doom = got.values().stream()
                    .flatMap(share -> share.doomed().stream())
                    .findFirst();
            if (doom.isPresent()) {
                step(new Event.Refused(number, state.formation().fence(), doom.get()));
            } else {
                results.put(number, sum(number, got));
                step(new Event.Finished(number, state.formation().fence()));
            }
            releaseBefore(number);
            return true;
        }
        return false;
    }

    /** Calls that are made one at a time: whoever took part in this one had ended all before it. */
    private void releaseBefore(long number) {
        if (depth == 1) {
            step(new Event.EndedByAll(number - 1));
        }
    }

    private Frame.Sum sum(long number, SortedMap<NodeId, Frame.Share> got) {
        long value = 0;
        for (Frame.Share share : got.values()) {
            value += share.value();
            Violation.unless(
                    share.model() == got.firstEntry().getValue().model(),
                    "I8",
                    "the inputs of number " + number + " come from different models");
        }
        long epoch = Long.parseLong(
                state.formation().fence().substring(state.formation().fence().lastIndexOf('/') + 1));
        return new Frame.Sum(state.formation().fence(), epoch, value, List.copyOf(got.keySet()));
    }

    private void end(Status.Kept outcome) {
        long number = outcome.number();
        Call call = calls.remove(number);
        if (call == null || view == null) {
            return;
        }
        Optional<Frame.Sum> sum =
                outcome.refusal().isPresent() ? Optional.empty() : Optional.ofNullable(results.get(number));
        world.results.isTold(process, number, call.view(), view);
        var ending = new Ending(view.lineage(), outcome, sum, depth == 1 ? state.ranks() : List.of());
        endings.put(number, ending);
        world.tally.collective();
        world.trace(
                process,
                () -> "ends number " + number + " "
                        + sum.map(known -> "with " + known.contributors().size() + " contributors of group epoch "
                                        + known.groupEpoch())
                                .orElse("without a result"));
        for (Ending next = endings.get((long) models.size()); next != null; next = endings.get((long) models.size())) {
            models.add(31 * models.getLast() + next.sum().map(Frame.Sum::value).orElse(-1L));
        }
        world.results.ended(process, number, ending);
        if (isClosing && calls.isEmpty()) {
            world.after(0, () -> process.deliver(this::leave));
        }
        callLater();
    }

    // ---- beginning

    /** Begins once enough others are in, as a script does that waits for its peers. */
    private void considerBeginning() {
        if (!wantsToBegin
                && state.formation().members().size() >= world.wanted(process.host.group)
                && world.beginsJobs()) {
            work(world.jobLength());
        }
    }

    /** A script that does not wait for ever. */
    void beginAfterPatience(long nanos) {
        world.after(
                Math.min(nanos, PATIENCE_NANOS),
                () -> process.deliver(() -> {
                    if (!wantsToBegin && world.beginsJobs()) {
                        work(world.jobLength());
                    }
                }));
    }
}

package io.hearth.collective;

import io.hearth.collective.GroupMachine.Broken;
import io.hearth.collective.GroupMachine.Effect;
import io.hearth.collective.GroupMachine.Event;
import io.hearth.collective.GroupMachine.Frozen;
import io.hearth.collective.GroupMachine.Open;
import io.hearth.collective.GroupMachine.Policy;
import io.hearth.collective.GroupMachine.State;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** One transition of {@link GroupMachine} in the making: the next state's parts, and the effects so far. */
final class GroupDraft {
    private final int window;
    private final Policy policy;
    private final List<Effect> effects = new ArrayList<>();
    private final SortedMap<Long, Open> open;
    private final SortedMap<Long, Status.Kept> kept;
    private String fence;
    private List<NodeId> members;
    private long next;
    private long doneUpTo;
    private List<Resolution.Forward> forwards;
    private Optional<Frozen> frozen;
    private Optional<Broken> broken;

    GroupDraft(State state, int window, Policy policy) {
        this.window = window;
        this.policy = policy;
        this.open = new TreeMap<>(state.open());
        this.kept = new TreeMap<>(state.kept());
        this.fence = state.fence();
        this.members = state.members();
        this.next = state.next();
        this.doneUpTo = state.doneUpTo();
        this.forwards = state.forwards();
        this.frozen = state.frozen();
        this.broken = state.broken();
    }

    Step<State, Effect> step() {
        State state = state();
        if (state.mayRun()) {
            open.replaceAll((number, waiting) -> {
                if (!waiting.running()) {
                    effects.add(new Effect.Run(number, waiting.doomed()));
                }
                return new Open(waiting.signature(), true, waiting.doomed());
            });
            state = state();
        }
        return new Step<>(state, effects);
    }

    private State state() {
        return new State(fence, members, next, doneUpTo, open, kept, forwards, frozen, broken);
    }

    void call(Signature signature) {
        if (open.size() >= window) {
            throw new IllegalStateException(open.size() + " collectives are open, " + window + " may be");
        }
        open.put(next, new Open(signature, false, Optional.empty()));
        next++;
    }

    void finish(long number, String inFence) {
        Open ended = open.get(number);
        if (ended != null && isCurrent(inFence)) {
            end(new Status.Kept(number, members.size(), ended.signature().bytes(), Optional.empty()));
        }
    }

    void refuse(long number, String inFence, Refusal refusal) {
        if (open.containsKey(number) && isCurrent(inFence)) {
            end(new Status.Kept(number, 0, 0, Optional.of(refusal)));
        }
    }

    void forwarded(long number, String inFence) {
        if (!isCurrent(inFence)) {
            return;
        }
        for (Resolution.Forward forward : forwards) {
            if (forward.number() == number && open.containsKey(number)) {
                end(new Status.Kept(number, forward.contributors(), forward.bytes(), Optional.empty()));
            }
        }
        forwards = GroupMachine.without(forwards, number);
    }

    void streamBroken(String inFence, NodeId peer, String why) {
        if (inFence.equals(fence) && broken.isEmpty()) {
            broken = Optional.of(new Broken(peer, why));
            effects.add(new Effect.TellBroken(peer, why));
        }
    }

    void release(long upTo) {
        SortedMap<Long, Status.Kept> old = kept.headMap(Math.min(upTo, doneUpTo) + 1);
        old.keySet().forEach(number -> effects.add(new Effect.Release(number)));
        old.clear();
    }

    void freeze(Frozen now) {
        frozen = Optional.of(now);
    }

    void install(Event.Installed view) {
        boolean succeeds = frozen.isEmpty()
                || !frozen.get().lineage().equals(view.view().lineage())
                || view.view().epoch() > frozen.get().epoch();
        if (succeeds) {
            frozen = Optional.empty();
        }
        if (!view.fence().equals(fence)) {
            enter(view);
        } else {
            // it broke after the status was taken, so this view was decided without it and another one is needed
            broken.ifPresent(stream -> effects.add(new Effect.TellBroken(stream.peer(), stream.why())));
        }
    }

    private void enter(Event.Installed view) {
        List<NodeId> lost = new ArrayList<>(members);
        lost.removeAll(view.members());
        boolean isEntry = !GroupMachine.isOf(view.view().lineage(), fence);
        fence = view.fence();
        members = view.members();
        broken = Optional.empty();
        forwards = view.resolution().forwards();
        effects.add(new Effect.Abandon());
        if (isEntry && next == 1) { // one that was in and called nothing yet still has to call what the others called
            next = view.resolution().first(); // a member that enters a group at work counts from where it is
            doneUpTo = next - 1;
        }
        for (Resolution.Refused refused : view.resolution().refused()) {
            if (open.containsKey(refused.number())) {
                end(new Status.Kept(refused.number(), 0, 0, Optional.of(refused.refusal())));
            }
        }
        open.replaceAll((number, waiting) -> again(number, waiting, lost));
        for (Resolution.Forward forward : forwards) {
            effects.add(new Effect.Forward(
                    forward.number(),
                    members.indexOf(forward.holder()),
                    forward.bytes(),
                    kept.containsKey(forward.number())));
        }
    }

    private Open again(long number, Open waiting, List<NodeId> lost) {
        boolean isForwarded = forwards.stream().anyMatch(forward -> forward.number() == number);
        if (isForwarded) {
            return waiting; // its contribution is in the result: nothing is rolled back
        }
        if (waiting.running()) {
            effects.add(new Effect.RollBack(number));
        }
        return new Open(waiting.signature(), false, waiting.doomed().or(() -> doom(number, waiting.signature(), lost)));
    }

    private Optional<Refusal> doom(long number, Signature signature, List<NodeId> lost) {
        Optional<NodeId> lostRoot = signature.root().filter(root -> !members.contains(root));
        if (lostRoot.isPresent()) {
            return Optional.of(new Refusal(
                    Refusal.Cause.ROOT_LOST,
                    signature.text() + " (number " + number + "): the root was lost before all held its bytes"));
        }
        if (policy == Policy.FAIL_FAST && !lost.isEmpty()) {
            String names =
                    String.join(", ", lost.stream().map(NodeId::shortText).toList());
            return Optional.of(
                    new Refusal(Refusal.Cause.PEER_LOST, signature.text() + " (number " + number + "): lost " + names));
        }
        return Optional.empty();
    }

    private boolean isCurrent(String inFence) {
        if (frozen.isPresent()) {
            throw new IllegalStateException("nothing may end while frozen for a successor of epoch "
                    + frozen.get().epoch());
        }
        return inFence.equals(fence);
    }

    private void end(Status.Kept outcome) {
        long number = outcome.number();
        open.remove(number);
        kept.put(number, outcome);
        effects.add(outcome.refusal().isEmpty() ? new Effect.Commit(number) : new Effect.RollBack(number));
        effects.add(new Effect.End(outcome));
        long before = doneUpTo;
        while (kept.containsKey(doneUpTo + 1)) {
            doneUpTo++;
        }
        release(doneUpTo - window);
        if (doneUpTo > before) {
            effects.add(new Effect.TellProgress(doneUpTo));
        }
    }
}

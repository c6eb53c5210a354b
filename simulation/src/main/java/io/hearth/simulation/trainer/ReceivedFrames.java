package io.hearth.simulation.trainer;

import io.hearth.collective.Signature;
import io.hearth.collective.group.ByNumber;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.Resolution;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.GroupFrame;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Frames received in one group epoch, and the results that are kept beyond it.
 *
 * <p>For a sum, each member sends its input to all. As on a ring, each member finishes in its own time.
 */
final class ReceivedFrames {
    private final Map<Long, SortedMap<NodeId, GroupFrame.Share>> inputs = new HashMap<>();
    private final Map<Long, GroupFrame.Sum> results = new HashMap<>();
    private final Map<Long, GroupFrame.Sum> inHand = new HashMap<>();
    private final Map<Long, Set<NodeId>> held = new HashMap<>();
    private final Map<Long, GroupFrame.Sum> carried = new HashMap<>();
    private final Set<String> formerFences = new HashSet<>();
    private List<GroupFrame> early = new ArrayList<>();
    private final Consumer<GroupFrame> boundary;
    private boolean isOpen;

    /** {@code boundary} gets the frames of the beginnings of steps. */
    public ReceivedFrames(Consumer<GroupFrame> boundary) {
        this.boundary = boundary;
    }

    /** Whether anything was sent in this group epoch. */
    boolean isOpen() {
        return isOpen;
    }

    void open() {
        isOpen = true;
    }

    /** Drops the frames of the former group epoch and takes early ones of the new one. */
    void enter(String former, String fence) {
        formerFences.add(former);
        inputs.clear();
        held.clear();
        carried.clear();
        isOpen = false;
        List<GroupFrame> waiting = early;
        early = new ArrayList<>();
        for (GroupFrame frame : waiting) {
            if (frame.fence().equals(fence)) {
                take(frame);
            } else if (!formerFences.contains(frame.fence())) {
                early.add(frame);
            }
        }
    }

    /**
     * Takes a frame.
     *
     * @param fences whether frames of former group epochs are dropped
     * @return whether it may complete a call
     */
    boolean receive(GroupFrame frame, String fence, boolean fences) {
        boolean isFormer = formerFences.contains(frame.fence());
        if (frame.fence().equals(fence) || (isFormer && !fences)) {
            take(frame);
            return true;
        }
        if (!isFormer) {
            early.add(frame);
        }
        return false;
    }

    private void take(GroupFrame frame) {
        switch (frame) {
            case GroupFrame.Input input -> input(input.number(), input.from(), input.share());
            case GroupFrame.Carried result -> carried(result.number(), result.sum());
            case GroupFrame.Held holder -> held(holder.number(), holder.from());
            case GroupFrame.Claimed _, GroupFrame.Planned _, GroupFrame.Ask _, GroupFrame.Chunk _ ->
                boundary.accept(frame);
        }
    }

    void input(long number, NodeId from, GroupFrame.Share share) {
        inputs.computeIfAbsent(number, _ -> new TreeMap<>()).put(from, share);
    }

    /** The inputs of a number, by member. */
    SortedMap<NodeId, GroupFrame.Share> inputs(long number) {
        return inputs.getOrDefault(number, Collections.emptySortedMap());
    }

    void carried(long number, GroupFrame.Sum sum) {
        carried.put(number, sum);
    }

    void held(long number, NodeId holder) {
        held.computeIfAbsent(number, _ -> new HashSet<>()).add(holder);
    }

    Optional<GroupFrame.Sum> carried(long number) {
        return Optional.ofNullable(carried.get(number));
    }

    Set<NodeId> holders(long number) {
        return held.getOrDefault(number, Set.of());
    }

    Optional<GroupFrame.Sum> result(long number) {
        return Optional.ofNullable(results.get(number));
    }

    void result(long number, GroupFrame.Sum sum) {
        results.put(number, sum);
    }

    /** The result of a sum in place: present until the number ends or runs again from its input. */
    Optional<GroupFrame.Sum> inHand(long number) {
        return Optional.ofNullable(inHand.get(number));
    }

    void inHand(long number, GroupFrame.Sum sum) {
        inHand.put(number, sum);
    }

    void takeBack(long number) {
        inHand.remove(number);
    }

    void release(long number) {
        results.remove(number);
        inHand.remove(number);
    }

    void releaseAll() {
        results.clear();
        inHand.clear();
    }

    /** The inputs of the first running sum that has all of them. */
    Optional<Map.Entry<Long, SortedMap<NodeId, GroupFrame.Share>>> complete(GroupMachine.State state) {
        ByNumber<GroupMachine.Open> open = state.open();
        for (int place = 0; place < open.size(); place++) {
            long number = open.number(place);
            GroupMachine.Open sum = open.at(place);
            SortedMap<NodeId, GroupFrame.Share> got = inputs(number);
            if (sum.running()
                    && sum.signature().kind() == Signature.Kind.ALL_REDUCE
                    && !sum.signature().inPlace()
                    && got.size() >= state.layout().members().size()) {
                return Optional.of(Map.entry(number, got));
            }
        }
        return Optional.empty();
    }

    /** The first forwarded result that arrived here. */
    Optional<Resolution.Forward> passedOn(GroupMachine.State state, NodeId self) {
        return state.forwards().stream()
                .filter(forward -> carried.containsKey(forward.number())
                        && (!holders(forward.number()).contains(self)
                                || holders(forward.number())
                                        .containsAll(state.layout().members())))
                .findFirst();
    }
}

package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.LossPolicy;
import io.hearth.collective.Signature;
import io.hearth.collective.engine.TestGroup;
import io.hearth.collective.group.GroupMachine.Effect;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.GroupMachine.Frozen;
import io.hearth.collective.group.GroupMachine.State;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.core.Step;
import io.hearth.election.GroupPhase;
import io.hearth.election.Member;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.identity.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Starts of a group in a world of random view changes: members are lost and return, require different minimums, learn of views late, and
 * end their exchanges at different moments. No rank may report a start with fewer members than any of them requires.
 */
public final class GroupStartWorldTest {
    private static final int NODES = 4;
    private static final int EVENTS = 300;
    private static final Signature SUM = Signature.allReduce(ReduceOp.SUM, DataType.FLOAT32, 1, Signature.PLAIN);
    private static final CollectiveResolver RESOLVER = new CollectiveResolver();

    private final GroupMachine machine = new GroupMachine(4, LossPolicy.RETRY);
    private final List<Node> nodes = new ArrayList<>();
    private List<Node> members = new ArrayList<>();
    private int epoch = 1;

    private final class Node {
        final NodeId id;
        final int least;
        final Deque<Event.Installed> learns = new ArrayDeque<>();
        State state = State.START;
        int lives;

        Node(int number, int least) {
            this.id = TestGroup.node(number);
            this.least = least;
        }

        void on(Event event) {
            Step<State, Effect> step = machine.step(state, event, 0);
            state = step.state();
            for (Effect effect : step.effects()) {
                if (effect instanceof Effect.End(Status.Kept outcome) && outcome.number() == 1) {
                    started();
                }
            }
        }

        void started() {
            for (NodeId member : state.ranks()) {
                int asked = nodes.stream()
                        .filter(node -> node.id.equals(member))
                        .findFirst()
                        .orElseThrow()
                        .least;
                assertTrue(
                        state.ranks().size() >= asked,
                        () -> "started with " + state.ranks().size() + " of " + asked);
            }
        }

        /** Puts this node alone into a lineage of its own: after a removal, or after a start of the process if {@code anew}. */
        void alone(boolean anew) {
            lives++;
            learns.clear();
            if (anew || state.next() > 2 || (state.next() == 2 && !state.isStarting())) {
                state = State.START; // its application got the error, or is a new process
            }
            String lineage = id.shortText() + lives;
            on(new Event.Installed(new Frozen(lineage, 1), lineage + "/1", List.of(id), false, Resolution.NOTHING));
        }

        /** Learns the next view; work that it did alone ends there. */
        void learnNext() {
            if (!state.mayGoOnIn("main")) {
                state = State.START;
            }
            on(learns.remove());
        }

        void learnAll() {
            while (!learns.isEmpty()) {
                learnNext();
            }
        }

        boolean runs(long number) {
            GroupMachine.Open open = state.open().get(number);
            boolean isForwarded = state.forwards().stream().anyMatch(forward -> forward.number() == number);
            return open != null && open.running() && state.frozen().isEmpty() && !isForwarded;
        }
    }

    public static List<Resolver.Report> reports(List<Status> statuses) {
        var reports = new ArrayList<Resolver.Report>();
        for (int i = 0; i < statuses.size(); i++) {
            var member = new Member(TestGroup.node(i), 1, 1, Role.TRAINER, "g", 1);
            reports.add(new Resolver.Report(member, CollectiveMessages.encode(statuses.get(i))));
        }
        return reports;
    }

    /** Some of the members stay, and single nodes without work enter if the group admits them. */
    private void change(Random random, double lossRate) {
        var kept = new ArrayList<Node>();
        for (Node member : members) {
            if (random.nextDouble() >= lossRate) {
                member.learnAll(); // no member votes on a view that it has not learned
                member.on(new Event.Freeze(new Frozen("main", epoch)));
                kept.add(member);
            }
        }
        if (kept.isEmpty()) {
            kept.add(members.getFirst());
            members.getFirst().learnAll();
            members.getFirst().on(new Event.Freeze(new Frozen("main", epoch)));
        }
        var reports = new ArrayList<Resolver.Report>();
        for (Node node : kept) {
            var member = new Member(node.id, 1, 1, Role.TRAINER, "g", 1);
            reports.add(new Resolver.Report(member, CollectiveMessages.encode(node.state.status("main"))));
        }
        var next = new ArrayList<>(kept);
        boolean isUntouched = kept.stream().allMatch(node -> node.state.phase() == GroupPhase.FRESH);
        for (Node node : nodes) {
            boolean asks = !members.contains(node) && node.state.phase() == GroupPhase.FRESH && random.nextBoolean();
            if (asks && isUntouched && RESOLVER.refusal("g", reports).isEmpty()) {
                next.add(node);
                node.learns.clear();
            }
        }
        epoch++;
        List<Member> list = next.stream()
                .map(node -> new Member(node.id, 1, 1, Role.TRAINER, "g", 1))
                .toList();
        Resolution resolution;
        try {
            resolution = CollectiveMessages.resolution(RESOLVER.resolve("g", list, reports));
        } catch (MalformedMessageException bug) {
            throw new AssertionError(bug);
        }
        List<Node> before = members;
        members = next;
        var view = new Event.Installed(
                new Frozen("main", epoch),
                "main/" + epoch,
                next.stream().map(node -> node.id).toList(),
                next.size() > 1,
                resolution);
        next.forEach(node -> node.learns.add(view));
        before.stream().filter(node -> !next.contains(node)).forEach(node -> node.alone(random.nextInt(3) == 0));
    }

    /** Ends an exchange at one member, which requires that all of them ran it. */
    private void finish(Node node) {
        for (long number : node.state.open().numbers()) {
            String fence = node.state.layout().fence();
            boolean allRan = node.runs(number)
                    && nodes.stream()
                            .filter(other -> node.state.layout().members().contains(other.id))
                            .allMatch(other -> other.state.layout().fence().equals(fence)
                                    && (other.runs(number) || other.state.doneUpTo() >= number));
            if (allRan) {
                node.on(new Event.Finished(number, fence));
            }
        }
        for (Resolution.Forward forward : node.state.forwards()) {
            if (node.state.frozen().isEmpty() && node.state.open().has(forward.number())) {
                node.on(new Event.Forwarded(
                        forward.number(), node.state.layout().fence()));
            }
        }
    }

    private void run(long seed) {
        var random = new Random(seed);
        for (int i = 0; i < NODES; i++) {
            nodes.add(new Node(i, 1 + random.nextInt(NODES)));
        }
        nodes.forEach(node -> node.alone(true));
        members.add(nodes.getFirst());
        nodes.getFirst()
                .learns
                .add(new Event.Installed(
                        new Frozen("main", 1), "main/1", List.of(nodes.getFirst().id), false, Resolution.NOTHING));
        var ranks = new TreeMap<NodeId, List<NodeId>>();
        for (int event = 0; event < EVENTS; event++) {
            Node node = nodes.get(random.nextInt(NODES));
            switch (random.nextInt(8)) {
                case 0, 1 -> {
                    if (node.state.next() == 1) {
                        node.on(new Event.Called(Signature.start(), node.least));
                    } else if (node.state.open().isEmpty() && members.contains(node)) {
                        node.on(new Event.Called(SUM));
                    }
                }
                case 2, 3 -> {
                    if (!node.learns.isEmpty()) {
                        node.learnNext();
                    }
                }
                case 4, 5, 6 -> finish(node);
                default -> change(random, random.nextDouble() / 2);
            }
            ranks.clear();
            for (Node member : members) {
                if (member.state.layout().lineage().equals("main")
                        && member.state.settled().number() == 1) {
                    ranks.put(member.id, member.state.settled().members());
                }
            }
            assertTrue(ranks.values().stream().distinct().count() <= 1, () -> "different starts: " + ranks);
        }
    }

    @Test
    void aStartIsAgreedOnWhateverHappensMeanwhile() {
        for (long seed = 0; seed < (Boolean.getBoolean("hearth.full") ? 1_000 : 500); seed++) {
            try {
                nodes.clear();
                members.clear();
                epoch = 1;
                run(seed);
            } catch (AssertionError | RuntimeException broken) {
                throw new AssertionError("seed " + seed + ": " + broken, broken);
            }
        }
    }

    @Test
    void itStartsOnceAllAreThere() {
        for (int i = 0; i < NODES; i++) {
            nodes.add(new Node(i, i + 1));
        }
        nodes.forEach(node -> node.alone(true));
        nodes.subList(1, NODES).forEach(node -> node.on(new Event.Called(Signature.start(), node.least)));
        members.add(nodes.getFirst());
        for (int round = 0; members.size() < NODES; round++) {
            assertTrue(round < 100, "a node never asks to enter");
            change(new Random(members.size() + epoch), 0);
        }
        nodes.forEach(Node::learnAll);
        nodes.getFirst().on(new Event.Called(Signature.start(), 1));
        nodes.forEach(this::finish);
        nodes.forEach(node ->
                assertEquals(Optional.of(NODES), Optional.of(node.state.ranks().size())));
        nodes.forEach(node -> assertEquals(1, node.state.doneUpTo()));
    }
}

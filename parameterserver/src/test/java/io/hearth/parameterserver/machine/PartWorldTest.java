package io.hearth.parameterserver.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.parameterserver.ServerSettings;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Three machines with one part, in virtual time from a seed: messages are late, lost and doubled, machines crash one after the other and lose
 * their memory, and hear of the ledger late; the part moves to its holder. No acknowledged update is lost, none is applied twice.
 */
final class PartWorldTest {
    private static final int SEEDS = Integer.getInteger("hearth.seeds", 100);
    private static final int STEPS = 1_000;
    private static final int PEACE = 300;
    private static final long STEP_NANOS = 10_000_000L;

    /** A fault of the shell that the checks have to find. */
    private enum Plant {
        NONE,
        ACKNOWLEDGES_BEFORE_THE_HOLDER,
        FORGETS_REPEATS,
        TAKES_OLD_REPORTS_FOR_NEW,
        DROPS_THE_COPY_OF_A_PART_THAT_MOVES
    }

    private record Message(int to, long boot, Runnable action) {}

    private static final class Box {
        private final int number;
        private final NodeId node;
        private boolean isUp = true;
        private long boot;
        private PartState part;
        private List<String> table = new ArrayList<>();
        private RegistryState registry = RegistryState.START;

        private Box(int number, long boot) {
            this.number = number;
            byte[] key = new byte[PeerId.KEY_BYTES];
            key[0] = (byte) number;
            this.node = new NodeId(PeerId.of(key), NodeId.AGENT);
            this.boot = boot;
            this.part = PartState.start(new Assignment.Seat(node, boot));
        }
    }

    private static final class World {
        private final Random random;
        private final Plant plant;
        private final PartMachine machine = new PartMachine();
        private final RegistryMachine registry =
                new RegistryMachine(new ServerSettings(1, false, 1_000_000_000L, Long.MAX_VALUE / 4));
        private final List<Box> boxes = new ArrayList<>();
        private final TreeMap<Long, Message> messages = new TreeMap<>();
        private final Set<String> acknowledged = new HashSet<>();
        private PartLedger ledger = PartLedger.EMPTY;
        private Optional<Integer> elected = Optional.empty();
        private long now;
        private long boots;
        private long calls;
        private long posts;
        private int updates;
        private int crashes;
        private boolean isPeace;

        private World(long seed, Plant plant) {
            this.random = new Random(seed);
            this.plant = plant;
            for (int i = 0; i < 3; i++) {
                boxes.add(new Box(i, ++boots));
            }
        }

        private void later(Box to, Runnable action) {
            if (!isPeace && random.nextInt(10) == 0) {
                return;
            }
            long delay = isPeace || random.nextInt(10) > 0 ? random.nextInt(4) : random.nextInt(200);
            post(delay, to, action);
            if (!isPeace && random.nextInt(20) == 0) {
                post(random.nextInt(300), to, action);
            }
        }

        private void post(long delay, Box to, Runnable action) {
            messages.put(
                    (now / STEP_NANOS + delay) * 1_000_000 + ++posts % 1_000_000,
                    new Message(to.number, to.boot, action));
        }

        private void step(Box box, PartEvent event) {
            Step<PartState, PartEffect> step = machine.step(box.part, event, now);
            box.part = step.state();
            boolean keepsOld = box.part.role() == PartState.Role.HOLDER && box.part.copyTerm() < box.part.term();
            if (keepsOld && plant == Plant.DROPS_THE_COPY_OF_A_PART_THAT_MOVES) {
                box.part = dropped(box.part);
            }
            for (PartEffect effect : step.effects()) {
                carryOut(box, effect);
            }
        }

        private static PartState dropped(PartState part) {
            return new PartState(
                    part.seat(),
                    part.term(),
                    part.role(),
                    part.holder(),
                    0,
                    part.index(),
                    part.holderHas(),
                    part.attempt(),
                    part.isSending(),
                    part.inFlight(),
                    part.retryNanos());
        }

        private void carryOut(Box box, PartEffect effect) {
            switch (effect) {
                case PartEffect.Load(long term) -> {
                    box.table = new ArrayList<>();
                    step(box, new PartEvent.Loaded(term, 0));
                }
                case PartEffect.Install(ByteString copy) ->
                    box.table = new ArrayList<>(
                            copy.isEmpty()
                                    ? List.of()
                                    : List.of(copy.toStringUtf8().split(" ")));
                case PartEffect.Apply(ByteString update) -> {
                    String key = update.toStringUtf8();
                    if (!box.table.contains(key) || plant == Plant.FORGETS_REPEATS) {
                        box.table.add(key);
                    }
                    if (box.part.role() == PartState.Role.PRIMARY) {
                        acknowledged.add(key);
                    }
                }
                case PartEffect.SendCopy(long attempt, NodeId holder, long term, long index) ->
                    send(box, attempt, holder, term, true, index, ByteString.copyFromUtf8(String.join(" ", box.table)));
                case PartEffect.SendUpdate(long attempt, NodeId holder, long term, long index, ByteString update) -> {
                    if (plant == Plant.ACKNOWLEDGES_BEFORE_THE_HOLDER) {
                        acknowledged.add(update.toStringUtf8());
                    }
                    send(box, attempt, holder, term, false, index, update);
                }
                case PartEffect.Reply(long call, boolean isAccepted, long term) -> {
                    answer(call, isAccepted, term);
                }
                case PartEffect.Stopped _ -> {
                    if (box.part.copyTerm() == 0) {
                        box.table = new ArrayList<>();
                    }
                }
            }
        }

        private record Open(Box from, long attempt) {}

        private final Map<Long, Open> open = new TreeMap<>();

        private void send(Box from, long attempt, NodeId to, long term, boolean isCopy, long index, ByteString body) {
            Box target = boxes.stream()
                    .filter(box -> box.node.equals(to))
                    .findFirst()
                    .orElseThrow();
            long call = ++calls;
            open.put(call, new Open(from, attempt));
            later(target, () -> step(target, new PartEvent.Delivered(call, term, isCopy, index, body)));
            post(50, from, () -> step(from, new PartEvent.NotAnswered(attempt))); // its time is up
        }

        private void answer(long call, boolean isAccepted, long term) {
            Open asked = open.get(call);
            if (asked != null) {
                later(asked.from, () -> step(asked.from, new PartEvent.Answered(asked.attempt, isAccepted, term)));
            }
        }

        private Report report(Box box) {
            return new Report(box.boot, new TreeMap<>(Map.of(0, new Report.Part(box.part.copyTerm(), 0, 0))));
        }

        private void registry(Box box, RegistryEvent event) {
            Step<RegistryState, RegistryEffect> step = registry.step(box.registry, event, now);
            box.registry = step.state();
            for (RegistryEffect effect : step.effects()) {
                switch (effect) {
                    case RegistryEffect.Submit(long number, Bytes command, String _) ->
                        later(box, () -> {
                            if (elected.equals(Optional.of(box.number))) {
                                ledger = PartLedger.APPLICATION
                                        .apply(ledger, command)
                                        .state();
                                registry(box, new RegistryEvent.Applied(ledger));
                                tell();
                            }
                            registry(box, new RegistryEvent.Stored(number));
                        });
                    case RegistryEffect.Ask(long round, List<NodeId> members) -> {
                        for (Box each : boxes) {
                            if (members.contains(each.node)) {
                                later(each, () -> {
                                    Report report = report(each);
                                    later(
                                            box,
                                            () -> registry(
                                                    box,
                                                    new RegistryEvent.Reported(
                                                            each.node,
                                                            plant == Plant.TAKES_OLD_REPORTS_FOR_NEW
                                                                    ? Long.MAX_VALUE
                                                                    : round,
                                                            report)));
                                });
                            }
                        }
                    }
                    case RegistryEffect.Answer _, RegistryEffect.Fail _ -> {}
                }
            }
        }

        private void tell() {
            Optional.ofNullable(ledger.assignments().get(0))
                    .ifPresent(assignment ->
                            boxes.forEach(box -> later(box, () -> step(box, new PartEvent.Assigned(assignment)))));
        }

        private void elect() {
            elected.map(boxes::get)
                    .filter(box -> box.isUp)
                    .ifPresent(box -> registry(
                            box, new RegistryEvent.Deposed(new Failure(Failure.Code.UNAVAILABLE, "another one"))));
            List<Box> up = boxes.stream().filter(box -> box.isUp).toList();
            Box next = up.get(random.nextInt(up.size()));
            elected = Optional.of(next.number);
            registry(next, new RegistryEvent.Elected(ledger));
            registry(
                    next,
                    new RegistryEvent.Members(up.stream().map(box -> box.node).toList()));
        }

        /** Whether another machine than this one has everything, so that its crash may be survived. */
        private boolean mayCrash(Box box) {
            Assignment now2 = ledger.assignments().get(0);
            return now2 != null
                    && boxes.stream().anyMatch(other -> other != box && has(other, now2))
                    && boxes.stream().filter(each -> each.isUp).count() > 1;
        }

        private boolean has(Box box, Assignment now2) {
            var seat = new Assignment.Seat(box.node, box.boot);
            boolean isHolder = now2.holder().equals(Optional.of(seat));
            boolean isWhole = box.part.copyTerm() == now2.term()
                    && (isHolder || now2.primary().equals(seat));
            boolean keepsIt = isHolder
                    && moves.contains(now2.term())
                    && (box.part.copyTerm() == now2.term() - 1 || plant == Plant.DROPS_THE_COPY_OF_A_PART_THAT_MOVES);
            return box.isUp && (isWhole || keepsIt);
        }

        private final Set<Long> moves = new HashSet<>(); // terms in which the holder of the one before is the primary

        private void move() {
            Assignment before = ledger.assignments().get(0);
            if (before == null) {
                return;
            }
            long whole = boxes.stream()
                    .filter(box -> has(box, before) && box.part.copyTerm() == before.term())
                    .count();
            if (whole == 2) {
                Assignment next = AssignmentRules.moved(before, before.holder().orElseThrow());
                ledger = PartLedger.APPLICATION
                        .apply(ledger, PartLedger.assign(next))
                        .state();
                moves.add(next.term());
                elected.map(boxes::get)
                        .filter(box -> box.isUp)
                        .ifPresent(box -> registry(box, new RegistryEvent.Applied(ledger)));
                tell();
            }
        }

        private void run() {
            elect();
            for (int i = 0; i < STEPS + PEACE; i++) {
                now += STEP_NANOS;
                isPeace = i >= STEPS;
                if (!isPeace) {
                    trouble();
                }
                if (i == STEPS) {
                    boxes.stream().filter(box -> !box.isUp).forEach(this::start);
                    elect();
                }
                if (i % 100 == 0) {
                    tell(); // the ledger reaches all machines in the end
                }
                while (!messages.isEmpty() && messages.firstKey() / 1_000_000 <= now / STEP_NANOS) {
                    Message message = messages.pollFirstEntry().getValue();
                    {
                        Box to = boxes.get(message.to);
                        if (to.isUp && to.boot == message.boot) {
                            message.action.run();
                        }
                    }
                }
                for (Box box : boxes) {
                    if (box.isUp) {
                        step(box, new PartEvent.Tick());
                        registry(box, new RegistryEvent.Tick());
                        if (box.part.canPropose() && random.nextInt(12) == 0) {
                            String key = "u" + (random.nextInt(5) == 0 ? random.nextInt(updates + 1) : ++updates);
                            if (!box.table.contains(key)
                                    || plant == Plant.FORGETS_REPEATS) { // a repeat of what it has is answered at once
                                step(box, new PartEvent.Propose(ByteString.copyFromUtf8(key)));
                            }
                        }
                    }
                }
                check(i);
            }
            assertTrue(updates > 5, "the world moves: " + updates);
        }

        private void start(Box box) {
            box.isUp = true;
            box.boot = ++boots;
            box.part = PartState.start(new Assignment.Seat(box.node, box.boot));
            box.table = new ArrayList<>();
            box.registry = RegistryState.START;
            tell();
        }

        private void trouble() {
            Box box = boxes.get(random.nextInt(3));
            switch (random.nextInt(50)) {
                case 0 -> {
                    if (box.isUp && mayCrash(box)) {
                        box.isUp = false;
                        crashes++;
                        elect();
                    }
                }
                case 1, 2 -> {
                    if (!box.isUp) {
                        start(box);
                        elect();
                    }
                }
                case 3 -> elect();
                case 4 -> move();
                default -> {}
            }
        }

        private void check(int i) {
            Assignment assignment = ledger.assignments().get(0);
            for (Box box : boxes) {
                if (box.isUp && assignment != null && box.part.isServing() && box.part.term() == assignment.term()) {
                    assertTrue(
                            box.table.containsAll(acknowledged),
                            () -> "step " + i + ": lost "
                                    + acknowledged.stream()
                                            .filter(key -> !box.table.contains(key))
                                            .toList());
                    assertEquals(new HashSet<>(box.table).size(), box.table.size(), "step " + i + ": applied twice");
                }
            }
            if (i == STEPS + PEACE - 1) {
                assertTrue(
                        boxes.stream()
                                .anyMatch(box -> box.part.isServing()
                                        && box.part.holderHas()
                                        && assignment != null
                                        && box.part.term() == assignment.term()),
                        () -> "in the end one machine serves with a copy: " + ledger
                                + boxes.stream().map(box -> box.part).toList());
            }
        }
    }

    @Test
    void noAcknowledgedUpdateIsLostAndNoneIsAppliedTwice() {
        int crashes = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            var world = new World(seed, Plant.NONE);
            try {
                world.run();
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("seed " + seed + ": " + failed.getMessage(), failed);
            }
            crashes += world.crashes;
        }
        assertTrue(crashes > SEEDS, "crashes: " + crashes);
    }

    @Test
    void plantedFaultsAreFound() {
        for (Plant plant : Plant.values()) {
            boolean isFound = false;
            for (long seed = 0; seed < (plant == Plant.NONE ? 20 : 500) && !isFound; seed++) {
                try {
                    new World(seed, plant).run();
                } catch (AssertionError found) {
                    isFound = true;
                }
            }
            if (plant == Plant.NONE) {
                assertFalse(isFound, plant.toString());
            } else {
                assertTrue(isFound, plant.toString());
            }
        }
    }
}

package io.hearth.election.view;

import static io.hearth.election.view.World.MILLI;
import static io.hearth.election.view.World.SECOND;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.ElectionConfig;
import io.hearth.election.Nodes;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.view.World.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plays two to six nodes through 20 s of faults of processes, network and disks, then heals: safety after every event, one view of
 * all in the end.
 */
final class ViewSimulationTest {
    private static final long FAULTY = 20 * SECOND;
    private static final long HEALED = 20 * SECOND;

    static LongStream seeds() {
        Long one = Long.getLong("hearth.seed");
        long first = Long.getLong("hearth.firstSeed", 0);
        return one == null
                ? LongStream.range(
                        first, first + Integer.getInteger("hearth.seeds", Boolean.getBoolean("hearth.full") ? 150 : 50))
                : LongStream.of(one);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void viewsNeverSplitAndAllNodesUniteOnceTheNetworkHeals(long seed) {
        var world = new World(seed);
        try {
            List<Host> hosts = populate(world);
            faults(world, hosts);
            heal(world, hosts);
            world.unite(HEALED + earnedWaits(world), "healed");
            staysUnited(world);
        } catch (AssertionError | RuntimeException wrong) {
            throw new AssertionError(
                    "seed " + seed + " at " + world.now / MILLI + " ms (replay: -Dhearth.seed=" + seed
                            + " -Dhearth.trace=true): " + wrong.getMessage() + world.describe(),
                    wrong);
        }
    }

    private static List<Host> populate(World world) {
        var hosts = new ArrayList<Host>();
        int count = 2 + world.random.nextInt(5);
        var policy =
                world.random.nextInt(4) == 0 ? ElectionConfig.OnPartition.CONTINUE : ElectionConfig.OnPartition.STALL;
        for (int i = 0; i < count; i++) {
            boolean sharesMachine = i > 0 && world.random.nextInt(4) == 0;
            int machine = sharesMachine ? i : i + 1;
            boolean isAgent = !sharesMachine && world.random.nextBoolean();
            hosts.add(world.add(
                    isAgent ? Nodes.agent(machine) : Nodes.trainer(machine, i),
                    isAgent ? Role.AGENT : Role.TRAINER,
                    ElectionConfig.DEFAULTS.onPartition(policy)));
        }
        return hosts;
    }

    private static void faults(World world, List<Host> hosts) {
        world.loss = world.random.nextInt(3) == 0 ? 0.15 * world.random.nextDouble() : 0;
        world.repeat = world.random.nextInt(3) == 0 ? 0.2 : 0;
        world.sharp = world.random.nextInt(2) == 0 ? 0.004 : 0;
        world.delayMax = world.random.nextInt(3) == 0 ? 300 * MILLI : 2 * MILLI;
        for (Host host : hosts) {
            world.at(world.random.nextLong(4 * SECOND), () -> world.start(host));
        }
        for (long at = 0; at < FAULTY; at += world.random.nextLong(2 * SECOND)) {
            world.at(at, () -> fault(world, hosts));
        }
        world.run(FAULTY);
    }

    private static void fault(World world, List<Host> hosts) {
        Host host = hosts.get(world.random.nextInt(hosts.size()));
        switch (world.random.nextInt(12)) {
            case 0 -> world.crash(host, world.random.nextBoolean());
            case 1, 2 -> world.start(host);
            case 3 -> world.pause(host, world.random.nextLong(4 * SECOND));
            case 4 -> partition(world, hosts);
            case 5 -> world.cut(host.id, hosts.get(world.random.nextInt(hosts.size())).id);
            case 6 -> world.healAll();
            case 7 -> host.folder.writeNanos = world.random.nextLong(SECOND);
            case 8 -> host.folder.isFull = !host.folder.isFull;
            case 9 -> host.folder.records.clear();
            case 10 -> world.outage(world.random.nextLong(6 * SECOND), SECOND);
            default -> {
                if (host.isUp) {
                    boolean leaves = world.random.nextInt(3) == 0;
                    world.view(host, leaves ? new ViewEvent.Leave() : new ViewEvent.GroupBroken(host.id, "by chance"));
                }
            }
        }
    }

    private static void partition(World world, List<Host> hosts) {
        int sides = world.random.nextInt(1 << hosts.size());
        for (int i = 0; i < hosts.size(); i++) {
            for (int j = 0; j < i; j++) {
                if ((sides >> i & 1) != (sides >> j & 1)) {
                    world.cutBoth(hosts.get(i).id, hosts.get(j).id);
                }
            }
        }
    }

    private static void heal(World world, List<Host> hosts) {
        world.loss = 0;
        world.repeat = 0;
        world.sharp = 0;
        world.delayMax = 2 * MILLI;
        world.healAll();
        world.folders.values().forEach(folder -> {
            folder.writeNanos = 0;
            folder.isFull = false;
        });
        hosts.forEach(world::start);
        world.run(world.now + 62 * SECOND); // who was about to leave is gone, and every lost record was missed
        hosts.forEach(world::start);
    }

    /** Who was removed often during the faults waits outside for as long as that earned it, once more at most. */
    private static long earnedWaits(World world) {
        return world.hosts.values().stream()
                .flatMap(host -> host.state().admission().holdDowns().values().stream())
                .mapToLong(hold -> 2 * hold.spanNanos())
                .max()
                .orElse(0);
    }

    private static void staysUnited(World world) {
        View view = world.hosts.values().iterator().next().state().view();
        world.run(world.now + 5 * SECOND);
        assertTrue(world.isUnited(), "fell apart in peace");
        assertTrue(world.hosts.values().iterator().next().state().view().equals(view), "the view changes in peace");
    }
}

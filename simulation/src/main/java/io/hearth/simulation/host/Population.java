package io.hearth.simulation.host;

import io.hearth.election.Role;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The hosts of one world.
 *
 * @param isCrowd whether few machines run several processes each
 */
public record Population(List<Host> hosts, boolean isCrowd) {
    private static final int CROWD_ONE_IN = 10;
    private static final int USUAL_TRAINERS_MAX = 2;
    private static final int HOSTS_MAX = 6;
    private static final List<String> GROUPS = List.of("alpha", "beta", "gamma");

    public Population {
        hosts = List.copyOf(hosts);
    }

    public static Population draw(SplittableRandom random, SplittableRandom rarities, SplittableRandom extremes) {
        return extremes.nextInt(CROWD_ONE_IN) == 0
                ? new Population(crowd(extremes), true)
                : new Population(usual(random, rarities), false);
    }

    /** Few machines with several processes each: one has two or three trainers, and an agent or none. */
    private static List<Host> crowd(SplittableRandom extremes) {
        var hosts = new ArrayList<Host>();
        int machines = 1 + extremes.nextInt(3);
        for (int machine = 1; machine <= machines; machine++) {
            if (extremes.nextInt(3) == 0) {
                add(hosts, NodeIds.agent(machine), Role.AGENT, "");
            }
            int trainers = machine == 1 ? 2 + extremes.nextInt(2) : extremes.nextInt(3);
            for (int i = 0; i < trainers && hosts.size() < HOSTS_MAX; i++) {
                add(hosts, NodeIds.trainer(machine, i), Role.TRAINER, GROUPS.getFirst());
            }
        }
        return hosts;
    }

    private static List<Host> usual(SplittableRandom random, SplittableRandom rarities) {
        var hosts = new ArrayList<Host>();
        int usual = 2 + random.nextInt(4);
        int count = rarities.nextInt(16) == 0 ? HOSTS_MAX : usual;
        boolean hasTwoGroups = random.nextInt(6) == 0;
        int groups = rarities.nextInt(12) == 0 ? GROUPS.size() : hasTwoGroups ? 2 : 1;
        int machine = 0;
        for (int i = 0; i < count; i++) {
            boolean joinsAgent = i > 0 && hosts.getLast().role == Role.AGENT && random.nextInt(3) == 0;
            boolean joinsTrainer = groups > 1 && hasRoom(hosts, machine) && rarities.nextInt(4) == 0;
            boolean sharesMachine = joinsAgent || joinsTrainer;
            machine += sharesMachine ? 0 : 1;
            boolean isAgent = !sharesMachine && random.nextInt(3) == 0;
            String group = GROUPS.get(
                    groups == GROUPS.size() ? rarities.nextInt(groups) : groups == 2 && random.nextBoolean() ? 1 : 0);
            if (isAgent) {
                add(hosts, NodeIds.agent(machine), Role.AGENT, "");
            } else {
                add(hosts, NodeIds.trainer(machine, i % USUAL_TRAINERS_MAX), Role.TRAINER, group);
            }
        }
        return hosts;
    }

    private static void add(List<Host> hosts, NodeId id, Role role, String group) {
        Home home = hosts.stream()
                .filter(host -> host.id.peer().equals(id.peer()))
                .map(host -> host.home)
                .findFirst()
                .orElseGet(Home::new);
        hosts.add(new Host(hosts.size(), id, role, group, home));
    }

    /** Whether one more trainer can run beside the one that runs on that machine. */
    private static boolean hasRoom(List<Host> hosts, int machine) {
        long trainers = hosts.stream()
                .filter(host -> host.role == Role.TRAINER && host.machine() == machine)
                .count();
        return trainers > 0 && trainers < USUAL_TRAINERS_MAX;
    }
}

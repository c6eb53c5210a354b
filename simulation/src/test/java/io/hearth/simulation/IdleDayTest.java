package io.hearth.simulation;

import static io.hearth.simulation.time.Timeline.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.ElectionConfig;
import io.hearth.election.Role;
import io.hearth.election.health.HealthConfig;
import io.hearth.simulation.ViewStage.Actor;
import io.hearth.simulation.host.NodeIds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Agents of a home during a day on which nobody trains. A laptop sleeps 96 times, and another machine restarts. Each sleep makes a lineage,
 * and a node remembers 64.
 */
final class IdleDayTest {
    private static final long QUARTER_NANOS = 900 * SECOND;
    private static final int QUARTERS = 96;
    private static final int HOSTS = 4;
    private static final int LAPTOP = 2;
    private static final int RESTARTED = 3;

    private final ViewStage stage = new ViewStage(1, HealthConfig.byRoundTrips());
    private final List<Actor> hosts = new ArrayList<>();

    /** Characters of all that a node remembers: a measure of its memory without the heap's chances. */
    private static int size(Actor host) {
        return host.state().toString().length() + host.health.toString().length();
    }

    private int size() {
        return hosts.stream().mapToInt(IdleDayTest::size).sum();
    }

    private void sleepFor(long nanos) {
        Actor laptop = hosts.get(LAPTOP);
        List<Actor> others = hosts.stream().filter(host -> host != laptop).toList();
        stage.isolate(laptop, others);
        stage.run(stage.now() + nanos);
        assertEquals(HOSTS - 1, hosts.getFirst().state().view().members().size(), "it is out of the view meanwhile");
        others.forEach(other -> stage.heal(laptop, other));
        stage.unite(20 * SECOND, "after its sleep");
    }

    private void restart() {
        stage.crash(hosts.get(RESTARTED), false);
        stage.run(stage.now() + 60 * SECOND);
        stage.start(hosts.get(RESTARTED));
        stage.unite(20 * SECOND, "after its restart");
    }

    @Tag("full")
    @Test
    void noNodeGrowsInADay() {
        for (int machine = 1; machine <= HOSTS; machine++) {
            Actor host = stage.add(NodeIds.agent(machine), Role.AGENT, ElectionConfig.DEFAULTS);
            stage.start(host);
            hosts.add(host);
        }
        stage.unite(20 * SECOND, "start");
        int early = 0;
        for (int quarter = 1; quarter <= QUARTERS; quarter++) {
            sleepFor(300 * SECOND);
            if (quarter % 12 == 0) {
                restart();
            }
            stage.run(quarter * QUARTER_NANOS);
            assertTrue(stage.isUnited(), () -> "quiet time changes nothing: " + stage.describe());
            early = quarter == QUARTERS * 3 / 4 ? size() : early;
        }
        int late = size();
        assertTrue(late < 1.05 * early, late + " characters after a day, " + early + " after three quarters of it");
    }
}

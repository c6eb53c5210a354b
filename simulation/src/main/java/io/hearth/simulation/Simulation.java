package io.hearth.simulation;

import io.hearth.simulation.plant.BugHooks;
import io.hearth.simulation.report.Outcome;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.LieKind;
import io.hearth.simulation.setting.LiePlan;
import io.hearth.simulation.time.Timeline;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Plays whole clusters in virtual time: the product's own state machines of every node, and around them a network, disks and
 * applications with random faults. A seed always gives the same world.
 *
 * <p>Source: the deterministic simulation of FoundationDB (Zhou et al., SIGMOD 2021), with swarm testing's choice of faults.
 */
public final class Simulation {
    private Simulation() {}

    /** Plays one seed; {@code bug} is planted in the nodes. */
    public static Outcome run(long seed, Optional<PlantedBug> bug) {
        return play(seed, bug, null);
    }

    /** Like {@link #run}, and passes each event to {@code lines}. */
    public static Outcome trace(long seed, Optional<PlantedBug> bug, Consumer<String> lines) {
        return play(seed, bug, lines);
    }

    /**
     * Plays one seed with a member that lies, and processes that die now and then.
     *
     * @param kinds of lies
     * @param atOnce lies told at one instant, 1 or more; there are about a thousand instants in a world
     */
    public static Outcome lies(long seed, Set<LieKind> kinds, int atOnce, @Nullable Consumer<String> lines) {
        var plan = new LiePlan(kinds, atOnce, 40 * Timeline.MILLI, true);
        return play(new World(seed, BugHooks.NONE, lines, Optional.of(plan)), seed);
    }

    private static Outcome play(long seed, Optional<PlantedBug> bug, @Nullable Consumer<String> lines) {
        return play(new World(seed, bug.map(PlantedBug::hooks).orElse(BugHooks.NONE), lines, Optional.empty()), seed);
    }

    private static Outcome play(World world, long seed) {
        Optional<String> violation = Optional.empty();
        try {
            world.play();
        } catch (Violation broken) {
            violation = Optional.of(broken.getMessage() + world.liar.text())
                    .filter(_ -> !world.liar.mayBreak(broken.rule()));
        } catch (RuntimeException | AssertionError thrown) {
            violation = Optional.of("thrown: " + thrown + at(thrown) + world.liar.text());
        }
        violation.ifPresent(what -> world.setting.note("VIOLATION " + what));
        return new Outcome(
                seed,
                world.setting.spans.name(),
                world.setting.statistics.events(),
                world.setting.viewChecker.views(),
                world.setting.statistics.collectives(),
                world.setting.now(),
                world.setting.statistics.faults(),
                world.setting.statistics.recovery(),
                violation);
    }

    private static String at(Throwable thrown) {
        StackTraceElement[] frames = thrown.getStackTrace();
        return frames.length == 0 ? "" : " at " + frames[0];
    }
}

package io.hearth.simulation;

import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Plays whole clusters in virtual time: the machines of every node that the product runs, and around them a network, disks and
 * applications that fail in every way that a seed can think of. The same seed gives the same world, always.
 *
 * <p>Source: the deterministic simulation of FoundationDB (Zhou et al., SIGMOD 2021), with swarm testing's choice of faults.
 */
public final class Simulation {
    private Simulation() {}

    /** Plays one seed; {@code plant} spoils the nodes on purpose. */
    public static Outcome run(long seed, Optional<PlantedBug> bug) {
        return play(seed, bug, null);
    }

    /** As {@link #run}, and tells each thing that happens as a line. */
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
        var plan = new Liar.Plan(kinds, atOnce, 40 * Timeline.MILLI, true);
        return play(new World(seed, BugHooks.NONE, lines, Optional.of(plan)), seed);
    }

    private static Outcome play(long seed, Optional<PlantedBug> bug, @Nullable Consumer<String> lines) {
        return play(new World(seed, bug.map(PlantedBug::hooks).orElse(BugHooks.NONE), lines), seed);
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
        violation.ifPresent(what -> world.note("VIOLATION " + what));
        return new Outcome(
                seed,
                world.spans.name(),
                world.tally.events(),
                world.viewChecker.views(),
                world.tally.collectives(),
                world.now(),
                world.tally.faults(),
                world.tally.recovery(),
                violation);
    }

    private static String at(Throwable thrown) {
        StackTraceElement[] frames = thrown.getStackTrace();
        return frames.length == 0 ? "" : " at " + frames[0];
    }
}

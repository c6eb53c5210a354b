package io.hearth.simulation.setting;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * How the lying member of a world lies.
 *
 * @param kinds of lies; none if no member lies
 * @param atOnce lies to one node at one instant
 * @param pauseNanos most between two such instants
 * @param isAlone whether the world has no other faults
 */
public record LiePlan(Set<LieKind> kinds, int atOnce, long pauseNanos, boolean isAlone) {
    static final LiePlan NONE = new LiePlan(Set.of(), 1, SECOND, false);

    private static final int KINDS_MAX = 3;

    public LiePlan {
        kinds = kinds.isEmpty() ? Set.of() : EnumSet.copyOf(kinds);
    }

    /** Some kinds that the present rules withstand. */
    static LiePlan draw(SplittableRandom random) {
        var kinds = EnumSet.noneOf(LieKind.class);
        List<LieKind> all = List.copyOf(LieKind.BORNE);
        for (int i = 0; i < KINDS_MAX && !all.isEmpty(); i++) {
            kinds.add(all.get(random.nextInt(all.size())));
        }
        return new LiePlan(kinds, 1, 400 * MILLI, false);
    }
}

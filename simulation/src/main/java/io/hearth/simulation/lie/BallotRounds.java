package io.hearth.simulation.lie;

import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.election.Ballot;
import io.hearth.election.View;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.setting.WorldSetting;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The rounds of a liar's ballots: any, or rounds that climb as fast as the others follow. */
final class BallotRounds {
    private static final long ROUNDS_A_STEP = 1_000; // the others follow one such step in a second

    private final WorldSetting setting;
    private final Map<View, Climb> climbs = new HashMap<>();

    BallotRounds(WorldSetting setting) {
        this.setting = setting;
    }

    /** The highest round that it climbed to by steps, and when it began. */
    private record Climb(long round, long sinceNanos) {
        Climb higher() {
            return new Climb(round + ROUNDS_A_STEP, sinceNanos);
        }
    }

    /** Any round; often one of the highest. */
    long any() {
        return switch (setting.liars.nextInt(4)) {
            case 0 -> Ballot.ROUND_MAX;
            case 1 -> Ballot.ROUND_MAX - setting.liars.nextInt(3);
            case 2 -> 1 + setting.liars.nextLong(Ballot.ROUND_MAX);
            default -> 1 + setting.liars.nextInt(3_000);
        };
    }

    /** Any round, or the next round of a climb that the others follow. */
    long next(View view) {
        if (setting.liars.nextInt(3) > 0) {
            return any();
        }
        Climb climb = climbs.getOrDefault(view, new Climb(0, setting.now())).higher();
        climbs.put(view, climb);
        return climb.round();
    }

    /**
     * The time that a machine which missed the liar's ballots needs to follow their rounds: as long as the lies went on. Where the others
     * are a quorum without the liar, they put it out and soon leave such a view.
     */
    long climbNanos(Cluster cluster) {
        return cluster.processes().stream()
                .map(process -> climbs.get(process.state().view()))
                .filter(Objects::nonNull)
                .mapToLong(
                        climb -> Math.min(climb.round() / ROUNDS_A_STEP * SECOND, setting.now() - climb.sinceNanos()))
                .max()
                .orElse(0);
    }
}

package io.hearth.simulation.replicated;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.replicated.machine.Limits;
import io.hearth.replicated.machine.ReplicaMachine;
import io.hearth.simulation.time.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What all parts of one world share. */
final class ReplicaHome {
    static final long TROUBLE_NANOS = 40 * SECOND;
    private static final int SITES_MAX = 5;

    final SplittableRandom random;
    final ReplicaBug bug;
    final Timeline time = new Timeline();
    final ReplicaMachine<Ledger> machine;
    final List<ReplicaSite> sites = new ArrayList<>();
    final ReplicaLinks links;
    final ReplicaViews views;
    final ReplicaChecker checker;

    /** Whether writes fail at times. */
    final boolean failsDisks;

    /** Whether messages are lost on links that stay up. */
    final boolean losesMessages;

    /** Whether nodes are told of views that no protocol would make. */
    final boolean hasWildViews;

    /** Whether nodes that lost their quorum live on alone. */
    final boolean continues;

    ReplicaHome(long seed, ReplicaBug bug) {
        this.random = new SplittableRandom(seed);
        this.bug = bug;
        var limits = new Limits(
                random.nextInt(4) == 0 ? 512 : 2 + random.nextInt(12), 1L << 20, 1 + random.nextInt(3), 48, 4, SECOND);
        this.machine = new ReplicaMachine<>(Ledger.APPLICATION, new PlantedSafety(bug), limits);
        this.failsDisks = random.nextInt(4) == 0;
        this.losesMessages = random.nextInt(4) == 0;
        this.hasWildViews = random.nextInt(4) == 0;
        this.continues = random.nextInt(4) == 0;
        this.checker = new ReplicaChecker(this);
        this.views = new ReplicaViews(this);
        int count = 1 + random.nextInt(SITES_MAX);
        for (int index = 0; index < count; index++) {
            sites.add(new ReplicaSite(this, index));
        }
        this.links = new ReplicaLinks(this);
    }

    boolean isTrouble() {
        return time.now() < TROUBLE_NANOS;
    }

    long wallMillis() {
        return 1_000 + time.now() / MILLI;
    }

    ReplicaSite any() {
        return sites.get(random.nextInt(sites.size()));
    }
}

package io.hearth.simulation.replicated;

import static io.hearth.simulation.time.Timeline.MICRO;
import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.identity.NodeId;
import io.hearth.replicated.machine.ReplicaEvent;
import java.util.Arrays;
import java.util.function.Consumer;

/** Links between sites: ordered, and lost with all that is on the way. Each end learns later, and apart, that its link is gone. */
final class ReplicaLinks {
    private final ReplicaHome home;
    private final boolean[][] isUp;

    /** Counts what happened to a link; what was on the way before is lost. */
    private final int[][] generation;

    /** When a link came up or went down. */
    private final long[][] changed;

    private final boolean[][] believesUp;
    private final long[][] arrival;
    private final int[] side;

    /** Until when two sites do not reach one another, whatever their sides are. */
    private final long[][] blocked;

    private final long slowest;

    ReplicaLinks(ReplicaHome home) {
        this.home = home;
        int count = home.sites.size();
        this.isUp = new boolean[count][count];
        this.generation = new int[count][count];
        this.changed = new long[count][count];
        this.believesUp = new boolean[count][count];
        this.arrival = new long[count][count];
        this.side = new int[count];
        this.blocked = new long[count][count];
        this.slowest = home.random.nextInt(3) == 0 ? 200 * MILLI : 3 * MILLI;
    }

    boolean isUp(ReplicaSite one, ReplicaSite other) {
        return isUp[one.index][other.index];
    }

    /** Whether the link between two sites is up, or was so many nanoseconds ago. */
    boolean wasUpWithin(ReplicaSite one, ReplicaSite other, long nanos) {
        return isUp(one, other) || home.time.now() - changed[one.index][other.index] <= nanos;
    }

    /** Puts each site on one of some sides; only sites of one side reach one another. */
    void cut(int sides) {
        for (int index = 0; index < side.length; index++) {
            side[index] = home.random.nextInt(sides);
        }
        for (ReplicaSite one : home.sites) {
            for (ReplicaSite other : home.sites) {
                if (one.index < other.index && side[one.index] != side[other.index]) {
                    down(one, other);
                }
            }
        }
    }

    /** Only this site reaches nobody. */
    void isolate(ReplicaSite site) {
        Arrays.fill(side, 0);
        side[site.index] = 1;
        home.sites.stream().filter(other -> other != site).forEach(other -> down(site, other));
    }

    void heal() {
        Arrays.fill(side, 0);
    }

    /** Links all that reach one another. */
    void dial() {
        for (ReplicaSite one : home.sites) {
            for (ReplicaSite other : home.sites) {
                if (one.index < other.index
                        && one.isUp()
                        && other.isUp()
                        && !isUp(one, other)
                        && side[one.index] == side[other.index]
                        && blocked[one.index][other.index] <= home.time.now()) {
                    up(one, other);
                }
            }
        }
    }

    private void up(ReplicaSite one, ReplicaSite other) {
        set(one, other, true);
        greet(one, other);
        greet(other, one);
    }

    private void set(ReplicaSite one, ReplicaSite other, boolean up) {
        isUp[one.index][other.index] = up;
        isUp[other.index][one.index] = up;
        changed[one.index][other.index] = home.time.now();
        changed[other.index][one.index] = home.time.now();
        generation[one.index][other.index]++;
        generation[other.index][one.index]++;
    }

    /** {@code one} learns that the link is up, before anything comes over it. */
    private void greet(ReplicaSite one, ReplicaSite other) {
        long delay = home.random.nextLong(20 * MILLI);
        arrival[other.index][one.index] = home.time.now() + delay;
        int now = generation[one.index][other.index];
        one.after(delay, () -> {
            if (generation[one.index][other.index] == now) {
                if (believesUp[one.index][other.index]) {
                    one.step(new ReplicaEvent.Unlinked(other.node));
                }
                believesUp[one.index][other.index] = true;
                one.step(new ReplicaEvent.Linked(other.node));
            }
        });
    }

    void down(ReplicaSite one, ReplicaSite other) {
        if (isUp(one, other)) {
            set(one, other, false);
            part(one, other);
            part(other, one);
        }
    }

    /** Two sites do not reach one another for a while, though others reach both. */
    void block(ReplicaSite one, ReplicaSite other, long nanos) {
        if (one != other) {
            blocked[one.index][other.index] = home.time.now() + nanos;
            blocked[other.index][one.index] = home.time.now() + nanos;
            down(one, other);
        }
    }

    private void part(ReplicaSite one, ReplicaSite other) {
        int now = generation[one.index][other.index];
        one.after(home.random.nextLong(2 * SECOND), () -> {
            if (generation[one.index][other.index] == now && believesUp[one.index][other.index]) {
                believesUp[one.index][other.index] = false;
                one.step(new ReplicaEvent.Unlinked(other.node));
            }
        });
    }

    /** The process of a site ended. */
    void lost(ReplicaSite site) {
        for (ReplicaSite other : home.sites) {
            if (other != site) {
                down(site, other);
                believesUp[site.index][other.index] = false;
            }
        }
    }

    void send(ReplicaSite from, NodeId node, Consumer<ReplicaSite> what) {
        ReplicaSite to = home.sites.stream()
                .filter(site -> site.node.equals(node))
                .findFirst()
                .orElseThrow();
        boolean isLost = home.losesMessages && home.isTrouble() && home.random.nextInt(30) == 0;
        if (!isUp(from, to) || isLost) {
            return;
        }
        long at = Math.max(arrival[from.index][to.index], home.time.now() + home.random.nextLong(50 * MICRO, slowest));
        arrival[from.index][to.index] = at;
        int now = generation[from.index][to.index];
        to.after(at - home.time.now(), () -> {
            if (generation[from.index][to.index] == now) {
                what.accept(to);
            }
        });
    }
}

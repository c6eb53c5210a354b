package io.hearth.simulation.replicated;

import static io.hearth.simulation.replicated.ReplicaHome.TROUBLE_NANOS;
import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.replicated.machine.Copy;
import io.hearth.replicated.machine.ReplicaEvent;
import io.hearth.simulation.rule.Violation;
import java.util.HashSet;
import java.util.Optional;
import java.util.stream.Stream;

/** One world of one to five machines: 40 s of trouble, then 60 s of peace, after which all has to be well. */
public final class ReplicaWorld {
    private static final long PEACE_NANOS = 60 * SECOND;
    private static final long LOOK_NANOS = 400 * MILLI;

    private final ReplicaHome home;
    private long reads;

    /**
     * How a world ended.
     *
     * @param answers commands that were answered
     * @param elections of primaries
     * @param merges stores that became a part of the last one
     */
    public record Outcome(int answers, int elections, int merges) {}

    private ReplicaWorld(long seed, ReplicaBug bug) {
        this.home = new ReplicaHome(seed, bug);
    }

    /**
     * Plays one world.
     *
     * @throws Violation a rule does not hold
     */
    public static Outcome play(long seed, ReplicaBug bug) {
        return new ReplicaWorld(seed, bug).run();
    }

    private Outcome run() {
        home.sites.forEach(site -> home.time.after(home.random.nextLong(4 * SECOND), site::start));
        every(LOOK_NANOS, home.links::dial);
        every(LOOK_NANOS, home.views::look);
        if (home.random.nextInt(3) == 0) { // two parts that found stores of their own
            home.links.cut(2);
            home.time.after(home.random.nextLong(12 * SECOND), home.links::heal);
        }
        int bursts = home.random.nextInt(8);
        for (int i = 0; i < bursts; i++) {
            sometime(this::burst);
        }
        int faults = home.random.nextInt(16);
        for (int i = 0; i < faults; i++) {
            sometime(this::fault);
        }
        if (home.random.nextBoolean()) {
            sometime(this::loseFolder);
        }
        if (home.random.nextInt(3) == 0) {
            sometime(this::powerCut);
        }
        home.sites.forEach(site -> sometime(site.disk::backUp));
        if (home.hasWildViews) {
            for (int i = 0; i < 30; i++) {
                sometime(home.views::wild);
            }
        }
        int commands = home.random.nextInt(10, 80);
        for (int i = 0; i < commands; i++) {
            sometime(() -> home.any().client.issue());
        }
        for (int i = 0; i < 40; i++) {
            sometime(this::read);
        }
        home.time.after(TROUBLE_NANOS, this::peace);
        home.time.runUntil(TROUBLE_NANOS + PEACE_NANOS);
        home.checker.end();
        return new Outcome(home.checker.answers(), home.checker.elections(), home.checker.merges());
    }

    private void every(long nanos, Runnable what) {
        home.time.after(nanos, () -> {
            what.run();
            every(nanos, what);
        });
    }

    private void sometime(Runnable what) {
        home.time.after(home.random.nextLong(SECOND, TROUBLE_NANOS), what);
    }

    private void fault() {
        switch (home.random.nextInt(5)) {
            case 0, 1 -> restart(home.any());
            case 2 -> {
                home.links.cut(1 + home.random.nextInt(3));
                home.time.after(home.random.nextLong(12 * SECOND), home.links::heal);
            }
            case 3 -> home.links.block(home.any(), home.any(), home.random.nextLong(6 * SECOND));
            default -> {
                home.links.heal();
                home.views.look();
            }
        }
    }

    /** Many commands, and a fault of the primary in the middle of them; then perhaps of the next one. */
    private void burst() {
        int commands = home.random.nextInt(1, 8);
        for (int i = 0; i < commands; i++) {
            home.time.after(
                    home.random.nextLong(60 * MILLI), () -> home.any().client.issue());
        }
        int rounds = home.random.nextInt(1, 4);
        long at = 0;
        for (int i = 0; i < rounds; i++) {
            at += home.random.nextLong(i == 0 ? 100 * MILLI : 3 * SECOND);
            home.time.after(at, this::strikePrimary);
        }
    }

    private void strikePrimary() {
        Optional<ReplicaSite> primary = home.sites.stream()
                .filter(site -> site.isUp() && site.state().activeBallot().isPresent())
                .findFirst();
        if (primary.isEmpty() || !home.isTrouble()) {
            return;
        }
        switch (home.random.nextInt(4)) {
            case 0 -> restart(primary.get());
            case 1 -> {
                home.links.isolate(primary.get());
                home.time.after(home.random.nextLong(8 * SECOND), home.links::heal);
            }
            case 2 -> {
                home.links.block(primary.get(), home.any(), home.random.nextLong(8 * SECOND));
            }
            default -> {
                restart(primary.get());
                restart(home.any());
            }
        }
    }

    private void restart(ReplicaSite site) {
        site.crash();
        long away = home.random.nextInt(4) == 0 ? 15 * SECOND : 2 * SECOND;
        home.time.after(home.random.nextLong(away), site::start);
    }

    private void powerCut() {
        home.sites.forEach(this::restart);
    }

    /** A machine is down for a while, and its disk is replaced, if a quorum of each configuration remains without it. */
    private void loseFolder() {
        ReplicaSite site = home.any();
        site.crash();
        home.time.after(6 * SECOND, () -> {
            if (!site.isUp()) {
                boolean isNeeded = home.sites.stream()
                        .filter(other -> other != site)
                        .flatMap(other -> other.isUp()
                                ? Stream.of(other.state(), other.restarted())
                                : Stream.of(other.restarted()))
                        .flatMap(state -> state.copy().stream())
                        .anyMatch(copy -> isNeeded(site, copy));
                boolean isAlone = site.restarted()
                        .copy()
                        .filter(copy -> isNeeded(site, copy))
                        .isPresent();
                if (!isNeeded && !isAlone) {
                    if (home.bug == ReplicaBug.KEEPS_SEAT) {
                        site.disk.restore();
                    } else { // also a folder from a backup is a new one
                        site.disk = new ReplicaDisk(home.random.nextLong(1, Long.MAX_VALUE));
                    }
                }
                site.start();
            }
        });
    }

    private boolean isNeeded(ReplicaSite site, Copy<Ledger> copy) {
        return copy.inForce().stream().anyMatch(replicas -> {
            var others = new HashSet<>(replicas.list());
            boolean wasThere = others.removeIf(replica -> replica.machine().equals(site.node.peer()));
            return wasThere && !replicas.isQuorum(others);
        });
    }

    private void read() {
        ReplicaSite site = home.any();
        if (site.isUp() && site.state().activeBallot().isPresent()) {
            long id = ++reads;
            home.checker.reading(site, id);
            site.step(new ReplicaEvent.Read(id));
        }
    }

    private void peace() {
        home.links.heal();
        home.sites.forEach(ReplicaSite::start);
        Optional<ReplicaSite> none =
                home.sites.stream().filter(site -> !site.isUp()).findFirst();
        Violation.unless(none.isEmpty(), "world", "a site is down in peace");
        if (home.hasWildViews) {
            home.views.settle();
        }
    }
}

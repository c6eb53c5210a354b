package io.hearth.simulation.replicated;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.core.Bytes;
import io.hearth.replicated.CommandKey;
import io.hearth.replicated.StoreId;
import io.hearth.replicated.machine.ReplicaEffect;
import io.hearth.replicated.machine.ReplicaEvent;
import io.hearth.replicated.machine.ReplicaState.Served;
import io.hearth.simulation.rule.Violation;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Sends commands of one process through whoever serves, and repeats them until they are answered. */
final class ReplicaClient {
    private final ReplicaHome home;
    private final ReplicaSite site;

    /** Tokens by number, of commands without an answer. */
    private final TreeMap<Long, Long> open = new TreeMap<>();

    private final TreeMap<Long, StoreId> first = new TreeMap<>();
    private final TreeSet<Long> done = new TreeSet<>();
    private long next;
    private long incarnation;

    ReplicaClient(ReplicaHome home, ReplicaSite site) {
        this.home = home;
        this.site = site;
    }

    void restart() {
        open.clear();
        first.clear();
        done.clear();
        next = 1;
        incarnation = home.time.now() / MILLI * 100 + site.life;
    }

    int open() {
        return open.size();
    }

    void issue() {
        if (site.isUp()) {
            long number = next++;
            open.put(number, home.checker.token());
            attempt(number);
        }
    }

    private void attempt(long number) {
        Long token = open.get(number);
        if (token == null) {
            return;
        }
        Optional<Served> served = site.state().served();
        if (served.isPresent()) {
            StoreId store = first.computeIfAbsent(number, _ -> served.get().store());
            long answered = done.isEmpty() || done.first() > 1 ? 0 : lastOfRun();
            var key = new CommandKey(site.node, incarnation, number, answered);
            var submit = new ReplicaEvent.Submit(store, key, Ledger.bytes(token));
            if (served.get().node().equals(site.node)) {
                site.after(0, () -> site.step(submit));
            } else {
                home.links.send(site, served.get().node(), other -> other.step(submit));
            }
        }
        site.after(home.random.nextLong(200 * MILLI, 2_000 * MILLI), () -> attempt(number));
    }

    private long lastOfRun() {
        long last = 0;
        while (done.contains(last + 1)) {
            last++;
        }
        return last;
    }

    void answered(CommandKey key, Bytes answer, StoreId store) {
        if (key.incarnation() != incarnation) {
            return;
        }
        Long token = open.remove(key.number());
        if (token != null) {
            done.add(key.number());
            home.checker.answered(token, answer, store);
        }
    }

    void notTaken(CommandKey key, ReplicaEffect.Refusal why) {
        if (key.incarnation() == incarnation && open.containsKey(key.number())) {
            Violation.unless(
                    why != ReplicaEffect.Refusal.OUTDATED, "once", "a command without an answer counts as answered");
        }
    }
}

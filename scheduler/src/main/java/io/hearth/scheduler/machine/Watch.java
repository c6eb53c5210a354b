package io.hearth.scheduler.machine;

import com.google.gson.JsonObject;
import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.MessageKind;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.ledger.Commands;
import io.hearth.scheduler.ledger.Job;
import io.hearth.scheduler.ledger.Member;
import io.hearth.scheduler.ledger.SchedulerLedger;
import io.hearth.scheduler.ledger.SchedulerLedger.Node;
import io.hearth.scheduler.machine.SchedulerState.Purpose;
import io.hearth.scheduler.machine.SchedulerState.Sight;
import io.hearth.scheduler.rule.Stragglers;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Watches nodes and jobs: who is silent, who is behind, what is new in the ledger; and tells the nodes. */
final class Watch {
    private Watch() {}

    /** A node was heard. */
    static void hear(Turn turn, String node) {
        if (turn.ledger.nodes().containsKey(node)) {
            Sight sight = turn.sights.getOrDefault(node, Sight.unheard(turn.now));
            turn.sights = turn.sights.plus(node, sight.heard(turn.now));
        }
    }

    /** A node, or another one, tells how it is. */
    static void judge(Turn turn, String node, double load, boolean isAccused) {
        Sight sight = turn.sights.get(node);
        if (sight != null) {
            turn.sights = turn.sights.plus(node, sight.judged(load, isAccused));
        }
    }

    /** A node tells how far it is. What it says of jobs that it is not in is not looked at. */
    static void progress(Turn turn, String node, Progress news) {
        Sight sight = turn.sights.get(node);
        boolean isMember = turn.job(news.job()).flatMap(job -> job.member(node)).isPresent();
        if (sight != null && isMember) {
            turn.sights = turn.sights.plus(node, sight.after(news));
            if (news.epoch() != sight.epoch(news.job())) {
                turn.touchedJobs.add(news.job());
            }
        }
    }

    /** Nodes that were silent for too long go, and their shards with them. */
    static void depart(Turn turn, long timeoutNanos) {
        if (turn.lookNanos == Long.MAX_VALUE || turn.now - turn.lookNanos < 0) {
            return;
        }
        long sleep = Long.MAX_VALUE;
        for (Map.Entry<String, Sight> entry : turn.sights.entrySet()) {
            String node = entry.getKey();
            if (turn.isHere(node) && !turn.departing.contains(node)) {
                long left = timeoutNanos - (turn.now - entry.getValue().nanos());
                if (left <= 0) {
                    turn.departing = turn.departing.plus(node);
                    turn.store(0, new Purpose.Away(node), Commands.away(node));
                } else {
                    sleep = Math.min(sleep, left);
                }
            }
        }
        turn.lookNanos = sleep == Long.MAX_VALUE ? Long.MAX_VALUE : turn.now + sleep;
    }

    /** Finds who is behind in each job of which there is news, and tells the nodes of the job when somebody new is. */
    static void findStragglers(Turn turn) {
        for (String name : turn.touchedJobs) {
            Optional<Job> job = turn.job(name).filter(known -> !known.state().isOver());
            if (job.isEmpty()) {
                turn.stragglers = turn.stragglers.minus(name);
            } else if (job.get().state() == JobState.RUNNING) {
                findStragglers(turn, job.get());
            }
        }
    }

    private static void findStragglers(Turn turn, Job job) {
        SortedMap<String, Long> epochs = epochs(turn, job);
        SortedSet<String> behind = Stragglers.of(epochs);
        SortedSet<String> before = turn.stragglers.getOrDefault(job.spec().name(), Collections.emptySortedSet());
        for (String node : behind) {
            if (!before.contains(node)) {
                JsonObject payload = Mail.payload("epoch", epochs.getOrDefault(node, 0L));
                payload.addProperty("straggler_node", node);
                Mail.toJob(turn, MessageKind.STRAGGLER_DETECTION, Bounds.SCHEDULER, job, payload.toString());
            }
        }
        turn.stragglers = turn.stragglers.plus(job.spec().name(), Collections.unmodifiableSortedSet(behind));
    }

    /** Epochs of the members that are here, from what they reported and from their heartbeats. */
    private static SortedMap<String, Long> epochs(Turn turn, Job job) {
        var epochs = new TreeMap<String, Long>();
        for (Member member : job.present()) {
            Sight sight = turn.sights.get(member.id());
            long heard = sight == null ? 0 : sight.epoch(job.spec().name());
            epochs.put(member.id(), Math.max(member.epoch(), heard));
        }
        return epochs;
    }

    /** Takes the newest ledger, and tells the nodes what is new in it. */
    static void take(Turn turn, SchedulerLedger newest) {
        SchedulerLedger before = turn.ledger;
        turn.ledger = newest;
        if (turn.isServing) {
            forget(turn, before.jobs(), newest.jobs());
            if (!newest.nodes().equals(before.nodes())) {
                takeNodes(turn, before.nodes(), newest.nodes());
            }
            newest.jobs().forEach((name, job) -> {
                Job old = before.jobs().get(name);
                if (!job.equals(old)) {
                    turn.touchedJobs.add(name);
                    tell(turn, old, job);
                }
            });
        }
    }

    /** What nodes said of jobs that are not there any more. */
    private static void forget(Turn turn, SortedMap<String, Job> before, SortedMap<String, Job> newest) {
        List<String> gone = before.values().stream()
                .filter(old -> {
                    Job job = newest.get(old.spec().name());
                    return job == null || job.number() != old.number();
                })
                .map(old -> old.spec().name())
                .toList();
        if (!gone.isEmpty()) {
            turn.touchedJobs.addAll(gone);
            turn.sights.forEach((node, sight) -> turn.sights = turn.sights.plus(node, sight.without(gone)));
        }
    }

    private static void takeNodes(Turn turn, SortedMap<String, Node> before, SortedMap<String, Node> newest) {
        turn.lookNanos = turn.now;
        List<String> gone =
                before.keySet().stream().filter(id -> !newest.containsKey(id)).toList();
        turn.sights = turn.sights.minusAll(gone);
        turn.mail = turn.mail.minusAll(gone);
        newest.forEach((id, node) -> {
            Node old = before.get(id);
            if (old == null) {
                turn.sights = turn.sights.plus(id, Sight.unheard(turn.now));
            } else if (old.isAway() && !node.isAway()) {
                hear(turn, id); // it came back
            } else if (node.isAway() && !old.isAway()) {
                failed(turn, id, "silent for too long");
            }
        });
        gone.forEach(id -> failed(turn, id, "left"));
    }

    private static void failed(Turn turn, String node, String reason) {
        turn.stay(node, turn.now);
        var payload = new JsonObject();
        payload.addProperty("node", node);
        payload.addProperty("reason", reason);
        Mail.toAll(turn, MessageKind.NODE_FAILURE, Bounds.SCHEDULER, "", payload.toString());
    }

    private static void tell(Turn turn, @Nullable Job before, Job now) {
        if (before == null || before.number() != now.number()) {
            if (now.state().isOver()) {
                return; // of another scheduler that was met
            }
            JsonObject payload = Mail.payload("epochs", now.spec().epochs());
            payload.addProperty("batch_size", now.spec().batch());
            payload.addProperty("dataset_path", now.spec().path());
            payload.addProperty("shards", now.shards().count());
            Mail.toJob(turn, MessageKind.JOB_START, Bounds.SCHEDULER, now, payload.toString());
            return;
        }
        if (!before.members().equals(now.members())) {
            for (Member member : now.members()) {
                before.member(member.id())
                        .filter(old -> old.epoch() < member.epoch())
                        .ifPresent(_ -> Mail.toJob(
                                turn,
                                MessageKind.EPOCH_COMPLETE,
                                member.id(),
                                now,
                                Mail.payload("epoch", member.epoch()).toString()));
            }
        }
        if (now.state().isOver() && !before.state().isOver()) {
            var payload = new JsonObject();
            payload.addProperty("state", now.state().name().toLowerCase(Locale.ROOT));
            payload.addProperty("reason", now.reason());
            Mail.toJob(turn, MessageKind.JOB_COMPLETE, Bounds.SCHEDULER, now, payload.toString());
        }
    }
}

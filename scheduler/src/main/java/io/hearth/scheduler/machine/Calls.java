package io.hearth.scheduler.machine;

import com.google.gson.JsonObject;
import io.hearth.core.Bytes;
import io.hearth.scheduler.Capabilities;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.MessageKind;
import io.hearth.scheduler.NodeRole;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.scheduler.ledger.Commands;
import io.hearth.scheduler.ledger.SchedulerLedger;
import io.hearth.scheduler.machine.SchedulerState.Purpose;
import io.hearth.scheduler.machine.SchedulerState.Sight;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/** Takes the calls: what changes the ledger becomes a command, what reads it asks first whether this machine still knows the newest. */
final class Calls {
    private static final int PENDING_MAX = 4_096;

    private Calls() {}

    static void take(Turn turn, Views views, long call, Request request) {
        if (!turn.isServing) {
            turn.fail(
                    call,
                    Failure.Code.UNAVAILABLE,
                    "no machine of this cluster can answer yet: a quorum of them is needed. Call again soon");
            return;
        }
        if (turn.pending.size() >= PENDING_MAX) {
            turn.fail(call, Failure.Code.RESOURCE_EXHAUSTED, PENDING_MAX + " calls wait already: call again soon");
            return;
        }
        switch (request) {
            case Request.Register register -> {
                Watch.hear(turn, register.node().id());
                store(turn, call, register, Commands.register(register.node()));
            }
            case Request.Beat beat -> beat(turn, views, call, beat);
            case Request.Leave leave -> store(turn, call, leave, Commands.leave(leave.node()));
            case Request.Submit submit -> submit(turn, call, submit);
            case Request.Cancel cancel -> store(turn, call, cancel, Commands.cancel(cancel.name()));
            case Request.Report report -> {
                Watch.hear(turn, report.node());
                Watch.progress(turn, report.node(), report.progress());
                store(turn, call, report, Commands.report(report.node(), report.progress(), report.failure()));
            }
            case Request.Next next -> {
                Watch.hear(turn, next.node());
                store(turn, call, next, Commands.take(next.node(), next.job(), next.max(), load(turn, next.node())));
            }
            case Request.Complete done -> {
                Watch.hear(turn, done.node());
                store(turn, call, done, Commands.complete(done.node(), done.job(), done.shard(), done.term()));
            }
            case Request.Barrier barrier -> {
                Watch.hear(turn, barrier.node());
                Barriers.arrive(turn, call, barrier);
            }
            case Request.Send send -> Mail.send(turn, call, send);
            case Request.Messages messages -> Mail.poll(turn, call, messages);
            case Request.ListJobs _, Request.ShowJob _, Request.Data _, Request.Metrics _ ->
                turn.confirm(call, request);
        }
    }

    private static void store(Turn turn, long call, Request request, Bytes command) {
        turn.store(call, new Purpose.ForCall(request), command);
    }

    private static double load(Turn turn, String node) {
        Sight sight = turn.sights.get(node);
        return sight == null ? 0 : sight.load();
    }

    private static void beat(Turn turn, Views views, long call, Request.Beat beat) {
        SchedulerLedger.Node node = turn.ledger.nodes().get(beat.node());
        if (node == null) {
            turn.fail(
                    call,
                    Failure.Code.NOT_FOUND,
                    "node " + beat.node() + " is not registered: call RegisterNode first");
            return;
        }
        Watch.hear(turn, beat.node());
        Watch.judge(turn, beat.node(), beat.load(), beat.isUnhealthy());
        beat.progress().forEach(news -> Watch.progress(turn, beat.node(), news));
        Views now = new Views(turn.state(), views.settings(), turn.now);
        JsonObject payload = Mail.payload("status", now.status(beat.node()).number());
        payload.addProperty("load_average", beat.load());
        Mail.toAll(turn, MessageKind.HEARTBEAT, beat.node(), "", payload.toString());
        NodeRole role = beat.role() == NodeRole.UNKNOWN ? node.spec().role() : beat.role();
        Capabilities capabilities = beat.capabilities().orElse(node.spec().capabilities());
        NodeSpec newest = node.spec().with(role, capabilities);
        if (!newest.equals(node.spec())) {
            store(turn, call, beat, Commands.register(newest));
        } else if (node.isAway() || turn.departing.contains(beat.node())) {
            store(turn, call, beat, Commands.back(beat.node()));
        } else {
            turn.answer(call, new Reply.Beaten(now.status(beat.node()), now.jobsOf(beat.node())));
        }
    }

    private static void submit(Turn turn, long call, Request.Submit submit) {
        boolean isKnown = turn.job(submit.spec().name()).isPresent(); // a repetition, or another job of this name
        var loads = new TreeMap<String, Double>();
        Collection<String> wanted =
                submit.nodes().isEmpty() ? turn.ledger.nodes().keySet() : submit.nodes();
        for (String node : wanted) {
            if (turn.isHere(node)) {
                loads.put(node, load(turn, node));
            } else if (!isKnown && !submit.nodes().isEmpty()) {
                turn.fail(
                        call,
                        Failure.Code.FAILED_PRECONDITION,
                        "node " + node + " is not registered, or offline: submit the job without it");
                return;
            }
        }
        JobSpec spec = submit.spec();
        List<Integer> custom = new ArrayList<>();
        if (spec.strategy() == ShardStrategy.CUSTOM && !isKnown) {
            for (String owner : submit.owners()) {
                custom.add(loads.containsKey(owner) ? loads.headMap(owner).size() : -1);
            }
            if (custom.contains(-1) || (spec.shards() != 0 && spec.shards() != custom.size())) {
                turn.fail(
                        call,
                        Failure.Code.INVALID_ARGUMENT,
                        "the custom strategy names a node of the job for each shard in owners, got "
                                + submit.owners().size() + " owners");
                return;
            }
            spec = spec.withShards(custom.size());
        }
        store(turn, call, submit, Commands.submit(spec, !submit.nodes().isEmpty(), loads, custom));
    }
}

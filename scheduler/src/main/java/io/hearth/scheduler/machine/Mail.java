package io.hearth.scheduler.machine;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.hearth.scheduler.MessageKind;
import io.hearth.scheduler.ledger.Job;
import io.hearth.scheduler.ledger.Member;
import io.hearth.scheduler.machine.SchedulerState.Poll;
import io.hearth.scheduler.machine.SchedulerState.Sight;
import io.hearth.serve.Failure;
import java.util.Collection;
import java.util.List;

/**
 * The messages of nodes: each has a {@link Mailbox}. A node that asks for what comes after a message has that message, so it is removed.
 */
final class Mail {
    private static final int POLLS_MAX = 1_024;

    private Mail() {}

    /** A payload with one member. */
    static JsonObject payload(String name, Number value) {
        var payload = new JsonObject();
        payload.addProperty(name, value);
        return payload;
    }

    /** To all nodes but the source. */
    static void toAll(Turn turn, MessageKind kind, String source, String job, String payload) {
        send(
                turn,
                new Letter(0, kind, source, "", job, turn.now, payload),
                List.copyOf(turn.ledger.nodes().keySet()));
    }

    /** To the nodes of a job, but not the source. */
    static void toJob(Turn turn, MessageKind kind, String source, Job job, String payload) {
        send(
                turn,
                new Letter(0, kind, source, "", job.spec().name(), turn.now, payload),
                job.members().stream().map(Member::id).toList());
    }

    /** To one node. */
    static void toOne(Turn turn, MessageKind kind, String source, String target, String job, String payload) {
        send(turn, new Letter(0, kind, source, target, job, turn.now, payload), List.of(target));
    }

    private static void send(Turn turn, Letter letter, Collection<String> nodes) {
        for (String node : nodes) {
            if (!node.equals(letter.source()) && turn.ledger.nodes().containsKey(node)) {
                turn.mail = turn.mail.plus(node, box(turn, node).plus(letter));
                turn.counters = turn.counters.sent(1);
                turn.mailed.add(node);
            }
        }
    }

    private static Mailbox box(Turn turn, String node) {
        return turn.mail.getOrDefault(node, Mailbox.EMPTY);
    }

    /** A node sends a message of its own. */
    static void send(Turn turn, long call, Request.Send request) {
        JsonObject payload;
        try {
            payload = JsonParser.parseString(request.payload()).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException wrong) {
            turn.fail(
                    call,
                    Failure.Code.INVALID_ARGUMENT,
                    "a payload is a JSON object, for example {\"epoch\": 3}: " + wrong.getMessage());
            return;
        }
        if (!turn.ledger.nodes().containsKey(request.node())
                || (!request.target().isEmpty() && !turn.ledger.nodes().containsKey(request.target()))) {
            turn.fail(call, Failure.Code.NOT_FOUND, "the source and the target of a message are nodes that registered");
            return;
        }
        Mailbox own = box(turn, request.node());
        if (request.id().isEmpty() || !own.sent().contains(request.id())) {
            if (!request.id().isEmpty()) {
                turn.mail = turn.mail.plus(request.node(), own.sent(request.id()));
            }
            if (request.target().isEmpty()) {
                toAll(turn, request.kind(), request.node(), request.job(), payload.toString());
            } else {
                toOne(turn, request.kind(), request.node(), request.target(), request.job(), payload.toString());
            }
            if (request.kind() == MessageKind.NODE_FAILURE) {
                accuse(turn, payload);
            }
        }
        turn.answer(call, new Reply.Sent());
    }

    /** A node that another one calls failed is not well until its next heartbeat. */
    private static void accuse(Turn turn, JsonObject payload) {
        JsonElement name = payload.get("node");
        if (name != null && name.isJsonPrimitive()) {
            Sight sight = turn.sights.get(name.getAsString());
            Watch.judge(turn, name.getAsString(), sight == null ? 0 : sight.load(), true);
        }
    }

    /** A node asks for its messages; the call waits if there is none. */
    static void poll(Turn turn, long call, Request.Messages request) {
        if (!turn.ledger.nodes().containsKey(request.node())) {
            turn.fail(
                    call,
                    Failure.Code.NOT_FOUND,
                    "node " + request.node() + " is not registered: call RegisterNode first");
            return;
        }
        long after = request.queue() == turn.queue ? request.after() : 0;
        turn.mail = turn.mail.plus(request.node(), box(turn, request.node()).acknowledged(after));
        if (turn.polls.size() >= POLLS_MAX) {
            turn.fail(call, Failure.Code.RESOURCE_EXHAUSTED, POLLS_MAX + " calls wait for messages: call later");
            return;
        }
        turn.polls = turn.polls.plus(new Poll(call, request.node(), after, turn.now + request.waitNanos()));
        turn.mailed.add(request.node());
    }

    /** Answers the calls for which there is a message, or whose time is up. */
    static void deliver(Turn turn) {
        for (String node : turn.mailed) {
            for (Poll poll : turn.polls.of(node)) {
                if (box(turn, node).hasAfter(poll.after())) {
                    answer(turn, poll);
                }
            }
        }
        turn.polls.due(turn.now).forEach(poll -> answer(turn, poll));
    }

    private static void answer(Turn turn, Poll poll) {
        Mailbox box = box(turn, poll.node());
        List<Letter> news = List.copyOf(box.after(poll.after()));
        turn.polls = turn.polls.minus(poll.call());
        turn.answer(poll.call(), new Reply.Messages(turn.queue, news, box.dropped()));
    }
}

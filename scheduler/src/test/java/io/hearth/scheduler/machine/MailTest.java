package io.hearth.scheduler.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.scheduler.MessageKind;
import io.hearth.scheduler.NodeStatus;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.Samples;
import io.hearth.serve.Failure;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages, which the original only writes to its log. */
final class MailTest {
    private final SchedulerWorld world = new SchedulerWorld();

    @BeforeEach
    void threeNodes() {
        world.register("a", "b", "c");
    }

    private static Request send(String target, MessageKind kind, String payload, String id) {
        return new Request.Send("a", target, kind, "job", payload, id);
    }

    @Test
    void allEightKindsAreSent() {
        world.submit(Samples.job("job", 5, 3));
        Set<String> kinds = new HashSet<>(kinds("b"));
        world.beat("a", 0);
        world.ask(new Request.Report("a", new Progress("job", 3, 1), ""));
        world.ask(new Request.Data("a", "job", 1));
        world.call(new Request.Barrier("a", "job", 1, 0));
        world.ask(new Request.Leave("c"));
        world.ask(new Request.Cancel("job"));
        kinds.addAll(kinds("b"));
        assertEquals(Arrays.stream(MessageKind.values()).map(MessageKind::text).collect(Collectors.toSet()), kinds);
    }

    private List<String> kinds(String node) {
        return world.mail(node).stream().map(each -> each.split(" ", 2)[0]).toList();
    }

    @Test
    void messagesGoToTheirTargetOrToAllOthers() {
        world.ask(send("b", MessageKind.EPOCH_COMPLETE, "{\"epoch\": 4}", ""));
        world.ask(send("", MessageKind.JOB_START, "{}", ""));
        assertEquals(List.of("epoch_complete a {\"epoch\":4}", "job_start a {}"), world.mail("b"));
        assertEquals(List.of("job_start a {}"), world.mail("c"));
        assertEquals(List.of(), world.mail("a"));
        assertEquals(List.of(), world.mail("b")); // each once
    }

    @Test
    void aRepeatedMessageIsNotSentAgain() {
        world.ask(send("b", MessageKind.JOB_START, "{}", "m1"));
        world.ask(send("b", MessageKind.JOB_START, "{}", "m1"));
        world.ask(send("b", MessageKind.JOB_START, "{}", "m2"));
        assertEquals(2, world.mail("b").size());
    }

    @Test
    void aMessageThatIsNotAcknowledgedComesAgain() {
        world.ask(send("b", MessageKind.JOB_START, "{}", ""));
        for (int i = 0; i < 2; i++) {
            var reply = (Reply.Messages) world.ask(new Request.Messages("b", 1, 0, 0));
            assertEquals(1, reply.letters().getFirst().number());
        }
        var other = (Reply.Messages) world.ask(new Request.Messages("b", 99, 5, 0)); // of another machine's queue
        assertEquals(1, other.letters().size());
        assertEquals(1, other.queue());
        var acknowledged = (Reply.Messages) world.ask(new Request.Messages("b", 1, 1, 0));
        assertEquals(List.of(), acknowledged.letters());
    }

    @Test
    void aCallWaitsForAMessage() {
        long waits = world.call(new Request.Messages("b", 1, 0, 5 * SchedulerWorld.SECOND));
        assertTrue(world.reply(waits).isEmpty());
        world.pass(4);
        world.ask(send("b", MessageKind.JOB_START, "{}", ""));
        assertEquals(
                1, ((Reply.Messages) world.reply(waits).orElseThrow()).letters().size());
        long inVain = world.call(new Request.Messages("c", 1, 0, 5 * SchedulerWorld.SECOND));
        world.pass(5);
        assertEquals(List.of(), ((Reply.Messages) world.reply(inVain).orElseThrow()).letters());
    }

    @Test
    void queuesAreBoundedAndSayWhatTheyDropped() {
        for (int i = 0; i < 200; i++) {
            world.ask(send("b", MessageKind.JOB_START, "{\"n\": " + i + "}", ""));
        }
        var reply = (Reply.Messages) world.ask(new Request.Messages("b", 1, 0, 0));
        assertEquals(Mailbox.LETTERS_MAX, reply.letters().size());
        assertEquals(200 - Mailbox.LETTERS_MAX, reply.dropped());
        assertEquals(200, reply.letters().getLast().number());
    }

    @Test
    void heartbeatsOfManyNodesPushNothingElseOut() {
        world.ask(send("b", MessageKind.JOB_START, "{}", ""));
        for (int i = 0; i < 200; i++) {
            world.register("n" + i);
        }
        for (int i = 0; i < 400; i++) {
            world.beat("n" + i % 200, 0);
        }
        world.ask(new Request.Leave("c"));
        var reply = (Reply.Messages) world.ask(new Request.Messages("b", 1, 0, 0));
        assertEquals(Mailbox.LETTERS_MAX, reply.letters().size());
        assertEquals(400 + 2 - Mailbox.LETTERS_MAX, reply.dropped()); // none was newer than another one of its node
        List<String> kinds = kinds("b");
        assertEquals("job_start", kinds.getFirst());
        assertEquals("node_failure", kinds.getLast());
        assertEquals("n199", reply.letters().get(reply.letters().size() - 2).source()); // the newest ones are kept
    }

    @Test
    void aQueueThatIsFullOfOtherMessagesTakesNoHeartbeat() {
        for (int i = 0; i < Mailbox.LETTERS_MAX; i++) {
            world.ask(send("b", MessageKind.JOB_START, "{}", ""));
        }
        world.beat("c", 0);
        assertEquals(Collections.nCopies(Mailbox.LETTERS_MAX, "job_start"), kinds("b"));
        world.beat("c", 0);
        assertEquals(List.of("heartbeat"), kinds("b")); // there is room again
    }

    @Test
    void onlyTheNewestHeartbeatOfANodeWaits() {
        for (int i = 0; i < 50; i++) {
            world.beat("a", i / 10.0);
            world.beat("c", 0);
        }
        List<String> mail = world.mail("b");
        assertEquals(2, mail.size());
        assertEquals("heartbeat a {\"status\":1,\"load_average\":4.9}", mail.getFirst());
    }

    @Test
    void aNodeThatAnotherCallsFailedIsNotWellUntilItsHeartbeat() {
        world.submit(Samples.job("job", 1, 3));
        world.beat("b", 0);
        world.ask(send("", MessageKind.NODE_FAILURE, "{\"node\": \"b\"}", ""));
        assertEquals(NodeStatus.UNHEALTHY, world.show("job", "b").status());
        assertEquals(NodeStatus.HEALTHY, world.beat("b", 0));
    }

    @Test
    void badMessagesAreRefused() {
        for (String payload : List.of("[]", "{", "3", "{\"a\":[[[[")) {
            assertEquals(
                    Failure.Code.INVALID_ARGUMENT,
                    world.refused(send("b", MessageKind.JOB_START, payload, "")).code());
        }
        assertEquals(
                Failure.Code.NOT_FOUND,
                world.refused(send("x", MessageKind.JOB_START, "{}", "")).code());
        assertEquals(
                Failure.Code.NOT_FOUND,
                world.refused(new Request.Messages("x", 0, 0, 0)).code());
    }
}

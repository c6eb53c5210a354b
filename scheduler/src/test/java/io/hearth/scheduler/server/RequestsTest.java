package io.hearth.scheduler.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.scheduler.wire.BarrierRequest;
import io.hearth.scheduler.wire.HeartbeatRequest;
import io.hearth.scheduler.wire.NextShardsRequest;
import io.hearth.scheduler.wire.ProgressMessage;
import io.hearth.scheduler.wire.ReportEpochRequest;
import io.hearth.scheduler.wire.RequestDataRequest;
import io.hearth.scheduler.wire.SendRequest;
import io.hearth.scheduler.wire.SubmitJobRequest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Numbers of callers that do not fit are refused, and named as the caller sent them: unsigned. */
final class RequestsTest {
    private static final String INT_MOST = " is 0 to 2147483647, got 4294967295";
    private static final String LONG_MOST = " is 0 to 9223372036854775807, got 18446744073709551611";

    private static SubmitJobRequest.Builder job() {
        return SubmitJobRequest.newBuilder().setSubmitId("s").setName("job").setEpochs(1);
    }

    static Stream<Arguments> requests() {
        return Stream.of(
                refused(
                        "the number of epochs" + INT_MOST,
                        () -> Requests.submit(job().setEpochs(-1).build())),
                refused(
                        "the number of epochs is 1 to 1000000, got 2000000",
                        () -> Requests.submit(job().setEpochs(2_000_000).build())),
                refused(
                        "the batch size" + INT_MOST,
                        () -> Requests.submit(job().setBatchSize(-1).build())),
                refused(
                        "the number of samples" + LONG_MOST,
                        () -> Requests.submit(job().setSamples(-5).build())),
                refused(
                        "the size of the data set" + LONG_MOST,
                        () -> Requests.submit(job().setDatasetSize(-5).build())),
                refused(
                        "the number of shards" + INT_MOST,
                        () -> Requests.submit(job().setShards(-1).build())),
                refused(
                        "an epoch" + LONG_MOST,
                        () -> Requests.report(ReportEpochRequest.newBuilder()
                                .setJob("job")
                                .setEpoch(-5)
                                .build())),
                refused(
                        "the number of samples" + LONG_MOST,
                        () -> Requests.beat(HeartbeatRequest.newBuilder()
                                .setNodeId("a")
                                .addProgress(ProgressMessage.newBuilder()
                                        .setJob("job")
                                        .setSamples(-5))
                                .build())),
                refused(
                        "an epoch" + LONG_MOST,
                        () -> Requests.barrier(
                                BarrierRequest.newBuilder().setEpoch(-5).build())),
                refused(
                        "the epoch of a barrier is 1 to 1000000, got 0",
                        () -> Requests.barrier(BarrierRequest.newBuilder()
                                .setNodeId("a")
                                .setJob("job")
                                .build())),
                refused(
                        "no node has the id \"scheduler\", from which the scheduler's own messages come: choose another",
                        () -> Requests.beat(HeartbeatRequest.newBuilder()
                                .setNodeId("scheduler")
                                .build())),
                refused(
                        "a shard" + INT_MOST,
                        () -> Requests.data(
                                RequestDataRequest.newBuilder().setShard(-1).build())),
                refused(
                        "the number of shards to take" + INT_MOST,
                        () -> Requests.next(
                                NextShardsRequest.newBuilder().setMax(-1).build())));
    }

    private static Arguments refused(String text, Executable call) {
        return Arguments.of(text, call);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("requests")
    void numbersThatDoNotFitAreNamedAsTheyWereSent(String text, Executable call) {
        assertEquals(text, assertThrows(IllegalArgumentException.class, call).getMessage());
    }

    /** Else it would be sent twice if a machine repeated the call for its caller. */
    @Test
    void aMessageWithoutAnIdGetsOneOfItsOwn() throws Exception {
        byte[] plain = SendRequest.newBuilder().setNodeId("w").build().toByteArray();
        byte[] first = Requests.withMessageId(plain);
        SendRequest read = SendRequest.parseFrom(first);
        assertEquals("w", read.getNodeId());
        assertFalse(read.getMessageId().isEmpty());
        assertArrayEquals(first, Requests.withMessageId(first));
        SendRequest second = SendRequest.parseFrom(Requests.withMessageId(plain));
        assertNotEquals(read.getMessageId(), second.getMessageId());
        byte[] malformed = {10, 99};
        assertArrayEquals(malformed, Requests.withMessageId(malformed));
    }
}

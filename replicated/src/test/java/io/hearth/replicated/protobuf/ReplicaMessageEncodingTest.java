package io.hearth.replicated.protobuf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.core.MalformedMessageException;
import io.hearth.election.Ballot;
import io.hearth.replicated.Content;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Position;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.Replicas;
import io.hearth.replicated.Samples;
import io.hearth.replicated.wire.AnnounceFrame;
import io.hearth.replicated.wire.AskFrame;
import io.hearth.replicated.wire.EntriesFrame;
import io.hearth.replicated.wire.FetchFrame;
import io.hearth.replicated.wire.PartFrame;
import io.hearth.replicated.wire.ReplicaMessageFrame;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ReplicaMessageEncodingTest {
    private static final Ballot BALLOT = new Ballot(3, Samples.B);
    private static final Position AT = Samples.at(4, 2, Samples.A);

    static Stream<ReplicaMessage> messages() {
        return Stream.of(
                new ReplicaMessage.Announce(5, Optional.empty()),
                new ReplicaMessage.Announce(
                        -5,
                        Optional.of(new ReplicaMessage.Held(
                                Samples.STORE, Optional.of(BALLOT), Optional.of(BALLOT), true, Optional.empty()))),
                new ReplicaMessage.Announce(
                        5,
                        Optional.of(new ReplicaMessage.Held(
                                Samples.STORE, Optional.empty(), Optional.empty(), false, Optional.of(Samples.LATER)))),
                new ReplicaMessage.Prepare(Samples.STORE, BALLOT, Samples.LINEAGE, 6),
                new ReplicaMessage.Promise(Samples.STORE, BALLOT, 5, AT, 3),
                new ReplicaMessage.Refuse(Samples.STORE, BALLOT, new Ballot(9, Samples.A)),
                new ReplicaMessage.Fetch(
                        Samples.STORE, Optional.of(BALLOT), 5, Optional.of(AT), 3, Optional.empty(), Optional.empty()),
                new ReplicaMessage.Fetch(
                        Samples.STORE,
                        Optional.empty(),
                        5,
                        Optional.empty(),
                        0,
                        Optional.of(new ReplicaMessage.PartAt(AT, 70_000)),
                        Optional.of(Samples.LATER)),
                new ReplicaMessage.Entries(
                        Samples.STORE, BALLOT, AT, true, Samples.record().log().entries(), 9, 4),
                new ReplicaMessage.Entries(Samples.STORE, BALLOT, AT, false, List.of(), 9, 4),
                new ReplicaMessage.Part(
                        Samples.STORE,
                        Optional.of(BALLOT),
                        AT,
                        new Replicas(List.of(Samples.replica(Samples.A))),
                        3,
                        1,
                        Samples.bytes(2, 3)),
                new ReplicaMessage.Ask(Samples.STORE, BALLOT, 8),
                new ReplicaMessage.Still(Samples.STORE, BALLOT, 5, 8));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void whatIsEncodedIsRead(ReplicaMessage message) throws Exception {
        assertEquals(message, ReplicaMessageEncoding.decode(ReplicaMessageEncoding.encode(message)));
    }

    /** Each message with each of many damages is either read as a message or refused, and never anything else. */
    @ParameterizedTest
    @MethodSource("messages")
    void damagedBytesAreRefused(ReplicaMessage message) {
        byte[] right = ReplicaMessageEncoding.encode(message);
        var random = new SplittableRandom(1);
        for (int i = 0; i < 2_000; i++) {
            byte[] bytes = right.clone();
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                ReplicaMessageEncoding.decode(bytes);
            } catch (MalformedMessageException refused) {
                assertEquals(MalformedMessageException.class, refused.getClass());
            }
        }
    }

    static Stream<ReplicaMessageFrame> invalid() {
        var store = ReplicaFrames.of(Samples.STORE);
        var ballot = ReplicaFrames.of(BALLOT);
        var at = ReplicaFrames.of(AT);
        var gap = new Entry(Samples.at(6, 3, Samples.B), new Content.Begin());
        return Stream.of(
                ReplicaMessageFrame.getDefaultInstance(),
                ReplicaMessageFrame.newBuilder()
                        .setAnnounce(AnnounceFrame.getDefaultInstance())
                        .build(),
                ReplicaMessageFrame.newBuilder()
                        .setAnnounce(AnnounceFrame.newBuilder()
                                .setSeat(1)
                                .setStore(store)
                                .setActive(true))
                        .build(),
                ReplicaMessageFrame.newBuilder()
                        .setAsk(AskFrame.newBuilder()
                                .setStore(store)
                                .setBallot(ballot)
                                .setRound(-1))
                        .build(),
                ReplicaMessageFrame.newBuilder()
                        .setFetch(FetchFrame.newBuilder()
                                .setStore(store)
                                .setSeat(1)
                                .setCommitted(1L << 60))
                        .build(),
                ReplicaMessageFrame.newBuilder()
                        .setEntries(EntriesFrame.newBuilder()
                                .setStore(store)
                                .setBallot(ballot)
                                .setAfter(at)
                                .addEntries(ReplicaFrames.of(gap)))
                        .build(),
                ReplicaMessageFrame.newBuilder()
                        .setPart(PartFrame.newBuilder()
                                .setStore(store)
                                .setSnapshot(at)
                                .setReplicas(ReplicaFrames.of(new Replicas(List.of(Samples.replica(Samples.A)))))
                                .setTotal(Integer.MAX_VALUE))
                        .build());
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void valuesOutOfRangeAreRefused(ReplicaMessageFrame frame) {
        assertThrows(MalformedMessageException.class, () -> ReplicaMessageEncoding.decode(frame.toByteArray()));
    }

    @Test
    void theLargestMessageFitsAFrame() {
        var entry = new Entry(
                Samples.at(5, 3, Samples.B),
                new Content.Command(
                        Samples.key(Samples.A, 1L << 60, 1L << 47, 0),
                        io.hearth.core.Bytes.of(new byte[Content.COMMAND_BYTES_MAX])));
        byte[] bytes = ReplicaMessageEncoding.encode(
                new ReplicaMessage.Entries(Samples.STORE, BALLOT, AT, true, List.of(entry), 9, 4));
        assertEquals(true, bytes.length < 60 * 1024, () -> bytes.length + " bytes");
    }
}

package io.hearth.collective.group;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.hearth.collective.Signature;
import io.hearth.collective.TensorList;
import io.hearth.collective.wire.CallMessage;
import io.hearth.collective.wire.CalledMessage;
import io.hearth.collective.wire.ForwardMessage;
import io.hearth.collective.wire.KeptMessage;
import io.hearth.collective.wire.RefusalMessage;
import io.hearth.collective.wire.RefusedMessage;
import io.hearth.collective.wire.ResolutionMessage;
import io.hearth.collective.wire.StatusMessage;
import io.hearth.collective.wire.SubgroupMessage;
import io.hearth.collective.wire.TensorListMessage;
import io.hearth.collective.wire.TermsMessage;
import io.hearth.collective.wire.WaitMessage;
import io.hearth.core.BoundedDecoder;
import io.hearth.core.Bytes;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.election.Resolver;
import io.hearth.identity.Labels;
import io.hearth.identity.NodeId;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.PlanEncoding;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.TreeMap;

/** Encodes and decodes the records of this module. Decoding any bytes gives a record or a typed error. */
public final class CollectiveMessages {
    private static final BoundedDecoder.Limits LIMITS = new BoundedDecoder.Limits(
            Resolver.BYTES_MAX, 3, Math.max(WaitNote.PLACES_MAX, GroupDecision.SUBGROUPS_MAX), 4 * WaitNote.TEXT_MAX);

    private CollectiveMessages() {}

    /** The bytes of a call's signature. */
    public static byte[] encode(Signature signature) {
        return message(signature).build().toByteArray();
    }

    private static CallMessage.Builder message(Signature signature) {
        var message = CallMessage.newBuilder()
                .setKind(signature.kind().name())
                .setOp(signature.op().name())
                .setType(signature.type().name())
                .setCount(signature.count())
                .setCodec(signature.codec())
                .setRoot(signature.root().map(NodeId::text).orElse(""))
                .setStrategy(signature.strategy())
                .setInPlace(signature.inPlace());
        signature
                .list()
                .ifPresent(list -> message.setList(TensorListMessage.newBuilder()
                        .setBucket(list.bucket())
                        .setTensors(list.tensors())
                        .addAllFirst(list.first())
                        .setDigest(list.digest())));
        return message;
    }

    /**
     * Reads a call's signature.
     *
     * @throws MalformedMessageException the bytes are no signature
     */
    public static Signature signature(byte[] bytes) throws MalformedMessageException {
        return signature(parse(CallMessage.parser(), CallMessage.getDescriptor(), bytes));
    }

    private static Signature signature(CallMessage message) throws MalformedMessageException {
        return checked(
                "call",
                () -> new Signature(
                        Signature.Kind.valueOf(message.getKind()),
                        ReduceOp.valueOf(message.getOp()),
                        DataType.valueOf(message.getType()),
                        message.getCount(),
                        message.getCodec(),
                        message.getRoot().isEmpty() ? Optional.empty() : Optional.of(NodeId.parse(message.getRoot())),
                        message.getStrategy(),
                        message.getInPlace(),
                        message.hasList() ? Optional.of(list(message.getList())) : Optional.empty()));
    }

    private static TensorList list(TensorListMessage message) {
        return new TensorList(message.getBucket(), message.getTensors(), message.getFirstList(), message.getDigest());
    }

    /** The beginning of a stream's first record of a number. */
    public record First(Signature signature, GroupSettings settings) {}

    /**
     * The beginning of a stream's first record of a number, as bytes: the length of the next part (2 bytes, little-endian), then the call
     * and the group's settings.
     */
    public static byte[] encode(First first) {
        GroupSettings settings = first.settings();
        byte[] bytes = message(first.signature())
                .setTerms(TermsMessage.newBuilder()
                        .setSegmentBytes(settings.segmentBytes())
                        .setInTurnBytesMax(settings.inTurnBytesMax())
                        .setInPlaceBytesMin(settings.inPlaceBytesMin())
                        .setBucketBytes(settings.bucketBytes())
                        .setLinks(settings.links()))
                .build()
                .toByteArray();
        return ByteBuffer.allocate(Short.BYTES + bytes.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) bytes.length)
                .put(bytes)
                .array();
    }

    /**
     * Reads the beginning of a record.
     *
     * @throws MalformedMessageException the record does not begin with a call
     */
    public static First first(byte[] record) throws MalformedMessageException {
        int length = record.length < Short.BYTES
                ? Integer.MAX_VALUE
                : Short.toUnsignedInt(
                        ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN).getShort());
        if (length > record.length - Short.BYTES) {
            throw new MalformedMessageException("a record of " + record.length + " bytes does not begin with a call");
        }
        CallMessage message = parse(
                CallMessage.parser(),
                CallMessage.getDescriptor(),
                Arrays.copyOfRange(record, Short.BYTES, Short.BYTES + length));
        TermsMessage terms = message.getTerms();
        Signature signature = signature(message);
        return checked(
                "call",
                () -> new First(
                        signature,
                        new GroupSettings(
                                terms.getSegmentBytes(),
                                terms.getInTurnBytesMax(),
                                terms.getInPlaceBytesMin(),
                                terms.getBucketBytes(),
                                terms.getLinks())));
    }

    /** The bytes of a rejection. */
    public static byte[] encode(CallRejection refusal) {
        return message(refusal).toByteArray();
    }

    /**
     * Reads a rejection.
     *
     * @throws MalformedMessageException the bytes are no rejection
     */
    public static CallRejection refusal(byte[] bytes) throws MalformedMessageException {
        RefusalMessage message = parse(RefusalMessage.parser(), RefusalMessage.getDescriptor(), bytes);
        return checked("refusal", () -> refusal(message));
    }

    /** The bytes of a report, at most {@link Resolver#BYTES_MAX}. */
    public static Bytes encode(StatusReport report) {
        StatusMessage.Builder message = message(report.group());
        report.subgroups()
                .forEach((id, status) -> message.addSubgroups(
                        subgroup(id, message(status).build().toByteString())));
        return Bytes.of(message.build().toByteArray());
    }

    /** The bytes of a report without subgroups. */
    public static Bytes encode(Status status) {
        return encode(new StatusReport(status));
    }

    private static SubgroupMessage subgroup(SubgroupId id, ByteString content) {
        return SubgroupMessage.newBuilder().setId(id.text()).setContent(content).build();
    }

    private static StatusMessage.Builder message(Status status) {
        var message = StatusMessage.newBuilder()
                .setCalled(status.called())
                .setDoneUpTo(status.doneUpTo())
                .setBroken(status.broken().orElse(""))
                .setBoundary(status.boundary())
                .setLinks(ByteString.copyFrom(status.links().encode()));
        for (Status.Kept kept : status.kept()) {
            var entry = KeptMessage.newBuilder()
                    .setNumber(kept.number())
                    .setContributors(kept.contributors())
                    .setBytes(kept.bytes());
            kept.refusal().ifPresent(refusal -> entry.setRefusal(message(refusal)));
            message.addKept(entry);
        }
        return message;
    }

    /**
     * Reads a report.
     *
     * @throws MalformedMessageException the bytes are no report
     */
    public static StatusReport statusReport(Bytes bytes) throws MalformedMessageException {
        StatusMessage message = parse(StatusMessage.parser(), StatusMessage.getDescriptor(), bytes.toArray());
        var subgroups = new TreeMap<SubgroupId, Status>();
        for (SubgroupMessage part : message.getSubgroupsList()) {
            subgroups.put(
                    id(part),
                    status(parse(
                            StatusMessage.parser(),
                            StatusMessage.getDescriptor(),
                            part.getContent().toByteArray())));
        }
        Status group = status(message);
        return checked("report", () -> new StatusReport(group, subgroups));
    }

    /** The group's part of a report; see {@link #statusReport}. */
    public static Status status(Bytes bytes) throws MalformedMessageException {
        return statusReport(bytes).group();
    }

    private static SubgroupId id(SubgroupMessage message) throws MalformedMessageException {
        return checked("subgroup", () -> new SubgroupId(message.getId()));
    }

    private static Status status(StatusMessage message) throws MalformedMessageException {
        return checked(
                "status",
                () -> new Status(
                        message.getCalled(),
                        message.getDoneUpTo(),
                        message.getKeptList().stream()
                                .map(CollectiveMessages::kept)
                                .toList(),
                        message.getBroken().isEmpty() ? Optional.empty() : Optional.of(message.getBroken()),
                        message.getBoundary(),
                        MeasuredLinks.decode(message.getLinks().toByteArray())));
    }

    /** The bytes of a decision, at most {@link Resolver#BYTES_MAX}. */
    public static Bytes encode(GroupDecision decision) {
        ResolutionMessage.Builder message = message(decision.group());
        decision.subgroups()
                .forEach((id, resolution) -> message.addSubgroups(
                        subgroup(id, message(resolution).build().toByteString())));
        return Bytes.of(message.build().toByteArray());
    }

    /** The bytes of a decision without subgroups. */
    public static Bytes encode(Resolution resolution) {
        return encode(new GroupDecision(resolution));
    }

    private static ResolutionMessage.Builder message(Resolution resolution) {
        var message = ResolutionMessage.newBuilder().setFirst(resolution.first());
        for (Resolution.Forward forward : resolution.forwards()) {
            message.addForwards(ForwardMessage.newBuilder()
                    .setNumber(forward.number())
                    .setHolder(forward.holder().text())
                    .setContributors(forward.contributors())
                    .setBytes(forward.bytes()));
        }
        for (Resolution.Rejected refused : resolution.refused()) {
            message.addRefused(
                    RefusedMessage.newBuilder().setNumber(refused.number()).setRefusal(message(refused.refusal())));
        }
        if (!resolution.plan().equals(Plan.NONE)) {
            message.setPlan(ByteString.copyFrom(PlanEncoding.encode(resolution.plan())));
        }
        return message;
    }

    /**
     * Reads a decision; no bytes at all mean {@link Resolution#NOTHING}.
     *
     * @throws MalformedMessageException the bytes are no decision
     */
    public static GroupDecision decision(Bytes bytes) throws MalformedMessageException {
        if (bytes.isEmpty()) {
            return new GroupDecision(Resolution.NOTHING);
        }
        ResolutionMessage message =
                parse(ResolutionMessage.parser(), ResolutionMessage.getDescriptor(), bytes.toArray());
        var subgroups = new TreeMap<SubgroupId, Resolution>();
        for (SubgroupMessage part : message.getSubgroupsList()) {
            subgroups.put(
                    id(part),
                    resolution(parse(
                            ResolutionMessage.parser(),
                            ResolutionMessage.getDescriptor(),
                            part.getContent().toByteArray())));
        }
        Resolution group = resolution(message);
        return checked("decision", () -> new GroupDecision(group, subgroups));
    }

    /** The group's part of a decision; see {@link #decision}. */
    public static Resolution resolution(Bytes bytes) throws MalformedMessageException {
        return decision(bytes).group();
    }

    private static Resolution resolution(ResolutionMessage message) throws MalformedMessageException {
        return checked(
                "resolution",
                () -> new Resolution(
                        message.getFirst(),
                        message.getForwardsList().stream()
                                .map(CollectiveMessages::forward)
                                .toList(),
                        message.getRefusedList().stream()
                                .map(refused ->
                                        new Resolution.Rejected(refused.getNumber(), refusal(refused.getRefusal())))
                                .toList(),
                        plan(message.getPlan())));
    }

    /** The bytes of a note. */
    public static byte[] encode(WaitNote note) {
        var message = WaitMessage.newBuilder()
                .setLineage(note.lineage())
                .setPlace(note.place())
                .setNumber(note.number())
                .setText(note.text())
                .setAwaited(note.isAwaited())
                .setMismatch(note.mismatch());
        note.called()
                .forEach((place, number) -> message.addCalled(
                        CalledMessage.newBuilder().setPlace(place).setNumber(number)));
        return message.build().toByteArray();
    }

    /**
     * Reads a note.
     *
     * @throws MalformedMessageException the bytes are no note
     */
    public static WaitNote waitNote(byte[] bytes) throws MalformedMessageException {
        WaitMessage message = parse(WaitMessage.parser(), WaitMessage.getDescriptor(), bytes);
        var called = new TreeMap<String, Long>();
        message.getCalledList().forEach(each -> called.put(each.getPlace(), each.getNumber()));
        return checked(
                "note",
                () -> new WaitNote(
                        message.getLineage(),
                        message.getPlace(),
                        message.getNumber(),
                        Labels.clean(message.getText(), WaitNote.TEXT_MAX),
                        message.getAwaited(),
                        Labels.clean(message.getMismatch(), WaitNote.TEXT_MAX),
                        called));
    }

    /** A plan that cannot be read counts as none, so that a proposer with a fault ends no group. */
    private static Plan plan(ByteString bytes) {
        try {
            return bytes.isEmpty() ? Plan.NONE : PlanEncoding.decode(bytes.toByteArray());
        } catch (MalformedMessageException unreadable) {
            return Plan.NONE;
        }
    }

    private static Status.Kept kept(KeptMessage message) {
        return new Status.Kept(
                message.getNumber(),
                message.getContributors(),
                message.getBytes(),
                message.hasRefusal() ? Optional.of(refusal(message.getRefusal())) : Optional.empty());
    }

    private static Resolution.Forward forward(ForwardMessage message) {
        return new Resolution.Forward(
                message.getNumber(), NodeId.parse(message.getHolder()), message.getContributors(), message.getBytes());
    }

    private static RefusalMessage message(CallRejection refusal) {
        return RefusalMessage.newBuilder()
                .setCause(refusal.cause().name())
                .setText(refusal.text())
                .build();
    }

    private static CallRejection refusal(RefusalMessage message) {
        return new CallRejection(
                CallRejection.Cause.valueOf(message.getCause()),
                Labels.clean(message.getText(), CallRejection.TEXT_MAX));
    }

    private static <M extends Message> M parse(Parser<M> parser, Descriptor descriptor, byte[] bytes)
            throws MalformedMessageException {
        return BoundedDecoder.parse(parser, descriptor, bytes, LIMITS);
    }

    /** Creates a record, whose checks throw IllegalArgumentException; for received bytes this becomes a MalformedMessageException. */
    private interface Build<T> {
        T build();
    }

    private static <T> T checked(String what, Build<T> build) throws MalformedMessageException {
        try {
            return build.build();
        } catch (IllegalArgumentException invalid) {
            throw new MalformedMessageException(what + " is not valid: " + invalid.getMessage(), invalid);
        }
    }
}

package io.hearth.transport.machine;

import com.google.protobuf.ByteString;
import io.hearth.core.BoundedDecoder;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.transport.Appearance;
import io.hearth.transport.CloseCause;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.Endpoint;
import io.hearth.transport.Frame;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.Purpose;
import io.hearth.transport.StreamId;
import io.hearth.transport.wire.AppearanceMessage;
import io.hearth.transport.wire.CloseMessage;
import io.hearth.transport.wire.DuplicateMessage;
import io.hearth.transport.wire.HelloMessage;
import io.hearth.transport.wire.ProofMessage;
import io.hearth.transport.wire.RefusedMessage;
import io.hearth.transport.wire.RelayRequestMessage;
import io.hearth.transport.wire.RelayTicketMessage;
import io.hearth.transport.wire.ServerHelloMessage;
import io.hearth.transport.wire.StreamRequestMessage;
import io.hearth.transport.wire.StreamTicketMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Turns {@link LinkMessage}s into frames and back; the only place that sees generated types. */
public final class LinkEncoding {
    private static final int CLIENT_HELLO = 1;
    private static final int SERVER_HELLO = 2;
    private static final int PROOF = 3;
    private static final int ADMITTED = 4;
    private static final int REFUSED = 5;
    private static final int CLOSE = 6;
    private static final int STREAM_REQUEST = 7;
    private static final int STREAM_TICKET = 8;
    private static final int PROBE = 9;
    private static final int DUPLICATE = 10;
    private static final int RELAY_REQUEST = 11;
    private static final int RELAY_TICKET = 12;

    private static final int LIST_MAX = 16;
    private static final int FEATURE_CHARACTERS_MAX = 32;
    private static final int PROOF_BYTES = 32;
    private static final int KEY_ID_BYTES = 8;
    private static final int PORT_MAX = 65_535;
    private static final int TEXT_CHARACTERS_MAX = 200;
    private static final int ADDRESS_CHARACTERS_MAX = 64;
    private static final int SOCKET_BYTES_MAX = 103; // the limit of macOS
    private static final Pattern SLOT = Pattern.compile("[a-z0-9-]{1,32}");

    private LinkEncoding() {}

    /** Whether {@link #decode} knows that kind; others below {@link Frame#USER_MIN} belong to later versions. */
    public static boolean knows(int kind) {
        return kind >= CLIENT_HELLO && kind <= RELAY_TICKET;
    }

    public static Frame encode(LinkMessage message) {
        return switch (message) {
            case LinkMessage.ClientHello hello ->
                new Frame(CLIENT_HELLO, hello.encoded().toArray());
            case LinkMessage.ServerHello hello ->
                new Frame(
                        SERVER_HELLO,
                        ServerHelloMessage.newBuilder()
                                .setHello(string(hello.encoded()))
                                .setProof(string(hello.proof()))
                                .build()
                                .toByteArray());
            case LinkMessage.Proof(var proof) ->
                new Frame(
                        PROOF,
                        ProofMessage.newBuilder()
                                .setProof(string(proof))
                                .build()
                                .toByteArray());
            case LinkMessage.Admitted() -> new Frame(ADMITTED, new byte[0]);
            case LinkMessage.Refused(var refusal, var text) ->
                new Frame(
                        REFUSED,
                        RefusedMessage.newBuilder()
                                .setRefusal(refusal.code())
                                .setText(clean(text))
                                .build()
                                .toByteArray());
            case LinkMessage.Close(var cause, var text) ->
                new Frame(
                        CLOSE,
                        CloseMessage.newBuilder()
                                .setCause(cause.code())
                                .setText(clean(text))
                                .build()
                                .toByteArray());
            case LinkMessage.StreamRequest request ->
                new Frame(STREAM_REQUEST, request(request).toByteArray());
            case LinkMessage.StreamTicket(var request, var ticket, var socket, var addresses) ->
                new Frame(
                        STREAM_TICKET,
                        StreamTicketMessage.newBuilder()
                                .setRequest(request)
                                .setTicket(string(ticket))
                                .setSocket(socket)
                                .addAllAddresses(addresses.stream()
                                        .map(LinkEncoding::string)
                                        .toList())
                                .build()
                                .toByteArray());
            case LinkMessage.Probe() -> new Frame(PROBE, new byte[0]);
            case LinkMessage.RelayRequest(var request, var target, var toData) ->
                new Frame(
                        RELAY_REQUEST,
                        RelayRequestMessage.newBuilder()
                                .setRequest(request)
                                .setMachine(ByteString.copyFrom(target.peer().publicKey()))
                                .setSlot(target.slot())
                                .setToData(toData)
                                .build()
                                .toByteArray());
            case LinkMessage.RelayTicket(var request, var ticket, var why) ->
                new Frame(
                        RELAY_TICKET,
                        RelayTicketMessage.newBuilder()
                                .setRequest(request)
                                .setTicket(string(ticket))
                                .setWhy(clean(why))
                                .build()
                                .toByteArray());
            case LinkMessage.Duplicate(var found) ->
                new Frame(
                        DUPLICATE,
                        DuplicateMessage.newBuilder()
                                .setMachine(ByteString.copyFrom(found.machine().publicKey()))
                                .setOwn(frame(found.one()))
                                .setOther(frame(found.other()))
                                .build()
                                .toByteArray());
        };
    }

    /**
     * Reads a frame of a known kind.
     *
     * @throws MalformedMessageException if the bytes are not such a message; its text says why
     */
    public static LinkMessage decode(Frame frame) throws MalformedMessageException {
        byte[] bytes = frame.bytes();
        return switch (frame.kind()) {
            case CLIENT_HELLO -> new LinkMessage.ClientHello(hello(bytes), Bytes.of(bytes));
            case SERVER_HELLO -> {
                var message =
                        BoundedDecoder.parse(ServerHelloMessage.parser(), ServerHelloMessage.getDescriptor(), bytes);
                byte[] encoded = message.getHello().toByteArray();
                yield new LinkMessage.ServerHello(
                        hello(encoded), Bytes.of(encoded), exact(message.getProof(), PROOF_BYTES, "proof"));
            }
            case PROOF ->
                new LinkMessage.Proof(exact(
                        BoundedDecoder.parse(ProofMessage.parser(), ProofMessage.getDescriptor(), bytes)
                                .getProof(),
                        PROOF_BYTES,
                        "proof"));
            case ADMITTED -> empty(bytes, new LinkMessage.Admitted());
            case REFUSED -> {
                var message = BoundedDecoder.parse(RefusedMessage.parser(), RefusedMessage.getDescriptor(), bytes);
                yield new LinkMessage.Refused(LinkRejection.of(message.getRefusal()), clean(message.getText()));
            }
            case CLOSE -> {
                var message = BoundedDecoder.parse(CloseMessage.parser(), CloseMessage.getDescriptor(), bytes);
                yield new LinkMessage.Close(CloseCause.of(message.getCause()), clean(message.getText()));
            }
            case STREAM_REQUEST -> streamRequest(bytes);
            case STREAM_TICKET -> {
                var message =
                        BoundedDecoder.parse(StreamTicketMessage.parser(), StreamTicketMessage.getDescriptor(), bytes);
                require(
                        message.getSocket().getBytes(StandardCharsets.UTF_8).length <= SOCKET_BYTES_MAX,
                        "length of a socket's path");
                yield new LinkMessage.StreamTicket(
                        message.getRequest(),
                        exact(message.getTicket(), StreamTickets.TICKET_BYTES, "ticket"),
                        message.getSocket(),
                        addresses(message.getAddressesList()));
            }
            case RELAY_REQUEST -> {
                var message =
                        BoundedDecoder.parse(RelayRequestMessage.parser(), RelayRequestMessage.getDescriptor(), bytes);
                require(SLOT.matcher(message.getSlot()).matches(), "slot");
                yield new LinkMessage.RelayRequest(
                        message.getRequest(),
                        new NodeId(machine(message.getMachine()), message.getSlot()),
                        message.getToData());
            }
            case RELAY_TICKET -> {
                var message =
                        BoundedDecoder.parse(RelayTicketMessage.parser(), RelayTicketMessage.getDescriptor(), bytes);
                yield new LinkMessage.RelayTicket(
                        message.getRequest(),
                        message.getTicket().isEmpty()
                                ? Bytes.EMPTY
                                : exact(message.getTicket(), StreamTickets.TICKET_BYTES, "ticket"),
                        clean(message.getWhy()));
            }
            case PROBE -> empty(bytes, new LinkMessage.Probe());
            case DUPLICATE -> {
                var message = BoundedDecoder.parse(DuplicateMessage.parser(), DuplicateMessage.getDescriptor(), bytes);
                yield new LinkMessage.Duplicate(new DoubledIdentity(
                        machine(message.getMachine()), appearance(message.getOwn()), appearance(message.getOther())));
            }
            default -> throw new MalformedMessageException("frame kind " + frame.kind() + " is unknown");
        };
    }

    /** The bytes of a hello, as they go on the wire and into the transcript. */
    public static Bytes encode(Hello hello) {
        var message = HelloMessage.newBuilder()
                .addAllVersions(hello.versions())
                .addAllFeatures(hello.features())
                .setPurpose(hello.purpose().code())
                .setSlot(hello.slot())
                .setIncarnation(hello.incarnation())
                .setBootId(string(hello.bootId()))
                .setSystemBoot(string(hello.systemBoot().orElse(Bytes.EMPTY)))
                .setKeyId(string(hello.keyId()))
                .setLinkPort(hello.linkPort())
                .setDataPort(hello.dataPort())
                .setDial(hello.dial())
                .setChosen(hello.chosen())
                .setFormerKeyId(string(hello.formerKeyId().orElse(Bytes.EMPTY)));
        hello.replaces().ifPresent(link -> message.setReplacesDial(link.dial()).setReplacesOwn(link.dialed()));
        return Bytes.of(message.build().toByteArray());
    }

    private static Hello hello(byte[] bytes) throws MalformedMessageException {
        var message = BoundedDecoder.parse(HelloMessage.parser(), HelloMessage.getDescriptor(), bytes);
        require(message.getVersionsCount() >= 1 && message.getVersionsCount() <= LIST_MAX, "number of versions");
        require(message.getFeaturesCount() <= LIST_MAX, "number of features");
        for (String feature : message.getFeaturesList()) {
            require(feature.length() <= FEATURE_CHARACTERS_MAX, "length of a feature");
        }
        require(SLOT.matcher(message.getSlot()).matches(), "slot");
        require(message.getIncarnation() >= 0, "incarnation");
        require(message.getLinkPort() >= 1 && message.getLinkPort() <= PORT_MAX, "link port");
        require(message.getReplacesDial() >= 0, "number of the dial that is replaced");
        require(message.getDataPort() >= 0 && message.getDataPort() <= PORT_MAX, "data port");
        return new Hello(
                List.copyOf(message.getVersionsList()),
                List.copyOf(message.getFeaturesList()),
                Purpose.of(message.getPurpose()),
                message.getSlot(),
                message.getIncarnation(),
                exact(message.getBootId(), Endpoint.BOOT_ID_BYTES, "boot id"),
                systemBoot(message.getSystemBoot()),
                exact(message.getKeyId(), KEY_ID_BYTES, "key id"),
                message.getLinkPort(),
                message.getDataPort(),
                message.getDial(),
                message.getChosen(),
                message.getFormerKeyId().isEmpty()
                        ? Optional.empty()
                        : Optional.of(exact(message.getFormerKeyId(), KEY_ID_BYTES, "former key id")),
                message.getReplacesDial() == 0
                        ? Optional.empty()
                        : Optional.of(new LinkName(message.getReplacesOwn(), message.getReplacesDial())));
    }

    private static AppearanceMessage frame(Appearance appearance) {
        return AppearanceMessage.newBuilder()
                .setSlot(appearance.slot())
                .setIncarnation(appearance.incarnation())
                .setSystemBoot(string(appearance.systemBoot().orElse(Bytes.EMPTY)))
                .setAddress(clean(appearance.address(), ADDRESS_CHARACTERS_MAX))
                .build();
    }

    private static Appearance appearance(AppearanceMessage message) throws MalformedMessageException {
        require(SLOT.matcher(message.getSlot()).matches(), "slot");
        require(message.getIncarnation() >= 0, "incarnation");
        return new Appearance(
                message.getSlot(),
                message.getIncarnation(),
                systemBoot(message.getSystemBoot()),
                clean(message.getAddress(), ADDRESS_CHARACTERS_MAX));
    }

    private static PeerId machine(ByteString publicKey) throws MalformedMessageException {
        return PeerId.of(exact(publicKey, PeerId.KEY_BYTES, "machine").toArray());
    }

    private static Optional<Bytes> systemBoot(ByteString bytes) throws MalformedMessageException {
        return bytes.isEmpty()
                ? Optional.empty()
                : Optional.of(exact(bytes, Endpoint.BOOT_ID_BYTES, "boot id of the system"));
    }

    private static StreamRequestMessage request(LinkMessage.StreamRequest request) {
        var message = StreamRequestMessage.newBuilder()
                .setRequest(request.request())
                .setGroup(request.id().group())
                .setFence(request.id().fence())
                .setIndex(request.id().index())
                .setLanes(request.lanes() == 1 ? 0 : request.lanes());
        request.path().ifPresent(path -> message.setFrom(string(path.from())).setTo(string(path.to())));
        return message.build();
    }

    private static LinkMessage streamRequest(byte[] bytes) throws MalformedMessageException {
        var message = BoundedDecoder.parse(StreamRequestMessage.parser(), StreamRequestMessage.getDescriptor(), bytes);
        require(message.getLanes() >= 0 && message.getLanes() <= LaneLimits.LANES_MAX, "number of lanes");
        boolean hasPath = !message.getFrom().isEmpty() || !message.getTo().isEmpty();
        require(hasPath == (message.getIndex() > StreamId.INDEX_MAX), "path of a lane");
        try {
            return new LinkMessage.StreamRequest(
                    message.getRequest(),
                    new StreamId(message.getGroup(), message.getFence(), message.getIndex()),
                    Math.max(1, message.getLanes()),
                    hasPath
                            ? Optional.of(new AddressPair(
                                    Bytes.of(message.getFrom().toByteArray()),
                                    Bytes.of(message.getTo().toByteArray())))
                            : Optional.empty());
        } catch (IllegalArgumentException outOfRange) {
            throw new MalformedMessageException(String.valueOf(outOfRange.getMessage()), outOfRange);
        }
    }

    private static List<Bytes> addresses(List<ByteString> addresses) throws MalformedMessageException {
        require(addresses.size() <= LaneLimits.ADDRESSES_MAX, "number of addresses");
        for (ByteString address : addresses) {
            require(address.size() == 4 || address.size() == 16, "length of an address");
        }
        return addresses.stream()
                .map(address -> Bytes.of(address.toByteArray()))
                .toList();
    }

    private static void require(boolean inRange, String what) throws MalformedMessageException {
        if (!inRange) {
            throw new MalformedMessageException("the " + what + " is out of range");
        }
    }

    private static Bytes exact(ByteString bytes, int size, String what) throws MalformedMessageException {
        if (bytes.size() != size) {
            throw new MalformedMessageException("the " + what + " has " + bytes.size() + " bytes, not " + size);
        }
        return Bytes.of(bytes.toByteArray());
    }

    private static LinkMessage empty(byte[] bytes, LinkMessage message) throws MalformedMessageException {
        require(bytes.length == 0, "length of a message without fields");
        return message;
    }

    private static ByteString string(Bytes bytes) {
        return ByteString.copyFrom(bytes.toArray());
    }

    /** Cleans a peer's text, which ends up in logs and on terminals: short, and printable ASCII only. */
    private static String clean(String text) {
        return clean(text, TEXT_CHARACTERS_MAX);
    }

    private static String clean(String text, int charactersMax) {
        String printable = text.replaceAll("[^\\x20-\\x7e]", "?");
        return printable.length() <= charactersMax ? printable : printable.substring(0, charactersMax);
    }
}

package io.hearth.topology;

import io.hearth.core.BoundedDecoder;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.topology.wire.LinkReportMessage;
import io.hearth.topology.wire.MeasuredLinkMessage;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Converts {@link LinkReport}s to their wire form and back. */
public final class LinkReportEncoding {
    /** Kind of the message on a control link. */
    public static final int KIND = 44;

    /** The classes by their number on the wire; another number counts as {@link InterfaceClass#OTHER}. */
    private static final List<InterfaceClass> KINDS = List.of(
            InterfaceClass.OTHER,
            InterfaceClass.LOOPBACK,
            InterfaceClass.THUNDERBOLT,
            InterfaceClass.ETHERNET,
            InterfaceClass.WIFI,
            InterfaceClass.VPN,
            InterfaceClass.VIRTUAL);

    private LinkReportEncoding() {}

    /** The wire form, at most about 60 KiB. */
    public static byte[] encode(LinkReport report) {
        LinkReportMessage.Builder message = LinkReportMessage.newBuilder();
        report.links().forEach((peer, measured) -> {
            MeasuredLinkMessage.Builder link = MeasuredLinkMessage.newBuilder()
                    .setPeer(peer.text())
                    .setRoundTripNanos(measured.roundTripNanos())
                    .setOutBytesPerSecond(measured.outBytesPerSecond())
                    .setInBytesPerSecond(measured.inBytesPerSecond())
                    .setSeenBytesPerSecond(measured.seenBytesPerSecond());
            measured.way().ifPresent(way -> {
                link.setPath(way.path())
                        .setInterfaceClass(KINDS.indexOf(way.kind()))
                        .setAgeSeconds(way.ageSeconds());
                way.lossPermille().ifPresent(link::setLossPermille);
            });
            message.addLinks(link);
        });
        report.straggler()
                .ifPresent(straggler -> message.setStraggler(straggler.node().text())
                        .setStragglerCause(Straggler.CAUSES.indexOf(straggler.cause()) + 1)
                        .setStragglerValue(straggler.value())
                        .setStragglerUsual(straggler.usual()));
        return message.setCodecPercent(report.codecPercent()).build().toByteArray();
    }

    /**
     * Reads the report that a peer sent.
     *
     * @throws MalformedMessageException if the bytes are no report, or a value in it is out of range
     */
    public static LinkReport decode(byte[] bytes) throws MalformedMessageException {
        LinkReportMessage message =
                BoundedDecoder.parse(LinkReportMessage.parser(), LinkReportMessage.getDescriptor(), bytes);
        var links = new TreeMap<NodeId, LinkReport.Measured>();
        try {
            for (MeasuredLinkMessage link : message.getLinksList()) {
                links.put(
                        NodeId.parse(link.getPeer()),
                        new LinkReport.Measured(
                                link.getRoundTripNanos(),
                                link.getOutBytesPerSecond(),
                                link.getInBytesPerSecond(),
                                link.getSeenBytesPerSecond(),
                                way(link)));
            }
            return new LinkReport(links, straggler(message), message.getCodecPercent());
        } catch (IllegalArgumentException invalid) {
            throw new MalformedMessageException("a report of links is not valid: " + invalid.getMessage(), invalid);
        }
    }

    private static Optional<LinkReport.Way> way(MeasuredLinkMessage link) {
        if (link.getPath().isEmpty()) {
            return Optional.empty();
        }
        int kind = link.getInterfaceClass();
        boolean isKnown = kind >= 0 && kind < KINDS.size();
        return Optional.of(new LinkReport.Way(
                link.getPath(),
                isKnown ? KINDS.get(kind) : InterfaceClass.OTHER,
                link.getAgeSeconds(),
                link.hasLossPermille() ? OptionalInt.of(link.getLossPermille()) : OptionalInt.empty()));
    }

    /** The straggler; none if a later version names a cause that this one does not know. */
    private static Optional<Straggler> straggler(LinkReportMessage message) {
        int cause = message.getStragglerCause();
        return cause < 1 || cause > Straggler.CAUSES.size()
                ? Optional.empty()
                : Optional.of(new Straggler(
                        NodeId.parse(message.getStraggler()),
                        Straggler.CAUSES.get(cause - 1),
                        message.getStragglerValue(),
                        message.getStragglerUsual()));
    }
}

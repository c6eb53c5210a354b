package io.hearth.topology;

import io.hearth.core.BoundedDecoder;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.topology.wire.LinkReportMessage;
import io.hearth.topology.wire.MeasuredLinkMessage;
import java.util.Optional;
import java.util.TreeMap;

/** Converts {@link LinkReport}s to their wire form and back. */
public final class LinkReportEncoding {
    /** Kind of the message on a control link. */
    public static final int KIND = 44;

    private LinkReportEncoding() {}

    /** The wire form, at most about 30 KiB. */
    public static byte[] encode(LinkReport report) {
        LinkReportMessage.Builder message = LinkReportMessage.newBuilder();
        report.links()
                .forEach((peer, measured) -> message.addLinks(MeasuredLinkMessage.newBuilder()
                        .setPeer(peer.text())
                        .setRoundTripNanos(measured.roundTripNanos())
                        .setOutBytesPerSecond(measured.outBytesPerSecond())
                        .setInBytesPerSecond(measured.inBytesPerSecond())
                        .setSeenBytesPerSecond(measured.seenBytesPerSecond())));
        report.straggler()
                .ifPresent(straggler -> message.setStraggler(straggler.node().text())
                        .setStragglerCause(Straggler.CAUSES.indexOf(straggler.cause()) + 1)
                        .setStragglerValue(straggler.value())
                        .setStragglerUsual(straggler.usual()));
        return message.build().toByteArray();
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
                                link.getSeenBytesPerSecond()));
            }
            return new LinkReport(links, straggler(message));
        } catch (IllegalArgumentException invalid) {
            throw new MalformedMessageException("a report of links is not valid: " + invalid.getMessage(), invalid);
        }
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

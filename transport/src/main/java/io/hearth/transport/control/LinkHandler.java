package io.hearth.transport.control;

import io.hearth.core.MalformedMessageException;
import io.hearth.transport.CloseCause;
import io.hearth.transport.Endpoint;
import io.hearth.transport.Frame;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.machine.LinkEncoding;
import io.hearth.transport.machine.LinkMessage;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes the frames of an admitted link to their receivers. */
final class LinkHandler extends SimpleChannelInboundHandler<Frame> {
    private static final Logger LOG = LoggerFactory.getLogger(LinkHandler.class);

    private final Link link;
    private final LinkObserver observer;
    private final StreamMessages streams;
    private final RelayMessages relays;
    private final LinkTable table;
    private final Tally tally;

    LinkHandler(
            Link link,
            LinkObserver observer,
            StreamMessages streams,
            RelayMessages relays,
            LinkTable table,
            Tally tally) {
        this.link = link;
        this.observer = observer;
        this.streams = streams;
        this.relays = relays;
        this.table = table;
        this.tally = tally;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Frame frame) {
        table.heard(link);
        if (frame.kind() >= Frame.USER_MIN) {
            tally.messagesIn.increment();
            Endpoint from = link.node().endpoint();
            observer.received(from.id(), from.incarnation(), frame.kind(), frame.bytes());
        } else if (LinkEncoding.knows(frame.kind())) {
            ownMessage(frame);
        } else {
            tally.unknownKinds.increment();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        table.ended(link);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        switch (cause) {
            case FrameException broken -> malformed(broken.why());
            case IOException gone -> link.end("the connection broke: " + gone.getMessage());
            case DecoderException tls -> link.end("TLS broke: " + tls.getMessage());
            case Throwable bug -> {
                LOG.error(
                        "link closed by a bug: report this; peer={}",
                        link.node().endpoint().id().shortText(),
                        bug);
                link.end("internal error");
            }
        }
    }

    private void ownMessage(Frame frame) {
        LinkMessage message;
        try {
            message = LinkEncoding.decode(frame);
        } catch (MalformedMessageException broken) {
            malformed(String.valueOf(broken.getMessage()));
            return;
        }
        switch (message) {
            case LinkMessage.Close(var cause, var text)
            when cause == CloseCause.DUPLICATE -> {
                LOG.debug("peer={} {}", link.node().endpoint().id().shortText(), text);
                link.peerRetired();
            }
            case LinkMessage.Close close -> link.end("the peer closed the link: " + close.text());
            case LinkMessage.Refused refused -> // sent before the peer knew of the admission, as after a timeout there
                link.end("the peer refused the link after all: " + refused.text());
            case LinkMessage.StreamRequest request -> streams.requested(link, request);
            case LinkMessage.StreamTicket ticket -> streams.granted(ticket);
            case LinkMessage.RelayRequest request -> relays.requested(link, request);
            case LinkMessage.RelayTicket answer -> relays.answered(answer);
            case LinkMessage.Probe() -> {}
            case LinkMessage.Duplicate(var found) ->
                table.ownDoubled(found, link.node().endpoint().id(), link.remoteAddress());
            case LinkMessage.ClientHello _, LinkMessage.ServerHello _, LinkMessage.Proof _, LinkMessage.Admitted _ ->
                malformed(message.getClass().getSimpleName() + " does not belong on an admitted link");
        }
    }

    private void malformed(String why) {
        tally.malformed.increment();
        link.finish(CloseCause.MALFORMED, "malformed: " + why);
    }
}

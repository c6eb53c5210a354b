package io.hearth.transport.control;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.PeerId;
import io.hearth.transport.Frame;
import io.hearth.transport.LinkLimits;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.machine.HandshakeMachine;
import io.hearth.transport.machine.HandshakeMachine.Effect;
import io.hearth.transport.machine.HandshakeMachine.Event;
import io.hearth.transport.machine.HandshakeMachine.State;
import io.hearth.transport.machine.LinkEncoding;
import io.hearth.transport.machine.LinkMessage;
import io.hearth.transport.machine.RemoteNode;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the handshake machine of one connection and carries out its effects. A {@link LinkHandler} replaces it on admission. */
public final class HandshakeHandler extends SimpleChannelInboundHandler<Frame> {
    private static final Logger LOG = LoggerFactory.getLogger(HandshakeHandler.class);
    private static final int REASON_CHARACTERS_MAX = 200;
    private static final String HEARD_AGAIN = "the link that this one should replace is heard again";

    private final HandshakeMachine machine;
    private final Clock clock;
    private final AdmissionHandler links;
    private final LinkLimits limits;
    private final InetSocketAddress address;
    private final Runnable settled;
    private final Dial dial;
    private State state;
    private Optional<PeerId> peer = Optional.empty();

    /**
     * This side's part in the connection.
     *
     * @param dialed whether this side dialled
     * @param number of the dial in its process if this side dialled, else 0
     * @param relayed whether it dialled through a relay
     * @param silent the link that it wants to replace, because nothing arrives on it any more
     */
    public record Dial(boolean dialed, long number, boolean relayed, Optional<SilentLink> silent) {
        /** The other side dialled. */
        public static final Dial ACCEPTED = new Dial(false, 0, false, Optional.empty());
    }

    /**
     * @param dial this side's part
     * @param address of the other side
     * @param settled run once when the connection is admitted or gone
     */
    public HandshakeHandler(
            HandshakeMachine machine,
            Dial dial,
            Clock clock,
            AdmissionHandler links,
            LinkLimits limits,
            InetSocketAddress address,
            Runnable settled) {
        this.machine = machine;
        this.dial = dial;
        this.clock = clock;
        this.links = links;
        this.limits = limits;
        this.address = address;
        this.settled = settled;
        this.state = start();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        state = start(); // the handshake's time limit starts now, after connecting
        awaitDeadline(context);
        context.fireChannelActive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        settled.run();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent tls) {
            step(context, tls.isSuccess() ? secured(context) : insecure(tls.cause()));
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Frame frame) {
        Event event;
        try {
            event = new Event.Arrived(LinkEncoding.decode(frame));
        } catch (MalformedMessageException malformed) {
            event = new Event.Broken(LinkRejection.MALFORMED, line(malformed));
        }
        step(context, isNeeded(event) ? event : new Event.Broken(LinkRejection.DUPLICATE, HEARD_AGAIN));
    }

    /** False if the link that this one would replace is heard again: the peer was only slow. Asked before this side's proof. */
    private boolean isNeeded(Event event) {
        boolean isAnswer = event instanceof Event.Arrived(LinkMessage.ServerHello _);
        return !isAnswer || dial.silent().filter(link -> !link.isSilent()).isEmpty();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        step(context, new Event.Lost(LinkRejection.HUNG_UP, "the other side hung up before admission"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        step(
                context,
                switch (cause) {
                    case FrameException broken -> new Event.Broken(broken.refusal(), broken.why());
                    case IOException gone ->
                        new Event.Lost(LinkRejection.HUNG_UP, "the connection broke before admission: " + line(gone));
                    case Throwable other
                    when other.getCause() instanceof SSLException tls ->
                        new Event.Lost(LinkRejection.TLS, "TLS failed: " + line(tls));
                    case Throwable bug -> {
                        LOG.error("handshake stopped by a bug: report this; address={}", address, bug);
                        yield new Event.Broken(LinkRejection.MALFORMED, "internal error");
                    }
                });
    }

    /**
     * The event for a failure of TLS. A connection that breaks during TLS, as when the peer's process ends, does not mean that TLS itself
     * failed.
     */
    private static Event insecure(Throwable failed) {
        Throwable cause = failed instanceof SSLException && failed.getCause() != null ? failed.getCause() : failed;
        return cause instanceof IOException && !(cause instanceof SSLException)
                ? new Event.Lost(LinkRejection.HUNG_UP, "the connection broke before admission: " + line(failed))
                : new Event.Lost(LinkRejection.TLS, "TLS failed: " + line(failed));
    }

    private State start() {
        return dial.dialed()
                ? State.client(dial.number(), dial.relayed(), dial.silent().flatMap(SilentLink::name), clock.nanoTime())
                : State.server(clock.nanoTime());
    }

    private Event secured(ChannelHandlerContext context) {
        try {
            SSLEngine engine = context.pipeline().get(SslHandler.class).engine();
            PeerId proven = Tls.peer(engine);
            peer = Optional.of(proven);
            return new Event.Secured(proven, Tls.linkExporter(engine));
        } catch (SSLException failed) {
            return new Event.Lost(LinkRejection.TLS, "TLS failed: " + line(failed));
        }
    }

    private void step(ChannelHandlerContext context, Event event) {
        Step<State, Effect> step = machine.step(state, event, clock.nanoTime());
        state = step.state();
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Send(var message) -> {
                    var _ = context.writeAndFlush(FrameDecoder.encode(context.alloc(), LinkEncoding.encode(message)));
                }
                case Effect.Ask(var node) -> step(context, links.decide(node, address));
                case Effect.Admit(var node, var keys) -> admit(context, node, keys);
                case Effect.Unknown(var remote) -> step(context, unknown(remote));
                case Effect.OwnDoubled(var found, var by) -> links.ownDoubled(found, by, address);
                case Effect.Refuse(var refusal, var why, var byPeer) -> {
                    String reason = byPeer ? "the other side refused: " + why : why;
                    links.refuse(address, dial.dialed(), peer, refusal, reason);
                    if (peer.isPresent()) {
                        Link.closeAfter(Unpooled.EMPTY_BUFFER, context.channel());
                    } else {
                        var _ = context.close();
                    }
                }
            }
        }
    }

    private Event unknown(PeerId remote) {
        return links.outdated(remote)
                .<Event>map(why -> new Event.Denied(LinkRejection.OUTDATED, why))
                .orElseGet(Event.Allowed::new);
    }

    private void admit(ChannelHandlerContext context, RemoteNode node, NamespaceKeys keys) {
        if (node.isRekeyed()) {
            context.pipeline().get(WireMeter.class).admit();
            context.pipeline().get(FrameDecoder.class).admit();
            RekeyHandler rekey = links.rekey(node, context, address);
            context.pipeline().replace(this, "rekey", rekey);
            rekey.open();
            return;
        }
        byte[] exporter;
        try {
            exporter = Tls.dataExporter(context.pipeline().get(SslHandler.class).engine());
        } catch (SSLException bug) {
            throw new AssertionError("a connection that exported once exports again", bug);
        }
        var key = new LinkKey(keys.linkKey(exporter));
        Arrays.fill(exporter, (byte) 0);
        var meter = context.pipeline().get(WireMeter.class);
        meter.admit();
        context.pipeline().get(FrameDecoder.class).admit();
        var link = new Link(
                node, context.channel(), meter, key, Bytes.of(keys.id()), limits.queueBytesMax(), clock.epochMillis());
        context.pipeline().replace(this, "link", links.handlerOf(link));
        links.admit(link);
    }

    private void awaitDeadline(ChannelHandlerContext context) {
        long sleepNanos = machine.sleepNanos(state, clock.nanoTime());
        if (sleepNanos == Long.MAX_VALUE) {
            return;
        }
        var _ = context.executor()
                .schedule(
                        () -> {
                            step(context, new Event.Tick());
                            awaitDeadline(context);
                        },
                        sleepNanos,
                        TimeUnit.NANOSECONDS);
    }

    /** The cause as one short line, because text from a stranger must not fill logs and status. */
    private static String line(Throwable cause) {
        if (cause instanceof NotSslRecordException) {
            return "it does not speak TLS"; // its message would be all received bytes, in hexadecimal
        }
        String message = cause.getMessage();
        String line = message == null
                ? cause.getClass().getSimpleName()
                : message.lines().findFirst().orElse("");
        return line.substring(0, Math.min(line.length(), REASON_CHARACTERS_MAX));
    }
}

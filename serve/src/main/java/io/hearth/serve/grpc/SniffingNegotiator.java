package io.hearth.serve.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.InternalProtocolNegotiationEvent;
import io.grpc.netty.InternalProtocolNegotiator;
import io.grpc.netty.InternalProtocolNegotiators;
import io.grpc.netty.ProtocolNegotiationEvent;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpScheme;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AsciiString;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Gives a connection to gRPC if it begins as HTTP/2 does (RFC 9113, section 3.4), and else to the pages. Both are on one port in torchft's
 * lighthouse, so its users expect it.
 */
final class SniffingNegotiator implements InternalProtocolNegotiator.ProtocolNegotiator {
    private static final byte[] PREFACE = {'P', 'R', 'I', ' '};
    private static final int REQUEST_BYTES_MAX = 8 * 1024;

    private static final ServicePort.Pages REFUSAL =
            (_, _) -> new ServicePort.Page(403, "text/plain", OnlyVerified.REFUSAL + "\n").now();

    private final InternalProtocolNegotiator.ProtocolNegotiator plain = InternalProtocolNegotiators.serverPlaintext();
    private final ServicePort.Pages pages;
    private final Optional<SslContext> tls;
    private final boolean onlyVerified;
    private final Duration pageTime;

    /**
     * A negotiator for the connections of one port.
     *
     * @param onlyVerified whether clients without a certificate get no pages
     * @param pageTime how long a connection may live that is not gRPC's
     */
    SniffingNegotiator(ServicePort.Pages pages, Optional<SslContext> tls, boolean onlyVerified, Duration pageTime) {
        this.pages = pages;
        this.tls = tls;
        this.onlyVerified = onlyVerified;
        this.pageTime = pageTime;
    }

    @Override
    public AsciiString scheme() {
        return tls.isPresent() ? HttpScheme.HTTPS.name() : plain.scheme();
    }

    @Override
    public ChannelHandler newHandler(GrpcHttp2ConnectionHandler grpc) {
        return new Sniffer(plain.newHandler(grpc));
    }

    @Override
    public void close() {
        plain.close();
    }

    private static @Nullable SSLSession session(ChannelHandlerContext context) {
        SslHandler handler = context.pipeline().get(SslHandler.class);
        return handler == null ? null : handler.engine().getSession();
    }

    private static ProtocolNegotiationEvent withSession(ProtocolNegotiationEvent event, @Nullable SSLSession session) {
        return session == null
                ? event
                : InternalProtocolNegotiationEvent.withAttributes(
                        event,
                        Attributes.newBuilder()
                                .set(Grpc.TRANSPORT_ATTR_SSL_SESSION, session)
                                .build());
    }

    private final class Sniffer extends ByteToMessageDecoder {
        private final ChannelHandler grpc;
        private @Nullable Object begun; // gRPC's own event, which begins its negotiation
        private @Nullable Future<?> limit; // of a connection that is not gRPC's

        private Sniffer(ChannelHandler grpc) {
            this.grpc = grpc;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            tls.ifPresent(its -> context.pipeline().addBefore(context.name(), null, its.newHandler(context.alloc())));
            limit = context.executor()
                    .schedule(
                            () -> {
                                var _ = context.channel().close();
                            },
                            pageTime.toMillis(),
                            TimeUnit.MILLISECONDS);
            Future<?> open = limit;
            context.channel().closeFuture().addListener(_ -> open.cancel(false));
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (begun == null) {
                begun = event;
            } else {
                context.fireUserEventTriggered(event);
            }
        }

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
            int known = Math.min(in.readableBytes(), PREFACE.length);
            boolean isHttp2 = true;
            for (int i = 0; i < known; i++) {
                isHttp2 &= in.getByte(in.readerIndex() + i) == PREFACE[i];
            }
            if (isHttp2 && known < PREFACE.length) {
                return;
            }
            ChannelPipeline pipeline = context.pipeline();
            if (isHttp2) {
                Future<?> open = limit;
                if (open != null) {
                    open.cancel(false);
                }
                pipeline.addAfter(context.name(), null, grpc);
                if (begun instanceof ProtocolNegotiationEvent event) {
                    context.fireUserEventTriggered(withSession(event, session(context)));
                }
            } else {
                while (pipeline.last() != this) {
                    pipeline.removeLast();
                }
                pipeline.addLast(
                        new HttpServerCodec(),
                        new HttpObjectAggregator(REQUEST_BYTES_MAX),
                        new PageHandler(
                                onlyVerified && !OnlyVerified.isVerified(session(context)) ? REFUSAL : pages,
                                tls.isPresent()));
            }
            pipeline.remove(this); // passes on what it holds
        }
    }
}

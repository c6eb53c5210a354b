package io.hearth.serve.grpc;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers one HTTP/1.1 request and closes. A request must name the host as {@code localhost} or by an address, unless TLS has checked the name:
 * else a web page could give its own name this machine's address, and read the answer (DNS rebinding).
 */
final class PageHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(PageHandler.class);

    private final ServicePort.Pages pages;
    private final boolean isNameChecked;

    /**
     * A handler for one connection.
     *
     * @param isNameChecked whether the client has checked the name of this machine
     */
    PageHandler(ServicePort.Pages pages, boolean isNameChecked) {
        this.pages = pages;
        this.isNameChecked = isNameChecked;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        if (request.decoderResult().isFailure()) {
            send(context, new ServicePort.Page(400, "text/plain", "this is no HTTP request\n"));
            return;
        }
        if (!isNameChecked && !isAddress(request.headers().get(HttpHeaderNames.HOST))) {
            send(
                    context,
                    new ServicePort.Page(
                            403, "text/plain", "name this machine by localhost or by an address, and not otherwise\n"));
            return;
        }
        var _ = pages.answer(request.method().name(), request.uri()).whenComplete((page, failed) -> {
            if (failed == null) {
                send(context, page);
            } else {
                LOG.warn("a page failed: {}", failed.toString());
                send(context, new ServicePort.Page(500, "text/plain", "this is a fault of the server: see its log\n"));
            }
        });
    }

    private static boolean isAddress(@Nullable String host) {
        if (host == null) {
            return true; // no browser leaves it out
        }
        String name = host.replaceFirst(":[0-9]*$", "");
        return name.equalsIgnoreCase("localhost") || NetUtil.createInetAddressFromIpAddressString(name) != null;
    }

    private static void send(ChannelHandlerContext context, ServicePort.Page page) {
        var response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(page.status()),
                Unpooled.copiedBuffer(page.text(), StandardCharsets.UTF_8));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, page.type() + "; charset=utf-8")
                .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set("X-Content-Type-Options", "nosniff")
                .set(
                        "Content-Security-Policy",
                        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
        var _ = context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        var _ = context.close(); // a broken connection of a browser
    }
}

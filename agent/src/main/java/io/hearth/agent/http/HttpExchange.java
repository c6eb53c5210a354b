package io.hearth.agent.http;

import io.hearth.core.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection: takes its one request, has it answered on a virtual thread, hangs up. */
final class HttpExchange extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpExchange.class);
    private static final long REQUEST_SECONDS_MAX = 1; // less than a command waits for its answer
    private static final long ANSWER_SECONDS_MAX = 5;
    private static final String FEED_TYPE = "application/x-ndjson; charset=utf-8";

    private final ApiHandler handler;
    private final Optional<PageGate> gate;
    private final Semaphore feeds;
    private boolean isAsked; // used by the event loop only
    private Optional<Thread> feeding = Optional.empty(); // used by the event loop only

    /** @param gate of a listener that others can reach; empty on the unix socket */
    HttpExchange(ApiHandler handler, Optional<PageGate> gate, Semaphore feeds) {
        this.handler = handler;
        this.gate = gate;
        this.feeds = feeds;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        var _ = context.executor()
                .schedule(
                        () -> {
                            if (!isAsked) {
                                var _ = context.close();
                            }
                        },
                        REQUEST_SECONDS_MAX,
                        TimeUnit.SECONDS);
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        feeding.ifPresent(Thread::interrupt);
        context.fireChannelInactive();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        if (isAsked) {
            return; // one request a connection: what follows it is not read
        }
        isAsked = true;
        Channel client = context.channel();
        if (request.decoderResult().isFailure()) {
            whole(client, ApiAnswer.error(400, "this is not HTTP/1.1, or too long"), true);
            return;
        }
        if (request.protocolVersion().majorVersion() != 1) {
            whole(client, ApiAnswer.error(505, "only HTTP/1.1 is spoken here"), true);
            return;
        }
        var address = new QueryStringDecoder(request.uri(), StandardCharsets.UTF_8, true, 16);
        Map<String, String> query;
        String path;
        try {
            path = address.path();
            query = address.parameters().entrySet().stream()
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, each -> each.getValue().getFirst()));
        } catch (IllegalArgumentException malformed) {
            whole(client, ApiAnswer.error(400, "the address is malformed"), true);
            return;
        }
        boolean hasBody = !request.method().equals(HttpMethod.HEAD);
        PageGate.Decision decision = gate.map(
                        guard -> guard.decide(asked(request, path, Optional.ofNullable(query.get(PageGate.PASS)))))
                .orElse(new PageGate.Decision.Pass());
        switch (decision) {
            case PageGate.Decision.Refuse(int status, String why) ->
                whole(client, ApiAnswer.error(status, why), hasBody);
            case PageGate.Decision.Welcome(String cookie) -> welcome(client, cookie);
            case PageGate.Decision.Pass() -> {
                String method = hasBody ? request.method().name() : HttpMethod.GET.name();
                Bytes body = Bytes.of(ByteBufUtil.getBytes(request.content()));
                var asked = new ApiRequest(method, path, query, body, gate.isEmpty());
                Thread thread =
                        Thread.ofVirtual().name("hearth-local-client").unstarted(() -> answer(client, asked, hasBody));
                feeding = Optional.of(thread);
                thread.start();
            }
        }
    }

    private static PageGate.Asked asked(FullHttpRequest request, String path, Optional<String> pass) {
        HttpHeaders headers = request.headers();
        List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
        return new PageGate.Asked(
                request.method().name(),
                path,
                hosts.size() == 1 ? hosts.getFirst() : "",
                headers.get(HttpHeaderNames.ORIGIN, ""),
                headers.get("Sec-Fetch-Site", ""),
                String.join(";", headers.getAll(HttpHeaderNames.COOKIE)),
                headers.get(HttpHeaderNames.AUTHORIZATION, ""),
                pass);
    }

    private void answer(Channel client, ApiRequest request, boolean hasBody) {
        ApiAnswer answer;
        try {
            answer = handler.answer(request);
        } catch (RuntimeException bug) {
            LOG.error("a bug in Hearth: {} {} failed", request.method(), request.path(), bug);
            answer = ApiAnswer.error(500, "a bug in Hearth: " + bug + "; report it with the agent's log");
        }
        switch (answer) {
            case ApiAnswer.Whole whole -> whole(client, whole, hasBody);
            case ApiAnswer.Feed(var source) -> {
                if (!hasBody) {
                    whole(client, new ApiAnswer.Whole(200, FEED_TYPE, Bytes.EMPTY), false);
                } else if (feeds.tryAcquire()) {
                    var _ = client.closeFuture().addListener(_ -> feeds.release());
                    feed(client, source);
                } else {
                    whole(client, ApiAnswer.error(503, "too many programs watch this agent already; end one"), true);
                }
            }
        }
    }

    private void feed(Channel client, ApiAnswer.Source source) {
        try {
            HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
            var _ = client.writeAndFlush(headed(head, FEED_TYPE));
            boolean isTaken;
            do { // asks also for a client that has left by now: its interrupt is pending
                ByteBuf line = Unpooled.copiedBuffer(source.next() + "\n", StandardCharsets.UTF_8);
                isTaken =
                        client.writeAndFlush(new DefaultHttpContent(line)).await(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
            } while (isTaken && client.isActive());
        } catch (InterruptedException hungUp) {
            LOG.debug("local client left: {}", hungUp.getMessage());
        } finally {
            var _ = client.close();
        }
    }

    private void welcome(Channel client, String cookie) {
        var answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.SEE_OTHER);
        answer.headers()
                .set(HttpHeaderNames.LOCATION, "/")
                .set(HttpHeaderNames.SET_COOKIE, PageGate.COOKIE + "=" + cookie + "; Path=/; HttpOnly; SameSite=Strict")
                .set(HttpHeaderNames.CONTENT_LENGTH, 0);
        send(client, headed(answer, "text/plain"));
    }

    private void whole(Channel client, ApiAnswer.Whole answer, boolean hasBody) {
        var response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(answer.status()),
                hasBody ? Unpooled.wrappedBuffer(answer.body().toArray()) : Unpooled.EMPTY_BUFFER);
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, answer.body().size());
        send(client, headed(response, answer.type()));
    }

    private <T extends HttpResponse> T headed(T answer, String type) {
        answer.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        if (gate.isPresent()) {
            PageGate.HEADERS.forEach(header -> answer.headers().set(header.name(), header.value()));
        }
        return answer;
    }

    /** Sends the whole answer and hangs up, also if the client does not take it in time. */
    private static void send(Channel client, HttpResponse answer) {
        var _ = client.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
        var _ = client.eventLoop()
                .schedule(
                        () -> {
                            var _ = client.close();
                        },
                        ANSWER_SECONDS_MAX,
                        TimeUnit.SECONDS);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable why) {
        LOG.debug("local client left: {}", String.valueOf(why.getMessage()));
        var _ = context.close();
    }
}

package io.hearth.serve.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests of a browser are answered. */
final class PageHandlerTest {
    private static int status(String host, boolean isNameChecked, ServicePort.Pages pages) {
        var channel = new EmbeddedChannel(new PageHandler(pages, isNameChecked));
        var request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
        if (!host.isEmpty()) {
            request.headers().set(HttpHeaderNames.HOST, host);
        }
        channel.writeInbound(request);
        FullHttpResponse response = Objects.requireNonNull(channel.readOutbound());
        try {
            return response.status().code();
        } finally {
            response.release();
            channel.finishAndReleaseAll();
        }
    }

    private static int status(String host, boolean isNameChecked) {
        return status(host, isNameChecked, (_, _) -> new ServicePort.Page(200, "text/plain", "").now());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "LocalHost:29510",
                "127.0.0.1",
                "127.0.0.1:29510",
                "10.0.0.5:1",
                "[::1]:29510",
                "[::1]"
            })
    void hostsThatNoOtherSiteCanHaveAreAnswered(String host) {
        assertEquals(200, status(host, false));
    }

    /** A page of such a site may have given its name the address of this machine. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:29510",
                "localhost.evil.example",
                "127.0.0.1.evil.example:80",
                "a:b:c",
                ":1"
            })
    void namesOfOtherSitesAreRefused(String host) {
        assertEquals(403, status(host, false));
        assertEquals(200, status(host, true), "TLS checked the name");
    }

    @Test
    void aPageThatFailsIsAFaultOfTheServer() {
        assertEquals(
                500, status("", false, (_, _) -> CompletableFuture.failedFuture(new IllegalStateException("a bug"))));
    }
}

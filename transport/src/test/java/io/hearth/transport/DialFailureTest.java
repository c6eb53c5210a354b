package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.transport.links.LinksTest;
import io.netty.channel.ConnectTimeoutException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import org.junit.jupiter.api.Test;

/** Failures at real addresses are tested in {@link LinksTest}. */
final class DialFailureTest {
    @Test
    void onlyAnAnswerThatNobodyListensIsARefusalInWhateverLanguage() {
        assertEquals(DialFailure.REFUSED, DialFailure.of(new ConnectException("Verbindungsaufbau abgelehnt")));
        assertEquals(
                DialFailure.UNREACHABLE,
                DialFailure.of(new ConnectTimeoutException("refused to answer within 5000 ms")));
        assertEquals(DialFailure.UNREACHABLE, DialFailure.of(new NoRouteToHostException("No route to host")));
        assertEquals(DialFailure.UNREACHABLE, DialFailure.of(new SocketException("Network is unreachable")));
    }
}

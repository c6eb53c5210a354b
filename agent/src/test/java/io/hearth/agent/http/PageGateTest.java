package io.hearth.agent.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.status.HandClock;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PageGateTest {
    private static final String TOKEN = "t".repeat(32);

    private final HandClock clock = new HandClock();
    private final PagePasses passes = new PagePasses(TOKEN, clock);
    private final PageGate gate = new PageGate(7000, passes);

    private static PageGate.Asked asked(
            String method, String host, String origin, String fetchSite, String cookies, String authorization) {
        return new PageGate.Asked(
                method, "/v1/status", host, origin, fetchSite, cookies, authorization, Optional.empty());
    }

    private PageGate.Decision show(String pass) {
        return gate.decide(new PageGate.Asked("GET", "/", "127.0.0.1:7000", "", "none", "", "", Optional.of(pass)));
    }

    /** Everything that a hostile page or another user's program can send without the secret, and with it but from elsewhere. */
    @ParameterizedTest
    @CsvSource({
        "GET, evil.example:7000, '', '', true, 403",
        "GET, 127.0.0.1:7001, '', '', true, 403",
        "GET, 127.0.0.1, '', '', true, 403",
        "GET, '', '', '', true, 403",
        "GET, 127.0.0.1:7000, https://evil.example, '', true, 403",
        "GET, 127.0.0.1:7000, null, '', true, 403",
        "GET, 127.0.0.1:7000, http://127.0.0.1:7001, '', true, 403",
        "GET, 127.0.0.1:7000, '', cross-site, true, 403",
        "GET, 127.0.0.1:7000, '', same-site, true, 403",
        "POST, 127.0.0.1:7000, '', '', true, 405",
        "PUT, 127.0.0.1:7000, http://127.0.0.1:7000, same-origin, true, 405",
        "DELETE, 127.0.0.1:7000, '', '', true, 405",
        "OPTIONS, 127.0.0.1:7000, '', '', true, 405",
        "GET, 127.0.0.1:7000, '', '', false, 403",
        "HEAD, 127.0.0.1:7000, '', '', false, 403",
        "GET, 127.0.0.1:7000, '', '', true, 0",
        "GET, LOCALHOST:7000, http://localhost:7000, same-origin, true, 0",
        "HEAD, 127.0.0.1:7000, '', none, true, 0",
    })
    void onlyAReaderWithTheSecretAndFromTheSameOriginPasses(
            String method, String host, String origin, String fetchSite, boolean hasToken, int status) {
        PageGate.Decision decision =
                gate.decide(asked(method, host, origin, fetchSite, "", hasToken ? "Bearer " + TOKEN : ""));
        if (status == 0) {
            assertEquals(new PageGate.Decision.Pass(), decision);
        } else {
            assertEquals(
                    status,
                    assertInstanceOf(PageGate.Decision.Refuse.class, decision).status());
        }
    }

    @Test
    void aPassLetsOneBrowserIn() {
        String pass = passes.pass();
        var welcome = assertInstanceOf(PageGate.Decision.Welcome.class, show(pass));
        assertInstanceOf(PageGate.Decision.Refuse.class, show(pass), "it works once");
        String cookies = "other=1; hearth=" + welcome.cookie() + "; more=2";
        assertEquals(
                new PageGate.Decision.Pass(),
                gate.decide(asked("GET", "127.0.0.1:7000", "", "same-origin", cookies, "")));
        assertInstanceOf(
                PageGate.Decision.Refuse.class,
                gate.decide(asked("GET", "127.0.0.1:7000", "", "", "hearth=" + pass, "")),
                "a pass is no cookie");
        assertInstanceOf(PageGate.Decision.Refuse.class, show(TOKEN), "a token is no pass");
    }

    @Test
    void aPassIsValidForAMinuteAndTheOldestOfManyIsForgotten() {
        String old = passes.pass();
        clock.pass(61);
        assertInstanceOf(PageGate.Decision.Refuse.class, show(old));
        String first = passes.pass();
        for (int i = 0; i < 32; i++) {
            var _ = passes.pass();
        }
        assertInstanceOf(PageGate.Decision.Refuse.class, show(first));
        assertTrue(passes.pass().length() >= 32);
    }
}

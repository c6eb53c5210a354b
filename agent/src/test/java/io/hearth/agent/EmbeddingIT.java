package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.nio.file.Path;
import java.security.Security;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.TimeZone;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hearth is a guest in its user's JVM. */
final class EmbeddingIT {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    /** State that a whole JVM shares and a library could change. */
    private record Shared(
            String providers,
            SSLContext tls,
            Object socketFactory,
            Object verifier,
            Properties properties,
            Optional<Authenticator> authenticator,
            Optional<CookieHandler> cookies,
            Optional<ProxySelector> proxies,
            Optional<Thread.UncaughtExceptionHandler> handler,
            Locale locale,
            TimeZone zone,
            Optional<ClassLoader> loader) {
        static Shared now() throws Exception {
            TimeZone zone = TimeZone.getDefault(); // before the properties: the first call sets user.timezone
            return new Shared(
                    Arrays.toString(Security.getProviders()),
                    SSLContext.getDefault(),
                    HttpsURLConnection.getDefaultSSLSocketFactory(),
                    HttpsURLConnection.getDefaultHostnameVerifier(),
                    (Properties) System.getProperties().clone(),
                    Optional.ofNullable(Authenticator.getDefault()),
                    Optional.ofNullable(CookieHandler.getDefault()),
                    Optional.ofNullable(ProxySelector.getDefault()),
                    Optional.ofNullable(Thread.getDefaultUncaughtExceptionHandler()),
                    Locale.getDefault(),
                    zone,
                    Optional.ofNullable(Thread.currentThread().getContextClassLoader()));
        }
    }

    @Test
    void aNodeChangesNothingThatTheWholeJvmShares() throws Exception {
        Shared before = Shared.now();
        try (var nodes = new TestNodes(folder)) {
            var two = nodes.trainers(2);
            two.get(0).waitForPeers(1, Duration.ofSeconds(60));
            assertUnchanged(before, Shared.now());
        }
        assertUnchanged(before, Shared.now());
    }

    private static void assertUnchanged(Shared before, Shared now) {
        assertSame(before.tls(), now.tls());
        assertEquals(before.properties(), now.properties());
        assertEquals(before, now);
        assertFalse(now.providers().contains("BC "), "BouncyCastle is used, not registered");
    }
}

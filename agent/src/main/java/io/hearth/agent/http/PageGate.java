package io.hearth.agent.http;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Decides whether a request over loopback TCP is answered. Any page in the user's browser can send requests there, and any program of this
 * machine, of whatever user. So a request must name this listener as its host (against DNS rebinding), must not come from another origin,
 * must only read, and must bring a secret: the cookie of a browser that {@code hearth dashboard} opened, or the token of the home folder.
 */
public final class PageGate {
    /** The cookie of a browser that was let in. */
    static final String COOKIE = "hearth";

    /** The query parameter with the pass that {@code hearth dashboard} got. */
    static final String PASS = "pass";

    /** Headers of every answer: the page loads nothing from elsewhere, and no other page can frame or read it. */
    static final List<Header> HEADERS = List.of(
            new Header(
                    "Content-Security-Policy",
                    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"),
            new Header("X-Frame-Options", "DENY"),
            new Header("X-Content-Type-Options", "nosniff"),
            new Header("Referrer-Policy", "no-referrer"),
            new Header("Cross-Origin-Opener-Policy", "same-origin"),
            new Header("Cross-Origin-Resource-Policy", "same-origin"));

    private static final Set<String> READING = Set.of("GET", "HEAD");
    private static final Set<String> OWN_SITE = Set.of("same-origin", "none");
    private static final String BEARER = "Bearer ";

    private final Set<String> hosts;
    private final PagePasses passes;

    /** A header of an answer. */
    record Header(String name, String value) {}

    /** The decision about a request. */
    sealed interface Decision {
        /** Answer it. */
        record Pass() implements Decision {}

        /** The browser showed a valid pass: give it {@code cookie}, and send it to the page without the pass in its address. */
        record Welcome(String cookie) implements Decision {}

        /** Answer with this status and reason. */
        record Refuse(int status, String why) implements Decision {}
    }

    /**
     * What counts of a request; a header that is absent is empty.
     *
     * @param pass the query parameter {@value #PASS}, if there is one
     */
    record Asked(
            String method,
            String path,
            String host,
            String origin,
            String fetchSite,
            String cookies,
            String authorization,
            Optional<String> pass) {}

    /**
     * A gate for one port of loopback.
     *
     * @param port that the listener has
     */
    PageGate(int port, PagePasses passes) {
        this.hosts = Set.of("127.0.0.1:" + port, "localhost:" + port);
        this.passes = passes;
    }

    Decision decide(Asked asked) {
        if (!hosts.contains(asked.host().toLowerCase(Locale.ROOT))) {
            return new Decision.Refuse(403, "this address is not served here: open the page with 'hearth dashboard'");
        }
        boolean isForeign = (!asked.origin().isEmpty() && !isOwnOrigin(asked.origin()))
                || (!asked.fetchSite().isEmpty() && !OWN_SITE.contains(asked.fetchSite()));
        if (isForeign) {
            return new Decision.Refuse(403, "another page asked; only the page of 'hearth dashboard' may");
        }
        if (!READING.contains(asked.method())) {
            return new Decision.Refuse(
                    405, "only reading is possible here; commands that change something use the unix socket");
        }
        if (asked.path().equals("/") && asked.pass().isPresent()) {
            return passes.session(asked.pass().get())
                    .<Decision>map(Decision.Welcome::new)
                    .orElseGet(() -> isKnown(asked)
                            ? new Decision.Pass()
                            : new Decision.Refuse(
                                    403, "this link was used before, or is too old: run 'hearth dashboard' again"));
        }
        return isKnown(asked)
                ? new Decision.Pass()
                : new Decision.Refuse(
                        403,
                        "no token: open the page with 'hearth dashboard'; programs send"
                                + " 'Authorization: Bearer TOKEN' with the text of the file api.token in Hearth's home");
    }

    private boolean isOwnOrigin(String origin) {
        return hosts.stream().anyMatch(host -> origin.equals("http://" + host));
    }

    private boolean isKnown(Asked asked) {
        if (asked.authorization().startsWith(BEARER)) {
            return passes.isToken(
                    asked.authorization().substring(BEARER.length()).strip());
        }
        for (String cookie : asked.cookies().split(";", -1)) {
            String[] parts = cookie.strip().split("=", 2);
            if (parts.length == 2 && parts[0].equals(COOKIE) && passes.isSession(parts[1])) {
                return true;
            }
        }
        return false;
    }
}

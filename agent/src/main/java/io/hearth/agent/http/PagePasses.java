package io.hearth.agent.http;

import io.hearth.core.Clock;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;

/**
 * The secrets that open the page: passes, each for one browser and a minute; sessions, one for each browser that showed a pass; and the
 * token of the home folder, for programs. All have 192 random bits or more. Any thread may call it.
 */
public final class PagePasses {
    private static final long PASS_NANOS = 60_000_000_000L;
    private static final int KEPT_MAX = 32; // of passes and of sessions: the oldest is forgotten
    private static final int RANDOM_BYTES = 24;

    private final SecureRandom random = new SecureRandom();
    private final Clock clock;
    private final String token;
    private final Deque<Pass> passes = new ArrayDeque<>();
    private final Deque<String> sessions = new ArrayDeque<>();

    private record Pass(String text, long madeNanos) {}

    public PagePasses(String token, Clock clock) {
        this.token = token;
        this.clock = clock;
    }

    /** A new pass, for a link that this user's browser opens. */
    public synchronized String pass() {
        String text = secret(random);
        passes.addLast(new Pass(text, clock.nanoTime()));
        if (passes.size() > KEPT_MAX) {
            passes.removeFirst();
        }
        return text;
    }

    /** A new session for the holder of a pass, which is used up; empty if it is unknown, used or too old. */
    synchronized Optional<String> session(String pass) {
        long now = clock.nanoTime();
        passes.removeIf(old -> now - old.madeNanos() > PASS_NANOS);
        for (Iterator<Pass> each = passes.iterator(); each.hasNext(); ) {
            if (isSame(each.next().text(), pass)) {
                each.remove();
                String session = secret(random);
                sessions.addLast(session);
                if (sessions.size() > KEPT_MAX) {
                    sessions.removeFirst();
                }
                return Optional.of(session);
            }
        }
        return Optional.empty();
    }

    synchronized boolean isSession(String text) {
        boolean found = false;
        for (String session : sessions) {
            found |= isSame(session, text);
        }
        return found;
    }

    boolean isToken(String text) {
        return isSame(token, text);
    }

    /** A new random text for links, cookies and headers. */
    public static String secret(SecureRandom random) {
        var bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static boolean isSame(String secret, String text) {
        return MessageDigest.isEqual(secret.getBytes(StandardCharsets.UTF_8), text.getBytes(StandardCharsets.UTF_8));
    }
}

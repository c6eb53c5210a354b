package io.hearth.agent.http;

import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.HomeFile;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.regex.Pattern;

/** The file {@code api.token} of a {@link HearthHome}: the token with which programs of this user read the API over loopback TCP. */
public final class TokenFile {
    private static final int BYTES_MAX = 256;
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{32,128}");

    private TokenFile() {}

    /**
     * The token; a new one is stored if there is none, or none of the right form. Only this user can read the file.
     *
     * @throws SetupException the file cannot be read or written, or is another user's; its text says what to do
     */
    public static String loadOrCreate(HearthHome home) throws SetupException {
        HomeFile file = HomeFile.in(home, "api.token", "api.token.lock", BYTES_MAX);
        Optional<String> known = file.read()
                .map(bytes -> new String(bytes, StandardCharsets.US_ASCII).strip())
                .filter(text -> FORM.matcher(text).matches());
        if (known.isPresent()) {
            return known.get();
        }
        String token = PagePasses.secret(new SecureRandom());
        file.replace((token + "\n").getBytes(StandardCharsets.US_ASCII));
        return token;
    }
}

package io.hearth.identity.pairing.machine;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The code that a person reads on one machine and types on the other: {@code NN-DDDD-DDDD}.
 *
 * @param nameplate two public digits: mDNS carries them, so that the new machine finds the right one
 * @param secret eight digits that only the person may know; each guess costs a run
 */
public record PairingCode(String nameplate, String secret) {
    /** Number of nameplates. */
    public static final int NAMEPLATES = 100;

    /** Number of secrets. */
    public static final int SECRETS = 100_000_000;

    private static final Pattern SEPARATORS = Pattern.compile("[\\s\\p{Pd}]+");
    private static final Pattern DIGITS = Pattern.compile("[0-9]{10}");
    private static final Pattern NAMEPLATE = Pattern.compile("[0-9]{2}");
    private static final Pattern SECRET = Pattern.compile("[0-9]{8}");

    public PairingCode {
        if (!NAMEPLATE.matcher(nameplate).matches() || !SECRET.matcher(secret).matches()) {
            throw new IllegalArgumentException("a pairing code is 2 and 8 digits");
        }
    }

    /**
     * The code of two numbers, which the caller draws at random.
     *
     * @param nameplate 0 to 99
     * @param secret 0 to 99,999,999
     */
    public static PairingCode of(int nameplate, int secret) {
        if (nameplate < 0 || nameplate >= NAMEPLATES || secret < 0 || secret >= SECRETS) {
            throw new IllegalArgumentException("a pairing code is 2 and 8 digits");
        }
        return new PairingCode("%02d".formatted(nameplate), "%08d".formatted(secret));
    }

    /** Reads a typed code; ignores spaces and dashes. Empty if it is not ten digits. */
    public static Optional<PairingCode> parse(String typed) {
        String digits = SEPARATORS.matcher(typed).replaceAll("");
        return DIGITS.matcher(digits).matches()
                ? Optional.of(new PairingCode(digits.substring(0, 2), digits.substring(2)))
                : Optional.empty();
    }

    /** The text form, only for the screen of the machine that shows it. */
    public String text() {
        return nameplate + "-" + secret.substring(0, 4) + "-" + secret.substring(4);
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "PairingCode[" + nameplate + "-redacted]";
    }
}

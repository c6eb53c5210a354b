package io.hearth.identity;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The text form of a namespace's secret, which people copy from machine to machine.
 *
 * <pre>
 * "hearth1-" base32(version 1 | generation 4, big-endian | secret 32 | checksum 4)       74 characters
 * checksum = first 4 bytes of SHA-256("hearth/1 secret text" 0 name 0 version generation secret)
 * </pre>
 *
 * <p>The checksum detects typing mistakes, and a secret that is used with the name of another namespace. No exception of this class repeats
 * any part of the text.
 */
public final class SecretText {
    private static final String PREFIX = "hearth1-";
    private static final byte VERSION = 1;
    private static final int CHECKSUM_BYTES = 4;
    private static final int BODY_BYTES = 1 + Integer.BYTES + NetworkNamespace.SECRET_BYTES;
    private static final int CHARACTERS = 74;
    private static final Pattern SHAPE = Pattern.compile("hearth1-[a-z2-7]{66}");
    private static final Pattern LEAK = Pattern.compile("hearth1[a-z2-7]{32}");
    private static final Pattern SEPARATORS = Pattern.compile("[\\s\\p{Pd}]+");
    private static final byte[] CHECKSUM_LABEL = "hearth/1 secret text\0".getBytes(StandardCharsets.US_ASCII);

    /** Upper bound of a secret file, which may hold white space around the text and nothing else. */
    private static final int FILE_BYTES_MAX = 4096;

    private SecretText() {}

    /**
     * The text form; anyone who reads it can become a member.
     *
     * @throws IllegalArgumentException if {@code namespace} is open, so that it has no secret
     */
    public static String of(NetworkNamespace namespace) {
        if (namespace.isOpen()) {
            throw new IllegalArgumentException("an open namespace has no secret");
        }
        byte[] secret = namespace.secret();
        byte[] body = ByteBuffer.allocate(BODY_BYTES)
                .put(VERSION)
                .putInt(namespace.generation())
                .put(secret)
                .array();
        byte[] all = Arrays.copyOf(body, BODY_BYTES + CHECKSUM_BYTES);
        System.arraycopy(checksum(namespace.name(), body), 0, all, BODY_BYTES, CHECKSUM_BYTES);
        String text = PREFIX + Base32.encode(all);
        wipe(secret, body, all);
        return text;
    }

    /**
     * Reads the text form, in lower or upper case; ignores white space and dashes anywhere in it.
     *
     * @param name the namespace that the secret is for
     * @param source origin of the text, for the message
     * @throws SetupException if it is not such a text, or one for another name; names the remedy
     */
    public static NetworkNamespace parse(String name, String text, String source) throws SetupException {
        String written = written(text);
        if (!SHAPE.matcher(written).matches()) {
            throw new SetupException(source + " holds no Hearth secret: a secret is the text of " + CHARACTERS
                    + " characters that begins with " + PREFIX + ", never a password that you choose; make one with"
                    + " 'hearth init " + name + "' or copy one with 'hearth secret show " + name + "'");
        }
        byte[] all;
        try {
            all = Base32.decode(written.substring(PREFIX.length()));
        } catch (IllegalArgumentException broken) {
            throw mistyped(name, source);
        }
        byte[] body = Arrays.copyOf(all, BODY_BYTES);
        byte[] secret = Arrays.copyOfRange(body, BODY_BYTES - NetworkNamespace.SECRET_BYTES, BODY_BYTES);
        try {
            return decoded(name, all, body, secret, source);
        } finally {
            wipe(all, body, secret);
        }
    }

    private static NetworkNamespace decoded(String name, byte[] all, byte[] body, byte[] secret, String source)
            throws SetupException {
        byte[] checksum = Arrays.copyOfRange(all, BODY_BYTES, all.length);
        if (!MessageDigest.isEqual(checksum, checksum(name, body))) {
            throw mistyped(name, source);
        }
        ByteBuffer fields = ByteBuffer.wrap(body);
        byte version = fields.get();
        int generation = fields.getInt();
        if (version != VERSION || generation < 1) {
            throw new SetupException(
                    "the secret in " + source + " is of a kind that this version of Hearth does not know:"
                            + " it was made by another version; update Hearth on this machine");
        }
        return NetworkNamespace.closed(name, generation, secret);
    }

    /**
     * Reads the text form from a file or a pipe, at most 4 KiB of it.
     *
     * @param in read to its end, not closed
     * @throws SetupException as {@link #parse}, or if {@code in} cannot be read
     */
    public static NetworkNamespace read(String name, InputStream in, String source) throws SetupException {
        try {
            byte[] bytes = in.readNBytes(FILE_BYTES_MAX + 1);
            String text = bytes.length > FILE_BYTES_MAX ? "" : new String(bytes, StandardCharsets.US_ASCII);
            wipe(bytes);
            return parse(name, text, source);
        } catch (IOException unreadable) {
            throw new SetupException(
                    "cannot read the secret from " + source + ": " + OwnFile.cause(unreadable)
                            + "; name a file that holds what 'hearth secret show' prints",
                    unreadable);
        }
    }

    /** Whether a text contains a secret, or a part of one that is too long to be shown. */
    public static boolean isIn(String text) {
        return LEAK.matcher(together(text)).find();
    }

    /** The typed text in the form of {@link #of}; some other text if it is not a secret. */
    private static String written(String typed) {
        String together = together(typed);
        int mark = PREFIX.length() - 1;
        return together.length() < mark ? "" : together.substring(0, mark) + "-" + together.substring(mark);
    }

    private static String together(String typed) {
        return SEPARATORS.matcher(typed.toLowerCase(Locale.ROOT)).replaceAll("");
    }

    private static void wipe(byte[]... arrays) {
        for (byte[] array : arrays) {
            Arrays.fill(array, (byte) 0);
        }
    }

    private static SetupException mistyped(String name, String source) {
        return new SetupException("the secret in " + source + " does not fit namespace " + name
                + ": it is mistyped, or for another namespace; copy it again with 'hearth secret show " + name
                + "', or give the name that it was made for");
    }

    private static byte[] checksum(String name, byte[] body) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(CHECKSUM_LABEL);
            digest.update(name.getBytes(StandardCharsets.US_ASCII));
            digest.update((byte) 0);
            digest.update(body);
            return Arrays.copyOf(digest.digest(), CHECKSUM_BYTES);
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK 25 has SHA-256", missing);
        }
    }
}

package io.hearth.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * A name for people and a secret of 256 random bits. Nodes of one namespace find one another.
 *
 * <p>There are no passphrases, so a listener cannot try a dictionary on its recordings. An <em>open</em> namespace has a published key in
 * place of the secret: any machine on the LAN may join. It has generation 0, which no closed namespace has, so its keys differ from those
 * of every closed one.
 */
public final class NetworkNamespace {
    /** The name if none is given. */
    public static final String DEFAULT_NAME = "home";

    /** Bytes of a secret. */
    public static final int SECRET_BYTES = 32;

    static final int OPEN_GENERATION = 0;
    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,63}");
    private static final byte[] PUBLISHED = "hearth/1 open namespace".getBytes(StandardCharsets.US_ASCII);

    private final String name;
    private final int generation;
    private final byte[] secret;
    private volatile boolean destroyed; // written by the owner's thread, read by all

    private NetworkNamespace(String name, int generation, byte[] secret) {
        if (!isName(name)) {
            throw new IllegalArgumentException("a namespace's name must be 1 to 63 characters of a-z, 0-9 and '-'");
        }
        this.name = name;
        this.generation = generation;
        this.secret = secret;
    }

    /**
     * A new namespace: generation 1 of a fresh random secret.
     *
     * @throws IllegalArgumentException if {@code name} is not {@code [a-z0-9-]{1,63}}
     */
    public static NetworkNamespace create(String name) {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return new NetworkNamespace(name, 1, secret);
    }

    /**
     * The open namespace of that name, which any machine may join.
     *
     * @throws IllegalArgumentException if {@code name} is not {@code [a-z0-9-]{1,63}}
     */
    public static NetworkNamespace open(String name) {
        return new NetworkNamespace(name, OPEN_GENERATION, sha256(PUBLISHED));
    }

    /** The next generation: the same name and a fresh random secret. */
    public NetworkNamespace successor() {
        if (isOpen() || generation == Integer.MAX_VALUE) {
            throw new IllegalStateException("generation " + generation + " of a namespace has no successor");
        }
        byte[] fresh = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(fresh);
        return new NetworkNamespace(name, generation + 1, fresh);
    }

    /**
     * A namespace whose secret came from a member.
     *
     * @param generation 1 or more
     * @param secret 32 bytes; copied
     * @throws IllegalArgumentException if any of them is out of range; the message repeats no part of the secret
     */
    public static NetworkNamespace closed(String name, int generation, byte[] secret) {
        if (generation <= OPEN_GENERATION || secret.length != SECRET_BYTES) {
            throw new IllegalArgumentException("a closed namespace needs a generation of 1 or more and a secret of "
                    + SECRET_BYTES + " bytes, got generation " + generation + " and " + secret.length + " bytes");
        }
        return new NetworkNamespace(name, generation, secret.clone());
    }

    /** Whether {@code text} may name a namespace: 1 to 63 of a-z, 0-9 and '-'. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    public String name() {
        return name;
    }

    /** Rises by one with each new secret; 0 if and only if the namespace is open. */
    public int generation() {
        return generation;
    }

    /** Whether any machine on the LAN may join; a program that starts a node must warn the user about it. */
    public boolean isOpen() {
        return generation == OPEN_GENERATION;
    }

    /** Overwrites the secret; name and generation stay. No keys can be derived afterwards. */
    public void destroy() {
        destroyed = true;
        Arrays.fill(secret, (byte) 0);
    }

    /** The keys derived from the secret; each call makes new ones, which the caller owns and closes. */
    public NamespaceKeys keys() {
        return NamespaceKeys.derive(name, generation, whole());
    }

    /** Identifies the secret and reveals nothing about it: 16 hexadecimal digits. */
    public String keyId() {
        try (NamespaceKeys keys = keys()) {
            return HexFormat.of().formatHex(keys.id());
        }
    }

    /** A copy, for code that sends it to a member or stores it; the caller wipes it. */
    public byte[] secret() {
        return whole().clone();
    }

    private byte[] whole() {
        if (destroyed) {
            throw new IllegalStateException("the secret of namespace " + name + " was overwritten");
        }
        return secret;
    }

    /** By name, generation and secret; compares secrets in constant time. */
    @Override
    public boolean equals(Object other) {
        return other instanceof NetworkNamespace that
                && name.equals(that.name)
                && generation == that.generation
                && MessageDigest.isEqual(secret, that.secret);
    }

    @Override
    public int hashCode() {
        return name.hashCode() * 31 + generation;
    }

    @Override
    public String toString() {
        return "NetworkNamespace[" + name + ", " + (isOpen() ? "open" : "generation " + generation) + "]";
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK 25 has SHA-256", missing);
        }
    }
}

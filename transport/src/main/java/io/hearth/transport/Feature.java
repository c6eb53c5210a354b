package io.hearth.transport;

/** Names that hellos may list; what only one side knows is ignored. */
final class Feature {
    /** AES is slow on this machine: data streams use ChaCha20-Poly1305 where both sides say so. */
    static final String CHACHA20 = "chacha20";

    private Feature() {}
}

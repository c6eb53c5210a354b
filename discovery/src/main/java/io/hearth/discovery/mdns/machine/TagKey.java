package io.hearth.discovery.mdns.machine;

/**
 * The key of a namespace's mDNS tags, as a function.
 *
 * @param generation of the secret that the key was derived from
 * @param mac {@code NamespaceKeys::tagMac}
 */
public record TagKey(int generation, Mac mac) {
    /** HMAC-SHA256 of the concatenated parts under a key that the caller holds: 32 bytes. */
    @FunctionalInterface
    public interface Mac {
        /** The MAC of {@code parts}, one after the other. */
        byte[] of(byte[]... parts);
    }
}

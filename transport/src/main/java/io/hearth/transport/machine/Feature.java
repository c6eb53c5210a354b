package io.hearth.transport.machine;

import io.hearth.transport.cipher.RecordCipher;
import java.util.List;
import java.util.stream.Stream;

/** Names that hellos may list; a name that only one side knows changes nothing. */
public final class Feature {
    /** Takes part in the choice of a cipher, as {@link #suite} makes it. */
    static final String CHACHA20 = "chacha20";

    /** AES is slow on this machine. */
    static final String AES_SLOW = "aes-slow";

    /** The dialling side reaches the other one through a member that both can reach. */
    static final String RELAYED = "relayed";

    private Feature() {}

    /** The features that a node lists. */
    public static List<String> of(boolean aesSlow) {
        return aesSlow ? List.of(CHACHA20, AES_SLOW) : List.of(CHACHA20);
    }

    /** The features of a connection through a relay. */
    static List<String> relayed(List<String> features) {
        return Stream.concat(features.stream(), Stream.of(RELAYED)).toList();
    }

    /**
     * The cipher of a link's data streams: ChaCha20-Poly1305 if AES is slow on either machine, because the slower machine limits the speed.
     * Both ends compute the same suite from either side. The proofs cover both hellos, so an attacker between the ends cannot change it.
     */
    static RecordCipher.Suite suite(List<String> own, List<String> theirs) {
        boolean bothChoose = own.contains(CHACHA20) && theirs.contains(CHACHA20);
        boolean eitherIsSlow = own.contains(AES_SLOW) || theirs.contains(AES_SLOW);
        return bothChoose && eitherIsSlow ? RecordCipher.Suite.CHACHA20_POLY1305 : RecordCipher.Suite.AES_256_GCM;
    }
}

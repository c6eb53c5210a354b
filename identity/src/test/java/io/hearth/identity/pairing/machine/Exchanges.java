package io.hearth.identity.pairing.machine;

import io.hearth.identity.pairing.JPake;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.SplittableRandom;
import org.bouncycastle.crypto.agreement.jpake.JPAKEPrimeOrderGroup;

/** Key exchanges fast enough to run by the thousand: the product's own code, in a group of 320 bits, from a seed. */
final class Exchanges {
    static final JPAKEPrimeOrderGroup GROUP = new JPAKEPrimeOrderGroup(
            hex("81ab0442ae571ead1c9ce55be510490b0dc93ca9893d974dff81d0e65217804ba605a03b8e03a1a9"),
            hex("d6f25271d814400c88c22115426893b196a00a93"),
            hex("4795f13a7fd60f40d878c4f62a10f8908f87832377aa558a3f4deb41c9c0a9534d8c7a4511916572"));

    private Exchanges() {}

    static Pake.Factory of(long seed) {
        return JPake.of(GROUP, new Seeded(seed));
    }

    private static BigInteger hex(String digits) {
        return new BigInteger(digits, 16);
    }

    /** The same numbers for the same seed. */
    static final class Seeded extends SecureRandom {
        private static final long serialVersionUID = 1L;

        private final transient SplittableRandom numbers;

        Seeded(long seed) {
            numbers = new SplittableRandom(seed);
        }

        @Override
        public void nextBytes(byte[] bytes) {
            numbers.nextBytes(bytes);
        }
    }
}

package io.hearth.identity;

import java.math.BigInteger;

/** base58btc as libp2p writes peer ids; small inputs only, so big-integer division is fast enough. */
final class Base58 {
    private static final String ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    private static final BigInteger BASE = BigInteger.valueOf(ALPHABET.length());

    private Base58() {}

    static String encode(byte[] bytes) {
        var text = new StringBuilder();
        var rest = new BigInteger(1, bytes);
        while (rest.signum() > 0) {
            BigInteger[] parts = rest.divideAndRemainder(BASE);
            text.append(ALPHABET.charAt(parts[1].intValue()));
            rest = parts[0];
        }
        for (int i = 0; i < bytes.length && bytes[i] == 0; i++) {
            text.append(ALPHABET.charAt(0));
        }
        return text.reverse().toString();
    }

    /**
     * @param bytesMax longest result accepted; bounds the work before any of it is done
     * @throws IllegalArgumentException on a foreign character or a longer result
     */
    static byte[] decode(String text, int bytesMax) {
        if (text.length() > 2 * bytesMax) {
            throw new IllegalArgumentException(
                    "must have at most " + 2 * bytesMax + " characters, got " + text.length());
        }
        var value = BigInteger.ZERO;
        for (int i = 0; i < text.length(); i++) {
            int digit = ALPHABET.indexOf(text.charAt(i));
            if (digit < 0) {
                throw new IllegalArgumentException("character " + (i + 1) + " is not base58");
            }
            value = value.multiply(BASE).add(BigInteger.valueOf(digit));
        }
        int zeros = 0;
        while (zeros < text.length() && text.charAt(zeros) == ALPHABET.charAt(0)) {
            zeros++;
        }
        byte[] magnitude = value.toByteArray();
        int sign = magnitude[0] == 0 ? 1 : 0; // BigInteger's sign byte, or the one byte of zero itself
        int length = zeros + magnitude.length - sign;
        if (length > bytesMax) {
            throw new IllegalArgumentException("must decode to at most " + bytesMax + " bytes, got " + length);
        }
        byte[] bytes = new byte[length];
        System.arraycopy(magnitude, sign, bytes, zeros, magnitude.length - sign);
        return bytes;
    }
}

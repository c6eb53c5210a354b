package io.hearth.identity;

/** Base 32 of RFC 4648 section 6 in lower case and without padding: text that people can read out. */
final class Base32 {
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int BITS = 5;

    private Base32() {}

    static String encode(byte[] bytes) {
        var text = new StringBuilder();
        int buffer = 0;
        int bits = 0;
        for (byte next : bytes) {
            buffer = (buffer << Byte.SIZE) | (next & 0xff);
            bits += Byte.SIZE;
            while (bits >= BITS) {
                bits -= BITS;
                text.append(ALPHABET.charAt((buffer >>> bits) & 31));
            }
            buffer &= (1 << bits) - 1;
        }
        if (bits > 0) {
            text.append(ALPHABET.charAt((buffer << (BITS - bits)) & 31));
        }
        return text.toString();
    }

    /** @throws IllegalArgumentException unless {@link #encode} makes {@code text} of some bytes */
    static byte[] decode(String text) {
        byte[] bytes = new byte[text.length() * BITS / Byte.SIZE];
        int buffer = 0;
        int bits = 0;
        int filled = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = ALPHABET.indexOf(text.charAt(i));
            if (digit < 0) {
                throw new IllegalArgumentException("character " + (i + 1) + " is not base32");
            }
            buffer = (buffer << BITS) | digit;
            bits += BITS;
            if (bits >= Byte.SIZE) {
                bits -= Byte.SIZE;
                bytes[filled++] = (byte) (buffer >>> bits);
            }
            buffer &= (1 << bits) - 1;
        }
        if (bits >= BITS || buffer != 0) {
            throw new IllegalArgumentException("the last character does not end whole bytes");
        }
        return bytes;
    }
}

package io.hearth.cli;

import io.hearth.identity.NamespaceKeys;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Secrets and keys in all forms in which a program might print them by mistake. */
final class Secrets {
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int SECRET_BYTES = 32;

    private final Map<String, String> forms = new LinkedHashMap<>(); // name of the form -> text to search for

    private Secrets() {}

    /** The secret of a namespace and the keys that are derived from it. */
    static Secrets of(String text, String namespace) throws Exception {
        var secrets = new Secrets();
        secrets.forms.put("the secret's text", text.substring(12, 40));
        ByteBuffer body = ByteBuffer.wrap(base32(text.substring(text.indexOf('-') + 1)));
        body.get(); // version
        int generation = body.getInt();
        byte[] secret = new byte[SECRET_BYTES];
        body.get(secret);
        secrets.add("the secret", secret);
        byte[] salt = MessageDigest.getInstance("SHA-256")
                .digest(ByteBuffer.allocate(24 + namespace.length())
                        .put("hearth/1 namespace\0".getBytes(StandardCharsets.US_ASCII))
                        .put(namespace.getBytes(StandardCharsets.US_ASCII))
                        .put((byte) 0)
                        .putInt(generation)
                        .array());
        byte[] prk = NamespaceKeys.extract(salt, secret);
        secrets.add("the extracted key", prk);
        for (String label : List.of("tag", "proof", "data")) {
            byte[] info = ("hearth/1 " + label).getBytes(StandardCharsets.US_ASCII);
            secrets.add("the key for " + label, NamespaceKeys.expand(prk, info, SECRET_BYTES));
        }
        return secrets;
    }

    /** Adds a private key, from the text of its file. */
    Secrets andKey(String pem) {
        String begin = "-----BEGIN PRIVATE KEY-----";
        String body = pem.substring(pem.indexOf(begin) + begin.length(), pem.indexOf("-----END PRIVATE KEY-----"));
        byte[] pkcs8 = Base64.getMimeDecoder().decode(body);
        forms.put("the key file's text", body.strip().lines().toList().getLast().substring(0, 16));
        add("the private key", Arrays.copyOfRange(pkcs8, pkcs8.length - SECRET_BYTES, pkcs8.length));
        return this;
    }

    private void add(String what, byte[] bytes) {
        forms.put(what + " as bytes", new String(bytes, StandardCharsets.ISO_8859_1));
        forms.put(what + " in hexadecimal", HexFormat.of().formatHex(bytes, 8, 24));
        forms.put(what + " in HEXADECIMAL", HexFormat.of().withUpperCase().formatHex(bytes, 8, 24));
        forms.put(what + " in base64", Base64.getEncoder().withoutPadding().encodeToString(bytes));
        forms.put(
                what + " in base64 for URLs",
                Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
        String list = Arrays.toString(Arrays.copyOfRange(bytes, 8, 24));
        forms.put(what + " as a list", list.substring(1, list.length() - 1));
    }

    /** The names of the forms that {@code text} contains. Raw bytes are searched as ISO-8859-1. */
    List<String> foundIn(String text) {
        return forms.entrySet().stream()
                .filter(form -> text.contains(form.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static byte[] base32(String text) {
        var bytes = new ByteArrayOutputStream();
        int buffer = 0;
        int bits = 0;
        for (int i = 0; i < text.length(); i++) {
            buffer = (buffer << 5 | ALPHABET.indexOf(text.charAt(i))) & 0xFFFF;
            bits += 5;
            if (bits >= 8) {
                bits -= 8;
                bytes.write(buffer >>> bits);
            }
        }
        return bytes.toByteArray();
    }
}

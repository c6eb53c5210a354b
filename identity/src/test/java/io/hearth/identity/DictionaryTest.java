package io.hearth.identity;

import static io.hearth.identity.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Attack 10: passwords. A person gives one in place of a secret, in every way in which a secret can be given. A listener tries a dictionary
 * on the tags and proofs that it captured of a closed namespace.
 */
final class DictionaryTest {
    private static final List<String> WORDS = List.of(
            "password",
            "password123",
            "123456789",
            "qwertz",
            "letmein",
            "dragon",
            "hearth",
            "hearth1",
            "hearth/1 open namespace",
            "home",
            "familie",
            "Sommer2026!",
            "correct horse battery staple",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "                                ",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    private static final int CAPTURES = 1_000;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    // ---- passwords from a person

    @Test
    void noWordIsTakenForASecretByWhateverWayItComes() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("home"));
        for (String word : WORDS) {
            for (String typed : List.of(word, word.toUpperCase(Locale.ROOT), "hearth1-" + word, word + "\n")) {
                refusedByAllWays(home, typed);
            }
        }
    }

    /** With a right checksum, as a program that allowed shorter secrets would make it. */
    @Test
    void noSecretOfFewerThan256BitsIsTaken() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("home"));
        for (int bytes = 0; bytes < NetworkNamespace.SECRET_BYTES; bytes++) {
            refusedByAllWays(home, text(new byte[bytes]));
            byte[] secret = new byte[bytes];
            assertThrows(IllegalArgumentException.class, () -> NetworkNamespace.closed("home", 1, secret));
        }
        String whole = text(new byte[NetworkNamespace.SECRET_BYTES]);
        assertEquals(1, SecretText.parse("home", whole, "a test").generation(), "the test knows the form");
        for (int cut = 0; cut < whole.length(); cut++) {
            refusedByAllWays(home, whole.substring(0, cut));
        }
    }

    private void refusedByAllWays(HearthHome home, String typed) throws IOException {
        assertRefused(() -> SecretText.parse("home", typed, "the command line"), "'hearth init home'");
        Map<String, String> environment = Map.of("HEARTH_SECRET", typed);
        String way = typed.isEmpty() ? "no secret" : "HEARTH_SECRET holds no Hearth secret";
        assertRefused(() -> new NamespaceLookup(home, environment).named("home"), way);
        Path secret = Files.writeString(folder.resolve("secret"), typed);
        assertRefused(
                () -> new NamespaceLookup(home, Map.of("HEARTH_SECRET_FILE", secret.toString())).named("home"),
                "HEARTH_SECRET_FILE holds no Hearth secret");
        NamespaceFile file = NamespaceFile.in(home);
        Files.writeString(file.path(), "[home]\nsecret = \"" + typed.replace("\n", "\\n") + "\"\n");
        Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("rw-------"));
        assertThrows(SetupException.class, () -> file.find("home"));
        Files.delete(file.path());
    }

    private static String text(byte[] secret) {
        byte[] body = ByteBuffer.allocate(1 + Integer.BYTES + secret.length)
                .put((byte) 1)
                .putInt(1)
                .put(secret)
                .array();
        byte[] label = "hearth/1 secret text\0home\0".getBytes(StandardCharsets.US_ASCII);
        byte[] checksum = Arrays.copyOf(sha256(concatenated(label, body)), 4);
        return "hearth1-" + Base32.encode(concatenated(body, checksum));
    }

    // ---- guesses of a listener

    /** A tag or a proof, and its inputs, which the listener knows. */
    private record Capture(Bytes nonceAndPort, Bytes tag, Bytes transcript, Bytes proof) {}

    private static List<Capture> captured(NamespaceKeys keys) {
        var random = new Random(10);
        var captures = new ArrayList<Capture>();
        for (int i = 0; i < CAPTURES; i++) {
            byte[] advert = new byte[18];
            byte[] transcript = new byte[96];
            random.nextBytes(advert);
            random.nextBytes(transcript);
            captures.add(new Capture(
                    Bytes.of(advert),
                    tag(keys, Bytes.of(advert)),
                    Bytes.of(transcript),
                    Bytes.of(MembershipProof.ofServer(keys, Bytes.of(transcript)))));
        }
        return captures;
    }

    private static Bytes tag(NamespaceKeys keys, Bytes nonceAndPort) {
        byte[] label = "hearth/1 mdns".getBytes(StandardCharsets.US_ASCII);
        return Bytes.of(Arrays.copyOf(keys.tagMac(label, nonceAndPort.toArray()), 16));
    }

    /** The keys that various programs would derive from a word. */
    private static List<NetworkNamespace> guesses(String name, String word) throws GeneralSecurityException {
        byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
        byte[] repeated = new byte[NetworkNamespace.SECRET_BYTES];
        for (int i = 0; i < repeated.length; i++) {
            repeated[i] = bytes[i % bytes.length];
        }
        var slow = new PBEKeySpec(word.toCharArray(), name.getBytes(StandardCharsets.US_ASCII), 1, 256);
        var guesses = new ArrayList<NetworkNamespace>();
        for (byte[] secret : List.of(
                Arrays.copyOf(bytes, NetworkNamespace.SECRET_BYTES),
                repeated,
                sha256(bytes),
                sha256(concatenated(name.getBytes(StandardCharsets.US_ASCII), bytes)),
                SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                        .generateSecret(slow)
                        .getEncoded())) {
            guesses.add(NetworkNamespace.closed(name, 1, secret));
        }
        return guesses;
    }

    @Test
    void noWordMakesAnyCapturedTagOrProof() throws Exception {
        NetworkNamespace namespace = NetworkNamespace.create("home");
        List<Capture> captures = captured(namespace.keys());
        assertTrue(isMember(namespace, captures), "the listener's way of trying is the right one");
        var guesses = new ArrayList<>(List.of(NetworkNamespace.open("home"))); // its key is published
        for (String word : WORDS) {
            guesses.addAll(guesses("home", word));
        }
        for (NetworkNamespace guess : guesses) {
            assertFalse(isMember(guess, captures), guess::toString);
        }
    }

    /** Whether keys of this guess reproduce a captured tag or proof. */
    private static boolean isMember(NetworkNamespace guess, List<Capture> captures) {
        try (NamespaceKeys keys = guess.keys()) {
            return captures.stream()
                    .anyMatch(capture -> tag(keys, capture.nonceAndPort()).equals(capture.tag())
                            || Bytes.of(MembershipProof.ofServer(keys, capture.transcript()))
                                    .equals(capture.proof()));
        }
    }

    private static byte[] concatenated(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException missing) {
            throw new AssertionError(missing);
        }
    }
}

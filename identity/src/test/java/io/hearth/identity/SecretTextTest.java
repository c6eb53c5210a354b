package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SecretTextTest {
    /** Of the secret 00 01 … 1f, generation 1, namespace home; computed independently, with Python. */
    private static final String TEXT = "hearth1-aeaaaaabaaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypwsfvaza";

    @Test
    void textOfAKnownSecretIsTheKnownOne() throws SetupException {
        NetworkNamespace namespace = SecretText.parse("home", TEXT, "a test");
        assertEquals("af75005b7026d38f", namespace.keyId());
        assertEquals(1, namespace.generation());
        assertEquals(TEXT, SecretText.of(namespace));
    }

    @Test
    void everySecretComesBackFromItsText() throws SetupException {
        var random = new SplittableRandom(7);
        for (int round = 0; round < 500; round++) {
            byte[] secret = new byte[NetworkNamespace.SECRET_BYTES];
            random.nextBytes(secret);
            var namespace = NetworkNamespace.closed("lab-" + round, 1 + random.nextInt(1 << 30), secret);
            String text = SecretText.of(namespace);
            assertEquals(74, text.length());
            assertEquals(namespace, SecretText.parse("lab-" + round, "\n " + text + "\r\n", "a test"));
        }
    }

    @Test
    void howItIsTypedDoesNotMatter() throws SetupException {
        String body = TEXT.substring(8);
        for (String typed : List.of(
                TEXT.toUpperCase(Locale.ROOT),
                "hearth1" + body,
                "Hearth1 " + body.replaceAll("(.{4})", "$1 "),
                " hearth1-" + body.replaceAll("(.{6})", "$1-").toUpperCase(Locale.ROOT) + "\r\n",
                "hearth1\u2013" + body.replaceAll("(.{11})", "$1\u2014"),
                TEXT.replaceAll("(.{10})", "$1\n\t "))) {
            assertEquals(
                    "af75005b7026d38f",
                    SecretText.parse("home", typed, "a test").keyId(),
                    typed);
        }
        assertRefused(TEXT + TEXT.substring(8), "home");
        assertRefused("x" + TEXT, "home");
    }

    @Test
    void aTextThatMustNotBeShownIsKnown() {
        for (String secret : List.of(
                TEXT,
                "--secret-file=" + TEXT,
                "x" + TEXT,
                TEXT.toUpperCase(Locale.ROOT),
                TEXT.replaceAll("(.{4})", "$1 "),
                TEXT.substring(0, 60))) {
            assertTrue(SecretText.isIn(secret), secret);
        }
        for (String harmless :
                List.of("", "home", "hearth1-backup.txt", "/home/hearth1-of-the-kitchen", "--secret-file")) {
            assertFalse(SecretText.isIn(harmless), harmless);
        }
    }

    @Test
    void anyOneCharacterMistypedIsFound() {
        for (int at = 0; at < TEXT.length(); at++) {
            for (char other : new char[] {'a', 'b', 'x', '2', '7', '1', '-', 'A', ' ', '0'}) {
                String typed = TEXT.substring(0, at) + other + TEXT.substring(at + 1);
                if (Character.toLowerCase(other) != TEXT.charAt(at) && !(other == ' ' && TEXT.charAt(at) == '-')) {
                    assertRefused(typed, "home");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "password123",
                "hearth1-",
                "hearth1-password123",
                "correct horse battery staple",
                "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
            })
    void whatIsNoSecretIsRefusedWithTheRemedy(String text) {
        String why = assertRefused(text, "home");
        assertTrue(why.contains("'hearth init home'") && why.contains("'hearth secret show home'"), why);
    }

    @Test
    void aSecretUnderAnotherNameIsRefused() {
        String why = assertRefused(TEXT, "lab");
        assertTrue(why.contains("namespace lab"), why);
    }

    /** Right checksums, computed with Python: version 2, generation 0 (that of open namespaces), generation 2^32-1. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "hearth1-aiaaaaabaaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypqywkdee",
                "hearth1-aeaaaaaaaaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dyp5nzr7ii",
                "hearth1-ah777777aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypxmnrwiy"
            })
    void anUnknownVersionOrGenerationIsRefused(String text) {
        String why = assertRefused(text, "home");
        assertTrue(why.contains("update Hearth"), why);
    }

    @Test
    void anOpenNamespaceHasNoText() {
        assertThrows(IllegalArgumentException.class, () -> SecretText.of(NetworkNamespace.open("home")));
    }

    @Test
    void anEndlessPipeIsReadNoFurtherThanItMayBe() {
        var endless = new InputStream() {
            int read;

            @Override
            public int read() {
                return 'a';
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                read += length;
                return length;
            }
        };
        assertThrows(SetupException.class, () -> SecretText.read("home", endless, "a pipe"));
        assertTrue(endless.read <= 8192, () -> "read " + endless.read);
    }

    @Test
    void aSecretIsReadFromAPipe() throws SetupException {
        var pipe = new ByteArrayInputStream((TEXT + "\n").getBytes(StandardCharsets.US_ASCII));
        assertEquals("af75005b7026d38f", SecretText.read("home", pipe, "a pipe").keyId());
    }

    @Test
    void aPipeThatBreaksSaysSo() {
        var broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("unplugged");
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                throw new IOException("unplugged");
            }
        };
        var refusal = assertThrows(SetupException.class, () -> SecretText.read("home", broken, "a pipe"));
        assertTrue(String.valueOf(refusal.getMessage()).contains("unplugged"));
    }

    private static String assertRefused(String text, String name) {
        var refusal = assertThrows(SetupException.class, () -> SecretText.parse(name, text, "a test"));
        String why = String.valueOf(refusal.getMessage());
        for (int from = 0; from + 12 <= text.length(); from++) {
            String part = text.substring(from, from + 12);
            assertFalse(why.contains(part) && !part.isBlank(), why);
        }
        assertFalse(text.contains("password") && why.contains("password123"), why);
        return why;
    }
}

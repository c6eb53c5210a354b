package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.SecretText;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that the search for leaks finds a leak: it reads the secret as the product does. */
final class SecretsTest {
    @Test
    void aTextThatHoldsTheSecretIsFound() throws Exception {
        String text = SecretText.of(NetworkNamespace.create("home"));
        Secrets secrets = Secrets.of(text, "home");
        assertEquals(List.of("the secret's text"), secrets.foundIn("the secret is " + text));
        assertEquals(List.of(), secrets.foundIn("nothing"));
    }

    /** RFC 4648 encodes "fooba" as MZXW6YTB. The search finds a secret of known bytes in hexadecimal. */
    @Test
    void theBytesAreThoseOfTheText() throws Exception {
        // version 1, generation 1, then 32 bytes of which each is 0x11, then a checksum
        String text = "hearth1-" + "aeaaaaab" + "ceirceirceirceirceirceirceirceirceirceirceirceirceiraaaaaa";
        List<String> found = Secrets.of(text, "home").foundIn("11".repeat(32));
        assertFalse(found.isEmpty());
        assertEquals("the secret in hexadecimal", found.getFirst());
    }
}

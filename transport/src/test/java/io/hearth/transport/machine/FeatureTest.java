package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.transport.cipher.RecordCipher;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FeatureTest {
    private static List<String> listed(String names) {
        return names.equals("-") ? List.of() : List.of(names.split(" ", -1));
    }

    @ParameterizedTest(name = "{0} and {1}: {2}")
    @CsvSource({
        "chacha20, chacha20, AES_256_GCM",
        "chacha20 aes-slow, chacha20, CHACHA20_POLY1305",
        "chacha20, chacha20 aes-slow, CHACHA20_POLY1305",
        "chacha20 aes-slow, chacha20 aes-slow, CHACHA20_POLY1305",
        "aes-slow x chacha20, y chacha20, CHACHA20_POLY1305",
        "chacha20 aes-slow, -, AES_256_GCM",
        "-, chacha20 aes-slow, AES_256_GCM",
        "chacha20 aes-slow, aes-slow, AES_256_GCM",
        "aes-slow, aes-slow, AES_256_GCM",
        "chacha20, unheard-of, AES_256_GCM",
        "-, -, AES_256_GCM"
    })
    void bothEndsChooseTheSameCipher(String one, String other, RecordCipher.Suite expected) {
        assertEquals(expected, Feature.suite(listed(one), listed(other)));
        assertEquals(expected, Feature.suite(listed(other), listed(one)), "the other end chooses differently");
    }

    @Test
    void aNodeListsWhatIsSo() {
        assertEquals(List.of("chacha20"), Feature.of(false));
        assertEquals(List.of("chacha20", "aes-slow"), Feature.of(true));
    }
}

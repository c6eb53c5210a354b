package io.hearth.planted;

import io.hearth.bench.BenchCipher;
import io.hearth.transport.cipher.RecordCipher;

/** Names ciphers, for {@code CodeRulesTest} to find. */
record ChoosesCipher(RecordCipher product, BenchCipher bench) {
    void open() {
        openForMeasuring();
    }

    private static void openForMeasuring() {}
}

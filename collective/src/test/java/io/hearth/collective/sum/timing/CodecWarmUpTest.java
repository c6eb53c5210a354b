package io.hearth.collective.sum.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.accel.select.Engines;
import io.hearth.compression.CompressionStrategy;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compiling the code of codecs before gradients need it. */
final class CodecWarmUpTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "topk:0.01",
                "topk:0.01,nonfinite=dense",
                "topk:0.5,bits=32",
                "topk:0.01,residual=none",
                "topk:0.01,residual=bfloat16",
                "topk:0.01,chunk=4096",
                "topk:0.01,chunk=4096,residual=none",
                "dgc:0.001"
            })
    void aSparseCodecSumsWhileThereIsTime(String text) {
        CompressionStrategy codec = CompressionStrategy.parse(text);
        assertEquals(List.of(codec), CodecWarmUp.sparse(codec).toList());
        var looks = new AtomicLong(); // reads of the clock, one per round
        LongSupplier clock = () -> looks.getAndIncrement() * UntilSteady.NANOS_MAX / 50;
        assertEquals(50, CodecWarmUp.run(codec, Engines.best().codecKernels(), clock));
    }

    @ParameterizedTest
    @CsvSource({
        "int8, 0",
        "powersgd, 0",
        "auto:lossy, 0",
        "none, 0",
        "'rules:none@1d/topk:0.01@from=70000/topk:0.1,chunk=64', 2"
    })
    void othersAreLeftAlone(String text, int warmed) {
        assertEquals(warmed, CodecWarmUp.sparse(CompressionStrategy.parse(text)).count());
    }
}

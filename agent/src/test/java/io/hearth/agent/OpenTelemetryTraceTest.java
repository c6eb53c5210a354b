package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.agent.status.HandClock;
import io.hearth.collective.CollectiveTrace.Collective;
import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Signature.Kind;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class OpenTelemetryTraceTest {
    private static Collective collective(boolean completed) {
        return new Collective(
                7,
                Kind.ALL_REDUCE,
                4_096,
                3,
                "ring",
                completed,
                1_000_000_000L,
                1_250_000_000L,
                Map.of(Phase.WAIT, 100_000_000L));
    }

    @Test
    void aCollectiveIsASpanInWallTime() {
        InMemorySpanExporter exporter = InMemorySpanExporter.create();
        var telemetry = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                        .build())
                .build();
        var clock = new HandClock();
        var trace = new OpenTelemetryTrace(telemetry, clock);
        trace.ended(collective(true));
        trace.ended(collective(false));
        List<SpanData> spans = exporter.getFinishedSpanItems();
        SpanData span = spans.getFirst();
        assertEquals("hearth.all_reduce", span.getName());
        assertEquals(250_000_000L, span.getEndEpochNanos() - span.getStartEpochNanos());
        assertEquals(clock.epochMillis() * 1_000_000 - clock.nanoTime() + 1_000_000_000L, span.getStartEpochNanos());
        assertEquals(4_096L, span.getAttributes().get(AttributeKey.longKey("hearth.bytes")));
        assertEquals("ring", span.getAttributes().get(AttributeKey.stringKey("hearth.algorithm")));
        assertEquals(0.1, span.getAttributes().get(AttributeKey.doubleKey("hearth.wait.seconds")));
        assertEquals(StatusCode.ERROR, spans.getLast().getStatus().getStatusCode());
    }
}

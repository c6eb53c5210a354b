package io.hearth.agent;

import io.hearth.collective.CollectiveTrace;
import io.hearth.core.Clock;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Reports each collective as a span of OpenTelemetry, to the exporter that the script has configured. The span's parent is the script's
 * current span, so a step of the training can hold its sums.
 *
 * <pre>{@code
 * hearth.trace(new OpenTelemetryTrace(GlobalOpenTelemetry.get()));
 * }</pre>
 *
 * <p>Attributes: {@code hearth.number}, {@code hearth.bytes}, {@code hearth.world}, {@code hearth.algorithm}, and for each phase that took
 * time its sum in seconds, such as {@code hearth.wait.seconds}.
 */
public final class OpenTelemetryTrace implements CollectiveTrace {
    private static final AttributeKey<Long> NUMBER = AttributeKey.longKey("hearth.number");
    private static final AttributeKey<Long> BYTES = AttributeKey.longKey("hearth.bytes");
    private static final AttributeKey<Long> WORLD = AttributeKey.longKey("hearth.world");
    private static final AttributeKey<String> ALGORITHM = AttributeKey.stringKey("hearth.algorithm");
    private static final double NANOS_PER_SECOND = 1e9;

    private final Tracer tracer;
    private final Clock clock;

    public OpenTelemetryTrace(OpenTelemetry telemetry) {
        this(telemetry, Clock.system());
    }

    OpenTelemetryTrace(OpenTelemetry telemetry, Clock clock) {
        this.tracer = telemetry.getTracer("io.hearth");
        this.clock = clock;
    }

    @Override
    public void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
        // the sums of the phases come with the end
    }

    @Override
    public void ended(Collective collective) {
        long offset =
                TimeUnit.MILLISECONDS.toNanos(clock.epochMillis()) - clock.nanoTime(); // from monotonic to wall time
        var attributes = Attributes.builder()
                .put(NUMBER, collective.number())
                .put(BYTES, collective.bytes())
                .put(WORLD, (long) collective.world())
                .put(ALGORITHM, collective.algorithm());
        collective
                .phaseNanos()
                .forEach((phase, nanos) -> attributes.put(
                        "hearth." + phase.name().toLowerCase(Locale.ROOT) + ".seconds", nanos / NANOS_PER_SECOND));
        Span span = tracer.spanBuilder("hearth." + collective.kind().name().toLowerCase(Locale.ROOT))
                .setStartTimestamp(collective.sinceNanos() + offset, TimeUnit.NANOSECONDS)
                .setAllAttributes(attributes.build())
                .startSpan();
        if (!collective.completed()) {
            span.setStatus(StatusCode.ERROR, "the collective had no result");
        }
        span.end(collective.untilNanos() + offset, TimeUnit.NANOSECONDS);
    }
}

package io.hearth.bench;

import io.hearth.collective.CollectiveTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Keeps what happens to the segments of collectives; of more than {@link #SPANS_MAX} spans the later ones are only counted. */
final class SpanRecorder implements CollectiveTrace {
    static final int SPANS_MAX = 200_000;

    /**
     * One thing done with one segment; arguments as in {@link CollectiveTrace#segment}.
     *
     * @param byCaller on the thread that made the recorder and calls the collectives, which sends too
     */
    record Span(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos, boolean byCaller) {}

    private final Thread caller = Thread.currentThread();
    private final List<Span> spans = new ArrayList<>();
    private long dropped;
    private Optional<Collective> last = Optional.empty();

    @Override
    public synchronized void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
        if (spans.size() < SPANS_MAX) {
            spans.add(new Span(
                    number,
                    phase,
                    rank,
                    bytes,
                    sinceNanos,
                    untilNanos,
                    Thread.currentThread().equals(caller)));
        } else {
            dropped++;
        }
    }

    @Override
    public synchronized void ended(Collective collective) {
        last = Optional.of(collective);
    }

    synchronized List<Span> spans() {
        return List.copyOf(spans);
    }

    /** Spans that are not among {@link #spans}. */
    synchronized long dropped() {
        return dropped;
    }

    /** What ended last. */
    synchronized Optional<Collective> last() {
        return last;
    }
}

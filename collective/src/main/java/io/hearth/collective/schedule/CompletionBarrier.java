package io.hearth.collective.schedule;

/**
 * Each position notifies all others that it holds its part. A position that completes the barrier knows that all do.
 *
 * <p>Played after a schedule in which not all positions contribute or not all get the same bytes, before any rank returns. Otherwise a rank
 * could go on, be lost, and take along bytes that others still lack.
 *
 * @param position 0 to world - 1
 * @param world number of positions; with 1 there is nothing to do
 */
public record CompletionBarrier(int position, int world) implements Schedule {
    public CompletionBarrier {
        Segments.check(position, world);
    }

    @Override
    public long sends() {
        return world - 1L;
    }

    @Override
    public long receives() {
        return world - 1L;
    }

    @Override
    public void send(long index, Transfer into) {
        Segments.sendNote(into, Segments.around(position, index + 1, world), 0);
    }

    @Override
    public void receive(long index, Transfer into) {
        Segments.receiveNote(into, Segments.around(position, -index - 1, world));
    }

    @Override
    public long bytesSent() {
        return 0;
    }

    @Override
    public long bytesToOneMax() {
        return 0;
    }
}

package io.hearth.collective.schedule;

/**
 * Each position sends the next one a note. Played before a schedule whose positions differ from those of most calls, so that unequal calls
 * are still detected (see {@link Schedule}).
 *
 * @param position 0 to world - 1
 * @param world number of positions; with 1 there is nothing to do
 */
public record RingNote(int position, int world) implements Schedule {
    public RingNote {
        Segments.check(position, world);
    }

    @Override
    public long sends() {
        return world == 1 ? 0 : 1;
    }

    @Override
    public long receives() {
        return sends();
    }

    @Override
    public void send(long index, Transfer into) {
        Segments.sendNote(into, Segments.around(position, 1, world), 0);
    }

    @Override
    public void receive(long index, Transfer into) {
        Segments.receiveNote(into, Segments.around(position, -1, world));
    }

    @Override
    public boolean isAround() {
        return true;
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

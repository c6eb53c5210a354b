package io.hearth.transport.machine;

import io.hearth.identity.PeerId;
import java.util.SortedMap;
import java.util.TreeMap;

/** Who is being re-keyed: so many at once, so many of them not on the roster, and of one machine one connection each way. One thread. */
public final class RekeyPlaces {
    static final int CHANNELS_MAX = 8;
    static final int STRANGERS_MAX = 3;
    static final int OF_ONE_MAX = 2;

    private final SortedMap<PeerId, Integer> channels = new TreeMap<>();
    private int all;
    private int strangers;

    public boolean hasRoom(PeerId peer, boolean isMember) {
        return all < CHANNELS_MAX
                && (isMember || strangers < STRANGERS_MAX)
                && channels.getOrDefault(peer, 0) < OF_ONE_MAX;
    }

    public void add(PeerId peer, boolean isMember) {
        all++;
        strangers += isMember ? 0 : 1;
        channels.merge(peer, 1, Integer::sum);
    }

    /** With what {@link #add} was called with. */
    public void remove(PeerId peer, boolean isMember) {
        all--;
        strangers -= isMember ? 0 : 1;
        if (channels.merge(peer, -1, Integer::sum) <= 0) {
            channels.remove(peer);
        }
    }
}

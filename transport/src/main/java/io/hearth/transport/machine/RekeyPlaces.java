package io.hearth.transport.machine;

import io.hearth.identity.PeerId;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Limits the machines that are re-keyed at once: in total, those not on the roster, and one connection in each direction per machine. One
 * thread.
 */
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

    /** Removes an entry; the arguments must be those of {@link #add}. */
    public void remove(PeerId peer, boolean isMember) {
        all--;
        strangers -= isMember ? 0 : 1;
        if (channels.merge(peer, -1, Integer::sum) <= 0) {
            channels.remove(peer);
        }
    }
}

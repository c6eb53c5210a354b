package io.hearth.simulation.pair;

import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** One end of an ordered pair of members, for as long as both stay members, as {@code PeerChannel} is in a node. */
abstract sealed class PairEnd permits PairOut, PairIn {
    final ProcessContext process;
    final WorldSetting setting;
    final PairTraffic traffic;

    /** Lineage and both members, sender first: the same at both ends. */
    final String pair;

    private final Deque<Arrival> inbox =
            new ArrayDeque<>(); // records that arrived while the group is frozen, or too early
    private @Nullable PairStream stream;
    private @Nullable PairStream opening;
    private boolean isOver;

    private record Arrival(PairStream on, PairRecord record) {}

    PairEnd(PairTraffic traffic, String pair) {
        this.process = traffic.process;
        this.setting = process.setting();
        this.traffic = traffic;
        this.pair = pair;
    }

    /** The machine learns that there is a stream. */
    abstract void connected();

    /** The machine learns that there is none. */
    abstract void lost();

    /** Handles a record of the present stream. */
    abstract void take(PairRecord record);

    /** Ends the application's call with an error, if that is still possible. */
    abstract void giveUp();

    boolean isOver() {
        return isOver;
    }

    boolean isConnected() {
        return stream != null;
    }

    /** Whether a new stream may begin here. */
    boolean isFree() {
        return stream == null && opening == null && !isOver;
    }

    /** A stream begins here a moment later. */
    void attach(PairStream fresh) {
        opening = fresh;
        setting.after(
                fresh.delayNanos(),
                () -> process.deliver(() -> {
                    if (opening != fresh) {
                        fresh.close();
                        return;
                    }
                    opening = null;
                    stream = fresh;
                    connected();
                    pump();
                }));
    }

    void say(PairRecord record) {
        if (stream != null) {
            stream.send(this, record);
        }
    }

    void arrived(PairStream on, PairRecord record) {
        inbox.add(new Arrival(on, record));
        pump();
    }

    /** Handles what arrived, unless the data threads are frozen. */
    void pump() {
        while (!inbox.isEmpty() && !traffic.isFrozen() && inbox.element().on() != opening) {
            Arrival next = inbox.remove();
            if (next.on() == stream) {
                take(next.record());
            }
        }
    }

    /** The stream ended by itself, or the other end closed it. */
    void broken(PairStream on) {
        if (opening == on) {
            opening = null;
        }
        if (stream == on) {
            stream = null;
            lost();
        }
    }

    /** Closes the stream at the machine's request. */
    void reset() {
        if (stream != null) {
            stream.close();
        }
        stream = null;
    }

    /** A record does not fit the protocol: closes the stream. */
    void misfit() {
        reset();
        lost();
    }

    /** Goes on in another group epoch. */
    void renew() {
        reset();
        lost();
        opening = null;
    }

    /** Ends for good. */
    void end() {
        isOver = true;
        giveUp();
        renew();
    }
}

package io.hearth.transport.record;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;

/** Options of all TCP sockets between nodes. */
public final class SocketTuning {
    /** Seconds between two keep-alive probes, where the system lets a program choose them. */
    public static final SocketOption<Integer> PROBE_INTERVAL = ExtendedSocketOptions.TCP_KEEPINTERVAL;

    /**
     * Also the mark of Hearth's sockets, because no other program has a reason to choose this number. A forked child inherits them, and
     * would hold its parent's connections open. It finds them by the mark and closes them. {@code hearth.h} names it.
     */
    public static final int PROBE_SECONDS = 71;

    private SocketTuning() {}

    /** Sends small records at once, asks a silent peer now and then whether it is there, and sets the mark. */
    public static void tune(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        mark(channel);
    }

    /** Sets only the mark, of a socket that listens. */
    public static void mark(NetworkChannel channel) throws IOException {
        if (channel.supportedOptions().contains(PROBE_INTERVAL)) {
            channel.setOption(PROBE_INTERVAL, PROBE_SECONDS);
        }
    }
}

package io.hearth.transport.control;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening channel that asks for a place before it makes a channel for a connection. Any computer on the network can open thousands of
 * connections a second, and making a channel costs more than accepting a connection and closing it. Event loop only.
 */
public final class GatedServerChannel extends NioServerSocketChannel {
    private static final Logger LOG = LoggerFactory.getLogger(GatedServerChannel.class);
    private static final int TURN_MAX = 64; // links are served between two turns of a flood

    /** Decides about connections; called on the event loop. */
    @FunctionalInterface
    public interface Entrance {
        /** A place for a connection; running it gives the place back. Empty if the connection must be closed unread. */
        Optional<Runnable> enter(InetSocketAddress remote, InetSocketAddress local);
    }

    private final Entrance entrance;

    public GatedServerChannel(Entrance entrance) {
        this.entrance = entrance;
    }

    /** A connection with a place. */
    public static final class Guest extends NioSocketChannel {
        private Runnable leaving;

        private Guest(Channel parent, SocketChannel socket, Runnable leaving) {
            this.leaving = leaving;
            super(parent, socket);
            closeFuture().addListener(_ -> leave());
        }

        /** Gives the place back; idempotent. A channel that closes does so by itself. */
        public void leave() {
            Runnable once = leaving;
            leaving = () -> {};
            once.run();
        }
    }

    @Override
    protected int doReadMessages(List<Object> guests) throws Exception {
        for (int turn = 0; turn < TURN_MAX; turn++) {
            SocketChannel socket = javaChannel().accept();
            if (socket == null) {
                return 0;
            }
            Optional<Guest> guest = guest(socket);
            if (guest.isPresent()) {
                guests.add(guest.get());
                return 1;
            }
        }
        return 0;
    }

    /**
     * The channel of a connection; empty if the connection was closed. It has no place, it broke at once, or a bug hit only this
     * connection.
     */
    private Optional<Guest> guest(SocketChannel socket) throws IOException {
        Optional<Runnable> place = Optional.empty();
        try {
            if (socket.getRemoteAddress() instanceof InetSocketAddress remote
                    && socket.getLocalAddress() instanceof InetSocketAddress local) {
                place = entrance.enter(remote, local);
            }
            if (place.isPresent()) {
                return Optional.of(new Guest(this, socket, place.get()));
            }
        } catch (IOException | ChannelException broken) {
            LOG.debug("a connection broke while it was accepted: {}", broken.toString());
            place.ifPresent(Runnable::run);
        } catch (RuntimeException bug) {
            LOG.error("connection closed by a bug while it was accepted: report this", bug);
            place.ifPresent(Runnable::run);
        }
        socket.close();
        return Optional.empty();
    }
}

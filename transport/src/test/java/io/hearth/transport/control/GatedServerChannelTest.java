package io.hearth.transport.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Effects of one connection on the server that accepts it. */
final class GatedServerChannelTest {
    private static final int PATIENCE_MILLIS = 20_000;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final AtomicInteger taken = new AtomicInteger(); // places, counted on the event loop
    private final AtomicReference<GatedServerChannel.Entrance> entrance =
            new AtomicReference<>((_, _) -> Optional.of(place()));

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Runnable place() {
        taken.incrementAndGet();
        return taken::decrementAndGet;
    }

    private Channel listen(ChannelInitializer<GatedServerChannel.Guest> greeting) {
        return new ServerBootstrap()
                .group(group)
                .channelFactory(() ->
                        new GatedServerChannel((remote, local) -> entrance.get().enter(remote, local)))
                .childHandler(greeting)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }

    /** Sends a byte to each guest. */
    private static ChannelInitializer<GatedServerChannel.Guest> greeting(Consumer<GatedServerChannel.Guest> seen) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(GatedServerChannel.Guest guest) {
                seen.accept(guest);
                guest.eventLoop().execute(() -> {
                    var _ = guest.writeAndFlush(guest.alloc().buffer(1).writeByte(7));
                });
            }
        };
    }

    private static Socket dial(Channel server) throws Exception {
        var address = (InetSocketAddress) server.localAddress();
        var socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static int heard(Channel server) throws Exception {
        try (Socket socket = dial(server)) {
            return socket.getInputStream().read();
        }
    }

    private int places() throws Exception {
        return group.submit(taken::get).get();
    }

    @Test
    void whoHasNoPlaceIsClosedUnheardAndTheNextIsServed() throws Exception {
        Channel server = listen(greeting(_ -> {}));
        GatedServerChannel.Entrance open = entrance.getAndSet((_, _) -> Optional.empty());
        for (int i = 0; i < 200; i++) { // more than one turn accepts
            assertEquals(-1, heard(server));
        }
        entrance.set(open);
        assertEquals(7, heard(server));
    }

    /** On some systems a connection that was reset already breaks when its options are set. */
    @Test
    void aConnectionThatBreaksWhileItIsAcceptedIsClosedAndTheNextIsServedAtOnce() throws Exception {
        AtomicInteger rested = new AtomicInteger();
        Channel server = listen(greeting(_ -> {}));
        server.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                rested.incrementAndGet(); // after it, ServerBootstrap would stop accepting for a second
            }
        });
        GatedServerChannel.Entrance open = entrance.getAndSet((_, _) -> {
            throw new ChannelException("planted");
        });
        assertEquals(-1, heard(server));
        entrance.set(open);
        assertEquals(7, heard(server));
        assertEquals(0, rested.get());
    }

    @Test
    void aPlaceIsGivenBackOnceWhenTheGuestLeavesAndWhenItsConnectionEnds() throws Exception {
        var guests = new AtomicReference<GatedServerChannel.Guest>();
        Channel server = listen(greeting(guests::set));
        try (Socket socket = dial(server)) {
            assertEquals(7, socket.getInputStream().read());
            assertEquals(1, places());
            GatedServerChannel.Guest guest = guests.get();
            group.submit(guest::leave).get();
            assertEquals(0, places());
            guest.close().syncUninterruptibly();
            assertEquals(0, places());
        }
        try (Socket socket = dial(server)) {
            assertEquals(7, socket.getInputStream().read());
            guests.get().close().syncUninterruptibly();
        }
        assertEquals(0, places());
    }
}

package io.hearth.agent.http;

import io.hearth.core.SetupException;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for HTTP/1.1 of this machine, on a unix socket that only this user can reach or on a port of 127.0.0.1 behind a {@link PageGate}.
 *
 * <p>Each connection carries one request. Connections, their time to send a request, the size of a request and the time to take an answer
 * are limited, so that clients which do nothing, or too much, leave room for others.
 */
public final class HttpListener implements AutoCloseable {
    /** Most bytes of a request's body. */
    public static final int BODY_BYTES_MAX = 64 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);
    private static final int CLIENTS_MAX = 64;
    private static final int FEEDS_MAX = 24;
    private static final int LINE_BYTES_MAX = 4_096;
    private static final int HEADER_BYTES_MAX = 8_192;
    private static final int PIECE_BYTES_MAX = 8_192;

    private final EventLoopGroup loop;
    private final Channel server;
    private final ChannelGroup clients;
    private final Optional<Path> socket;
    private final int port;

    private HttpListener(EventLoopGroup loop, Channel server, ChannelGroup clients, Optional<Path> socket, int port) {
        this.loop = loop;
        this.server = server;
        this.clients = clients;
        this.socket = socket;
        this.port = port;
    }

    /**
     * Starts listening on a unix socket of mode 0600. A stale socket, where no process answers, is replaced.
     *
     * @throws SetupException if another process serves there, or the path cannot be used; its text says what to do
     */
    public static HttpListener unix(Path path, ApiHandler handler) throws SetupException {
        try {
            SocketFile.clearStale(path);
            HttpListener listener = open(
                    NioServerDomainSocketChannel.class,
                    UnixDomainSocketAddress.of(path),
                    Optional.of(path),
                    handler,
                    _ -> Optional.empty());
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            return listener;
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot open the local socket " + path + ": " + failed.getMessage()
                            + "; check that the folder is yours and not full",
                    failed);
        }
    }

    /**
     * Starts listening on 127.0.0.1.
     *
     * @param port 0 for a free one
     * @throws IOException the port cannot be opened
     */
    public static HttpListener loopback(int port, PagePasses passes, ApiHandler handler) throws IOException {
        return open(
                NioServerSocketChannel.class,
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port),
                Optional.empty(),
                handler,
                own -> Optional.of(new PageGate(own, passes)));
    }

    private static HttpListener open(
            Class<? extends ServerChannel> kind,
            SocketAddress address,
            Optional<Path> socket,
            ApiHandler handler,
            Function<Integer, Optional<PageGate>> gate)
            throws IOException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("hearth-local-api", true), NioIoHandler.newFactory());
        ChannelGroup clients = new DefaultChannelGroup(loop.next());
        var places = new Semaphore(CLIENTS_MAX);
        var feeds = new Semaphore(FEEDS_MAX);
        var bootstrap = new ServerBootstrap()
                .group(loop)
                .channel(kind)
                .option(ChannelOption.SO_BACKLOG, 128)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel client) throws IOException {
                        if (!places.tryAcquire()) {
                            var _ = client.close();
                            return;
                        }
                        clients.add(client);
                        var _ = client.closeFuture().addListener(_ -> places.release());
                        if (socket.isPresent() && !SameUser.isOn(client, socket.get())) {
                            var _ = client.close();
                            return;
                        }
                        pipeline(
                                client.pipeline(),
                                new HttpExchange(handler, gate.apply(port(client.localAddress())), feeds));
                    }
                });
        var bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw new IOException(String.valueOf(bound.cause().getMessage()), bound.cause());
        }
        return new HttpListener(
                loop, bound.channel(), clients, socket, port(bound.channel().localAddress()));
    }

    private static void pipeline(ChannelPipeline pipeline, HttpExchange exchange) {
        pipeline.addLast(new HttpServerCodec(new HttpDecoderConfig()
                .setMaxInitialLineLength(LINE_BYTES_MAX)
                .setMaxHeaderSize(HEADER_BYTES_MAX)
                .setMaxChunkSize(PIECE_BYTES_MAX)));
        pipeline.addLast(new HttpObjectAggregator(BODY_BYTES_MAX, true));
        pipeline.addLast(exchange);
    }

    private static int port(SocketAddress address) {
        return address instanceof InetSocketAddress tcp ? tcp.getPort() : 0;
    }

    /** The port of a loopback listener. */
    public int port() {
        return port;
    }

    @Override
    public void close() {
        var _ = server.close().awaitUninterruptibly();
        socket.ifPresent(path -> {
            try {
                Files.deleteIfExists(path);
            } catch (IOException failed) {
                LOG.warn("cannot delete the local socket {}: {}", path, failed.getMessage());
            }
        });
        var _ = clients.close().awaitUninterruptibly();
        var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}

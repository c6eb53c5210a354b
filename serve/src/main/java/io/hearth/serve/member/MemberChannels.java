package io.hearth.serve.member;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Encrypted connections to the services of other members, made when they are first used. Any thread. */
final class MemberChannels implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemberChannels.class);
    private static final long IDLE_SECONDS = 60;
    private static final long ALIVE_SECONDS = 2; // asks whether the other side is there
    private static final int CONNECT_MILLIS = 2_000;

    private final MemberTls tls;
    private final Supplier<KnownNodes> nodes;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Map<NodeId, Open> open = new HashMap<>(); // guarded by this
    private boolean isClosed; // guarded by this

    private record Open(InetSocketAddress address, ManagedChannel channel) {}

    MemberChannels(MemberTls tls, Supplier<KnownNodes> nodes) {
        this.tls = tls;
        this.nodes = nodes;
    }

    /** The connection to a member; empty if it has no link, or serves nothing. */
    synchronized Optional<ManagedChannel> to(NodeId member) {
        Optional<InetSocketAddress> address = nodes.get().address(member);
        if (address.isEmpty() || isClosed) {
            return Optional.empty();
        }
        Open known = open.get(member);
        if (known != null && known.address().equals(address.get())) {
            return Optional.of(known.channel());
        }
        if (known != null) {
            known.channel().shutdownNow();
        }
        Open made;
        try {
            made = new Open(address.get(), make(member, address.get()));
        } catch (SetupException impossible) { // the port of this node has the same TLS
            LOG.error("no connection to the services of {}: {}", member.shortText(), impossible.getMessage());
            return Optional.empty();
        }
        open.put(member, made);
        return Optional.of(made.channel());
    }

    private ManagedChannel make(NodeId member, InetSocketAddress address) throws SetupException {
        return NettyChannelBuilder.forAddress(address)
                .sslContext(tls.client(member.peer()))
                .eventLoopGroup(loops)
                .channelType(NioSocketChannel.class)
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .directExecutor()
                .maxInboundMessageSize(MemberPort.MESSAGE_BYTES_MAX)
                .keepAliveTime(ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(ALIVE_SECONDS, TimeUnit.SECONDS)
                .idleTimeout(IDLE_SECONDS, TimeUnit.SECONDS)
                .disableRetry()
                .build();
    }

    /** Ends the connection to a member whose link is gone, and with it all calls to it. */
    synchronized void drop(NodeId member) {
        Open known = open.remove(member);
        if (known != null) {
            known.channel().shutdownNow();
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        open.values().forEach(each -> each.channel().shutdownNow());
        open.clear();
        var _ = loops.shutdownGracefully(0, IDLE_SECONDS, TimeUnit.SECONDS);
    }
}

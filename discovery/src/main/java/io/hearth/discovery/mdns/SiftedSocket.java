package io.hearth.discovery.mdns;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.MulticastSocket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.jmdns.impl.constants.DNSConstants;
import org.jspecify.annotations.Nullable;

/**
 * The socket that JmDNS's listener reads from: it receives from the real one, and returns only messages that {@link MdnsListener} wrote. It
 * is closed for everything else; JmDNS sends by the real one.
 *
 * <p>Any RuntimeException of a method that JmDNS's listener calls ends the listener silently. So the socket remembers its reader thread,
 * handles the reader's uncaught exception, and knows whether it ended.
 */
public final class SiftedSocket extends MulticastSocket {
    public static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final MdnsListener listener;
    private final MdnsTraffic traffic;
    private final Consumer<String> broken;
    private final DatagramPacket raw = new DatagramPacket(new byte[DNSConstants.MAX_MSG_ABSOLUTE], 0);
    private @Nullable MulticastSocket real; // used by the reader thread only
    private volatile @Nullable Thread reader; // written by that thread, read by the source's thread

    /** @param broken called on JmDNS's listener thread when a fault ends it */
    SiftedSocket(MdnsListener listener, MdnsTraffic traffic, Consumer<String> broken) throws IOException {
        this.listener = listener;
        this.traffic = traffic;
        this.broken = broken;
        super((SocketAddress) null);
        close(); // the socket that the constructor opened is not used
    }

    /** Whether the reader thread ended. */
    boolean isDeserted() {
        Thread current = reader;
        return current != null && !current.isAlive();
    }

    /** Sets where the next receive reads. */
    SiftedSocket of(@Nullable MulticastSocket socket) {
        real = socket;
        return this;
    }

    /** Waits for a datagram with a question for JmDNS. The message seems to come from the mDNS port, so that all answers are multicast. */
    @Override
    public void receive(DatagramPacket packet) throws IOException {
        watch(Thread.currentThread());
        MulticastSocket source = real;
        if (source == null) {
            throw new SocketException("the mDNS socket is closed");
        }
        while (true) {
            raw.setLength(raw.getData().length);
            long beganNanos = listener.nanoTime();
            source.receive(raw);
            if (listener.isOverrun(beganNanos)) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            Optional<byte[]> message = sifted();
            if (message.isPresent()) {
                byte[] bytes = message.get();
                System.arraycopy(bytes, 0, packet.getData(), 0, bytes.length);
                packet.setLength(bytes.length);
                packet.setAddress(raw.getAddress());
                packet.setPort(DNSConstants.MDNS_PORT);
                return;
            }
        }
    }

    /** Receives a datagram. A bug in its handling loses that datagram and does not end the listener. */
    private Optional<byte[]> sifted() {
        try {
            return listener.hear(raw.getData(), raw.getLength(), raw.getAddress());
        } catch (RuntimeException bug) {
            traffic.dropped.incrementAndGet();
            return Optional.empty();
        }
    }

    private void watch(Thread caller) {
        if (!caller.equals(reader)) {
            caller.setUncaughtExceptionHandler((_, fault) -> broken.accept("its listener failed: " + fault));
            reader = caller;
        }
    }
}

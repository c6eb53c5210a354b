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
 * The socket that JmDNS's listener reads from: it receives from the real one, and returns only what {@link MdnsListener} wrote. Everything
 * else about it is closed; JmDNS sends by the real one.
 *
 * <p>JmDNS's listener ends for good with any RuntimeException of what it calls, without a word to anybody. So the socket remembers its
 * reader, asks to be told of its fault, and answers whether it ended.
 */
public final class SiftedSocket extends MulticastSocket {
    public static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final MdnsListener listener;
    private final MdnsTraffic traffic;
    private final Consumer<String> broken;
    private final DatagramPacket raw = new DatagramPacket(new byte[DNSConstants.MAX_MSG_ABSOLUTE], 0);
    private @Nullable MulticastSocket real; // of the reader alone
    private volatile @Nullable Thread reader; // written by itself, read by whoever asks whether it lives

    /** @param broken called on JmDNS's listener thread when a fault ends it */
    SiftedSocket(MdnsListener listener, MdnsTraffic traffic, Consumer<String> broken) throws IOException {
        this.listener = listener;
        this.traffic = traffic;
        this.broken = broken;
        super((SocketAddress) null);
        close(); // what the constructor opened has no use
    }

    /** Whether the thread that read is no more. */
    boolean isDeserted() {
        Thread current = reader;
        return current != null && !current.isAlive();
    }

    /** Sets where the next receive reads. */
    SiftedSocket of(@Nullable MulticastSocket socket) {
        real = socket;
        return this;
    }

    /** Waits for a datagram of which something is for JmDNS; it seems to come from the mDNS port, so all answers are multicast. */
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

    /** A bug in the judging costs the datagram that shows it, and not the listener. */
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

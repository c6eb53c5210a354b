package io.hearth.bench;

import io.hearth.accel.Reducer;
import io.hearth.accel.select.Engines;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.discovery.HostPort;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.transport.DataStream;
import io.hearth.transport.DataTransport;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamId;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/**
 * Measures the constants of {@code LinkModel} on an encrypted stream between two processes.
 *
 * <p>For developers: {@code LinkBench serve ADDRESS:PORT} on one host, {@code LinkBench ADDRESS:PORT OWN_ADDRESS} on another one or on the
 * same. BENCHMARKS.md has the class path. The serving process ends with the measurement.
 */
public final class LinkBench {
    private static final int ECHO = RecordHeader.USER_MIN; // answered with a record of the same length
    private static final int TAKE = ECHO + 1; // read; answered with an empty record if its chunk is 1
    private static final int GIVE = ECHO + 2; // answered with records of its length; its offset is their number
    private static final int HOLD = ECHO + 3; // the receiver reads nothing for a while
    private static final int DONE = ECHO + 4;

    private static final int SEGMENT = 128 * 1024; // as in a collective
    private static final int SMALL = 4 * 1024;
    private static final int ROUNDS = 7;
    private static final Duration HELD = Duration.ofSeconds(2);
    private static final long BLOCKED_NANOS = 500_000_000L;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final StreamId ID = new StreamId("bench", "1", 0);

    private final DataStream stream;
    private final MemorySegment bytes;

    private LinkBench(DataStream stream, MemorySegment bytes) {
        this.stream = stream;
        this.bytes = bytes;
    }

    /**
     * Runs one of the two processes.
     *
     * @param arguments as described for the class
     */
    public static void main(String[] arguments) throws Exception {
        boolean serves = arguments.length == 2 && arguments[0].equals("serve");
        if (!serves && arguments.length != 2) {
            throw new IllegalArgumentException("LinkBench serve ADDRESS:PORT, or LinkBench ADDRESS:PORT OWN_ADDRESS");
        }
        HostPort to = HostPort.parse(arguments[serves ? 1 : 0]);
        var address = new InetSocketAddress(to.host(), to.port());
        var own = serves ? address : new InetSocketAddress(arguments[1], 0);
        LinkOptions options = LinkOptions.at(own.getAddress(), own.getPort()).transport(DataTransport.TCP);
        var observer = new StreamBench.Observer();
        try (NamespaceKeys keys = NetworkNamespace.open("bench").keys();
                var links = StreamBench.links(options, keys, observer);
                Arena arena = Arena.ofShared()) {
            if (!serves) {
                links.dial(address);
            }
            try (DataStream stream = links.streams().open(observer.next(), ID, TIMEOUT)) {
                var bench = new LinkBench(stream, arena.allocate(RecordHeader.RECORD_BYTES_MAX, 64));
                if (serves) {
                    bench.serve();
                } else {
                    bench.measure();
                }
            }
        }
    }

    private void measure() throws Exception {
        System.out.printf(Locale.ROOT, "%-30s %10.0f KiB%n", "taken unread by a fresh stream", unreadBytes() / 1024);
        print("alpha, there and back halved", "us", 1e-3 / 2, () -> echoNanos(0, 2_000));
        print("4 KiB, there and back halved", "us", 1e-3 / 2, () -> echoNanos(SMALL, 2_000));
        print("a message besides others", "us", 1e-3, () -> oneWayNanos(0, 10_000));
        print("beta, one way", "ns/B", 1.0 / SEGMENT, () -> oneWayNanos(SEGMENT, 512));
        print("beta, both ways at once", "ns/B", 1.0 / SEGMENT, () -> bothWaysNanos(SEGMENT, 512));
        print("gamma", "ns/B", 1.0 / (16 * 1024 * 1024), LinkBench::addNanos);
        print("taken unread later", "KiB", 1.0 / 1024, this::unreadBytes);
        send(DONE, 0, 0, 0);
    }

    /** Prints the median, the minimum and the maximum of some rounds, after two rounds to warm up. */
    private static void print(String what, String unit, double scale, Callable<Double> round) throws Exception {
        double[] seen = new double[ROUNDS];
        for (int i = -2; i < ROUNDS; i++) {
            double value = round.call() * scale;
            if (i >= 0) {
                seen[i] = value;
            }
        }
        Arrays.sort(seen);
        System.out.printf(
                Locale.ROOT,
                "%-30s %10.3f %s (%.3f to %.3f)%n",
                what,
                seen[ROUNDS / 2],
                unit,
                seen[0],
                seen[ROUNDS - 1]);
    }

    private void send(int kind, int chunk, long offset, int length) throws IOException {
        stream.send(kind, chunk, 0, offset, MemorySegment.NULL, bytes, 0, length);
    }

    private double echoNanos(int length, int times) throws IOException {
        long since = System.nanoTime();
        for (int i = 0; i < times; i++) {
            send(ECHO, 0, 0, length);
            stream.receive();
        }
        return (double) (System.nanoTime() - since) / times;
    }

    private double oneWayNanos(int length, int times) throws IOException {
        long since = System.nanoTime();
        sendAll(length, times);
        stream.receive();
        return (double) (System.nanoTime() - since) / times;
    }

    private void sendAll(int length, int times) throws IOException {
        for (int i = 1; i <= times; i++) {
            send(TAKE, i == times ? 1 : 0, 0, length);
        }
    }

    private double bothWaysNanos(int length, int times) throws Exception {
        long since = System.nanoTime();
        send(GIVE, 0, times, length);
        var sender = new FutureTask<>(() -> {
            sendAll(length, times);
            return true;
        });
        Thread.ofPlatform().start(sender);
        for (int i = 0; i <= times; i++) { // its records, and its answer to the last record that it took
            stream.receive();
        }
        sender.get();
        return (double) (System.nanoTime() - since) / times;
    }

    /** Nanoseconds of an addition with the engine of the collectives, from an array as the cipher produces it. */
    private static double addNanos() {
        Reducer reducer = Engines.best().newReducer();
        MemorySegment right = MemorySegment.ofArray(new byte[SEGMENT]);
        int whole = 16 * 1024 * 1024;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sum = arena.allocate(whole, 64);
            sum.fill((byte) 1);
            long since = System.nanoTime();
            for (long at = 0; at < whole; at += SEGMENT) {
                reducer.combine(DataType.FLOAT32, ReduceOp.SUM, sum, at, sum, at, right, 0, SEGMENT / Float.BYTES);
            }
            return System.nanoTime() - since;
        }
    }

    private double unreadBytes() throws IOException {
        send(HOLD, 0, 0, 0);
        long before = stream.bytesSent();
        while (true) {
            long since = System.nanoTime();
            send(TAKE, 0, 0, SMALL);
            if (System.nanoTime() - since > BLOCKED_NANOS) {
                double taken = stream.bytesSent() - before - (double) SMALL;
                send(TAKE, 1, 0, 0);
                stream.receive();
                return taken;
            }
        }
    }

    private void serve() throws IOException, InterruptedException {
        while (true) {
            ReceivedRecord record = stream.receive();
            int length = record.length();
            boolean isLast = record.chunk() == 1;
            switch (record.kind()) {
                case ECHO -> send(ECHO, 0, 0, length);
                case TAKE -> {
                    record.copyTo(bytes, 0);
                    if (isLast) {
                        send(TAKE, 0, 0, 0);
                    }
                }
                case GIVE -> give(record.offset(), length);
                case HOLD -> Thread.sleep(HELD); // the measurement needs a receiver that reads nothing for this time
                default -> {
                    return;
                }
            }
        }
    }

    private void give(long times, int length) throws IOException, InterruptedException {
        var sender = new FutureTask<>(() -> {
            for (long i = 0; i < times; i++) {
                send(TAKE, 0, 0, length);
            }
            return true;
        });
        Thread thread = Thread.ofPlatform().start(sender);
        boolean isLast = false;
        while (!isLast) {
            ReceivedRecord record = stream.receive();
            record.copyTo(bytes, 0);
            isLast = record.chunk() == 1;
        }
        thread.join();
        send(TAKE, 0, 0, 0);
    }
}

package io.hearth.collective.engine;

import io.hearth.collective.exchange.Wire;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamId;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Data streams between the nodes of one process: bounded queues, which end when a node is killed. */
public final class MemoryFabric {
    private static final long QUEUE_BYTES_MAX = 80 * 1024; // as a socket takes before its peer reads

    private long milestone = Long.MAX_VALUE;
    private Runnable onMilestone = () -> {};
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, Pipe> waiting = new HashMap<>();
    private final List<Pipe> pipes = new ArrayList<>();
    private final Set<NodeId> dead = new HashSet<>();
    private final Map<NodeId, Long> recordsLeft = new HashMap<>();
    private final Map<NodeId, Runnable> lastWords = new HashMap<>();
    private @Nullable Tamper tamper;
    private long records;
    private long bytes;
    private volatile boolean tellsRoom;
    private volatile Looks looks = Looks.NONE;
    private int lateBytesMin = Integer.MAX_VALUE; // guarded by the lock

    /** The records that {@link DataStream#comesSoon} finds. */
    enum Looks {
        /** None, as in a stream without shared memory. */
        NONE,
        /** Only a record that has arrived. */
        PRESENT,
        /** Also a record that arrives later: it waits for the record or the end of the stream. */
        COMING
    }

    /** Changes a record on its way; null loses the record. */
    public interface Tamper {
        @Nullable
        RecordHeader header(NodeId from, RecordHeader header);
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Letter(RecordHeader header, byte[] bytes) {}

    /** Both directions of one stream; index 0 is the direction from the smaller node. */
    private static final class Pipe {
        private final List<Deque<Letter>> queues = List.of(new ArrayDeque<>(), new ArrayDeque<>());
        private final List<NodeId> ends;
        private final int[] blocked = new int[2]; // senders, by side
        private boolean complete;
        private boolean closed;

        Pipe(NodeId first, NodeId second) {
            ends = List.of(first, second);
        }
    }

    public StreamSource of(NodeId self) {
        return (peer, id, timeout) -> open(self, peer, id, timeout);
    }

    public long records() {
        lock.lock();
        try {
            return records;
        } finally {
            lock.unlock();
        }
    }

    /** Plaintext bytes sent so far by all nodes. */
    public long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Sets whether streams report how many unread bytes they take; then one thread plays a ring. */
    void tellsRoom(boolean tells) {
        tellsRoom = tells;
    }

    /** Sets which records a look finds. */
    void looks(Looks see) {
        looks = see;
    }

    /**
     * Makes streams like slow links with small buffers. A stream takes one record before it is read. A first record of {@code
     * firstBytesMin} bytes or more arrives only when its sender is blocked.
     */
    void slow(int firstBytesMin) {
        lock.lock();
        try {
            lateBytesMin = firstBytesMin;
        } finally {
            lock.unlock();
        }
    }

    public void tamper(Tamper with) {
        lock.lock();
        try {
            tamper = with;
        } finally {
            lock.unlock();
        }
    }

    /** Kills the node when it tries to send one record more than {@code records}. */
    public void killAfter(NodeId node, long records, Runnable then) {
        lock.lock();
        try {
            recordsLeft.put(node, records);
            lastWords.put(node, then);
        } finally {
            lock.unlock();
        }
    }

    public void kill(NodeId node) {
        lock.lock();
        try {
            dead.add(node);
            pipes.stream().filter(pipe -> pipe.ends.contains(node)).forEach(pipe -> pipe.closed = true);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether a stream between two nodes was ever opened. */
    public boolean connected(NodeId one, NodeId other) {
        lock.lock();
        try {
            return pipes.stream()
                    .anyMatch(pipe -> pipe.complete && pipe.ends.contains(one) && pipe.ends.contains(other));
        } finally {
            lock.unlock();
        }
    }

    /** Runs {@code then} when {@code sent} records were sent in all; it must not block. */
    public void after(long sent, Runnable then) {
        lock.lock();
        try {
            milestone = sent;
            onMilestone = then;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the streams between two nodes that both live. */
    public void cut(NodeId one, NodeId other) {
        lock.lock();
        try {
            pipes.stream()
                    .filter(pipe -> pipe.ends.contains(one) && pipe.ends.contains(other))
                    .forEach(pipe -> pipe.closed = true);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private DataStream open(NodeId self, NodeId peer, StreamId id, Duration timeout)
            throws IOException, InterruptedException {
        requirePlatformThread();
        var ends = new ArrayList<>(new TreeSet<>(List.of(self, peer)));
        String key = ends + " " + id;
        lock.lockInterruptibly();
        try {
            if (dead.contains(self) || dead.contains(peer)) {
                throw new IOException("no link to " + peer.shortText());
            }
            Pipe pipe = waiting.remove(key);
            if (pipe != null) {
                pipe.complete = true;
                changed.signalAll();
                return new End(pipe, id, ends.indexOf(self));
            }
            pipe = new Pipe(ends.get(0), ends.get(1));
            pipes.add(pipe);
            waiting.put(key, pipe);
            long left = timeout.toNanos();
            try {
                while (!pipe.complete && !pipe.closed && left > 0) {
                    left = changed.awaitNanos(left);
                }
            } finally {
                if (!pipe.complete) {
                    waiting.remove(key, pipe);
                    pipes.remove(pipe);
                }
            }
            if (!pipe.complete) {
                throw new IOException(peer.shortText() + " did not ask");
            }
            return new End(pipe, id, ends.indexOf(self));
        } finally {
            lock.unlock();
        }
    }

    /** Fails on virtual threads: a JDK socket that a virtual thread has used stays slow. */
    private static void requirePlatformThread() {
        if (Thread.currentThread().isVirtual()) {
            throw new AssertionError("a virtual thread uses a stream");
        }
    }

    private final class End implements DataStream {
        private final Pipe pipe;
        private final StreamId id;
        private final int side;
        private final ReceivedRecord received = new ReceivedRecord();
        private long sent;

        End(Pipe pipe, StreamId id, int side) {
            this.pipe = pipe;
            this.id = id;
            this.side = side;
        }

        @Override
        public NodeId peer() {
            return pipe.ends.get(1 - side);
        }

        @Override
        public StreamId id() {
            return id;
        }

        @Override
        public void send(
                int kind,
                int chunk,
                long collective,
                long offset,
                MemorySegment prefix,
                MemorySegment values,
                long from,
                int length)
                throws IOException {
            int before = (int) prefix.byteSize();
            var header = new RecordHeader(before + length, kind, chunk, collective, offset);
            byte[] plaintext = new byte[before + length];
            MemorySegment.copy(prefix, ValueLayout.JAVA_BYTE, 0, plaintext, 0, before);
            MemorySegment.copy(values, ValueLayout.JAVA_BYTE, from, plaintext, before, length);
            NodeId self = pipe.ends.get(side);
            lock.lock();
            try {
                endIfInterrupted();
                spend(self);
                Deque<Letter> queue = pipe.queues.get(side);
                long most = lateBytesMin == Integer.MAX_VALUE ? QUEUE_BYTES_MAX : 0;
                while (queued(queue) > most && !pipe.closed) {
                    pipe.blocked[side]++;
                    changed.signalAll();
                    changed.awaitUninterruptibly();
                    pipe.blocked[side]--;
                }
                check();
                if (records == milestone) {
                    milestone = Long.MAX_VALUE;
                    onMilestone.run();
                }
                records++;
                bytes += header.length();
                sent += RecordHeader.BYTES + header.length() + 16;
                RecordHeader onTheWay = tamper == null ? header : tamper.header(self, header);
                if (onTheWay == null) {
                    return;
                }
                queue.add(new Letter(onTheWay, Arrays.copyOf(plaintext, onTheWay.length())));
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public int recordsUnread(int length) {
            return tellsRoom ? (int) (QUEUE_BYTES_MAX / (length + 40)) : 0;
        }

        private static long queued(Deque<Letter> queue) {
            return queue.stream()
                    .mapToLong(letter -> letter.bytes().length + 40L)
                    .sum();
        }

        private void spend(NodeId self) {
            Long left = recordsLeft.get(self);
            if (left != null && left == 0) {
                recordsLeft.remove(self);
                kill(self);
                lastWords.getOrDefault(self, () -> {}).run();
            } else if (left != null) {
                recordsLeft.put(self, left - 1);
            }
        }

        /** A stream in shared memory has a socket for wake-ups, which an interrupt closes when it is used; here it always is. */
        private void endIfInterrupted() throws ClosedByInterruptException {
            if (isInMemory() && Thread.currentThread().isInterrupted()) {
                pipe.closed = true;
                changed.signalAll();
                throw new ClosedByInterruptException();
            }
        }

        @Override
        public ReceivedRecord receive() throws IOException {
            requirePlatformThread();
            lock.lock();
            try {
                endIfInterrupted();
                Deque<Letter> queue = pipe.queues.get(1 - side);
                while ((queue.isEmpty() || isLate(queue.element().header())) && !pipe.closed) {
                    changed.awaitUninterruptibly();
                }
                check();
                Letter letter = queue.remove();
                changed.signalAll();
                RecordHeader header = letter.header();
                return received.show(
                        header.kind(),
                        header.chunk(),
                        header.collective(),
                        header.offset(),
                        letter.bytes(),
                        0,
                        header.length());
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean isInMemory() {
            return looks != Looks.NONE;
        }

        @Override
        public boolean comesSoon() {
            lock.lock();
            try {
                Deque<Letter> queue = pipe.queues.get(1 - side);
                while (looks == Looks.COMING && queue.isEmpty() && !pipe.closed) {
                    changed.awaitUninterruptibly();
                }
                return looks != Looks.NONE && (!queue.isEmpty() || pipe.closed);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean hasRoom(int length) {
            lock.lock();
            try {
                return looks != Looks.NONE && (pipe.closed || queued(pipe.queues.get(side)) <= QUEUE_BYTES_MAX);
            } finally {
                lock.unlock();
            }
        }

        private boolean isLate(RecordHeader header) {
            return header.kind() == Wire.CALL && header.length() >= lateBytesMin && pipe.blocked[1 - side] == 0;
        }

        private void check() throws IOException {
            if (pipe.closed) {
                throw new IOException("stream closed");
            }
        }

        @Override
        public long bytesSent() {
            lock.lock();
            try {
                return sent;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                pipe.closed = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}

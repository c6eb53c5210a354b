package io.hearth.discovery.names;

import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.SocketAddresses;
import io.hearth.discovery.dns.DnsAnswer;
import io.hearth.discovery.dns.DnsQuestion;
import io.hearth.discovery.dns.DnsReader;
import io.hearth.discovery.dns.DnsWriter;
import io.hearth.discovery.names.machine.ResolverSettings;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Asks the DNS servers of this machine, one after the other, by UDP, and by TCP if the answer is truncated (RFC 1035, RFC 7766). Each
 * server has a fixed time for each of the two ways. A packet that answers another question, or none, does not count as an answer.
 *
 * <p>The channels are interruptible, so closing ends a wait.
 */
final class DnsClient {
    private static final int IDS = 65_536;
    private static final int DATAGRAM_BYTES_MAX = 4_096; // without EDNS an answer by UDP has at most 512
    private static final int LENGTH_BYTES = 2;

    private final Supplier<ResolverSettings> settings;
    private final long timeoutNanos;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();

    /**
     * A client that holds no resources between questions.
     *
     * @param settings names the servers; asked again for each question
     * @param timeoutNanos for each server, by UDP and again by TCP
     */
    DnsClient(Supplier<ResolverSettings> settings, long timeoutNanos, Clock clock) {
        this.settings = settings;
        this.timeoutNanos = timeoutNanos;
        this.clock = clock;
    }

    /** The outcome of a question. */
    sealed interface Reply {
        /** A server answered, with code {@link DnsAnswer#OK} or {@link DnsAnswer#NO_SUCH_NAME}. */
        record Answered(DnsAnswer answer) implements Reply {}

        /** No server gave a usable answer. */
        record None(String why) implements Reply {}
    }

    /** Asks one server after the other until one answers. */
    Reply ask(DnsQuestion question) {
        String why = "";
        for (PeerAddress server : settings.get().servers()) {
            Reply reply = ask(server, question);
            if (reply instanceof Reply.Answered) {
                return reply;
            }
            if (reply instanceof Reply.None(String now)) {
                why = why.isEmpty() ? now : why + ", " + now;
            }
            if (Thread.currentThread().isInterrupted()) {
                return new Reply.None("interrupted");
            }
        }
        return new Reply.None(why);
    }

    private Reply ask(PeerAddress server, DnsQuestion question) {
        int id = random.nextInt(IDS);
        try {
            InetSocketAddress address = SocketAddresses.of(server);
            DnsAnswer answer = overUdp(address, id, question);
            if (answer.isTruncated()) {
                answer = wholeOrPart(address, id, question, answer);
            }
            return switch (answer.code()) {
                case DnsAnswer.OK, DnsAnswer.NO_SUCH_NAME -> new Reply.Answered(answer);
                case 2 -> new Reply.None("SERVFAIL from " + server.host());
                case 5 -> new Reply.None("REFUSED by " + server.host());
                default -> new Reply.None("error " + answer.code() + " from " + server.host());
            };
        } catch (PortUnreachableException closed) {
            return new Reply.None("no DNS server at " + server);
        } catch (NoAnswerException none) {
            return new Reply.None(none.getMessage() + " from " + server.host() + " within "
                    + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms");
        } catch (IOException broken) {
            return new Reply.None(server.host() + " cannot be asked: " + broken.getMessage());
        } catch (IllegalArgumentException unknownScope) {
            return new Reply.None(server.host() + " cannot be asked: its interface is not there");
        }
    }

    /** The whole answer by TCP; the truncated one if that fails but has records, because each address is only a hint. */
    private DnsAnswer wholeOrPart(InetSocketAddress server, int id, DnsQuestion question, DnsAnswer part)
            throws IOException {
        try {
            return overTcp(server, id, question);
        } catch (IOException broken) {
            if (part.records().isEmpty()) {
                throw broken;
            }
            return part;
        }
    }

    private DnsAnswer overUdp(InetSocketAddress server, int id, DnsQuestion question) throws IOException {
        byte[] query = DnsWriter.query(id, question);
        long deadlineNanos = clock.nanoTime() + timeoutNanos;
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.connect(server); // so that no other sender is heard, and a closed port is an error
            DatagramSocket socket = channel.socket();
            socket.send(new DatagramPacket(query, query.length));
            var packet = new DatagramPacket(new byte[DATAGRAM_BYTES_MAX], DATAGRAM_BYTES_MAX);
            String heard = "no answer";
            while (true) {
                long millis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - clock.nanoTime());
                if (millis <= 0) {
                    throw new NoAnswerException(heard);
                }
                socket.setSoTimeout(Math.toIntExact(millis));
                try {
                    socket.receive(packet);
                } catch (SocketTimeoutException silent) {
                    throw new NoAnswerException(heard, silent);
                }
                try {
                    Optional<DnsAnswer> answer = answer(packet.getData(), packet.getLength(), id, question);
                    if (answer.isPresent()) {
                        return answer.get();
                    }
                    heard = "only answers to other questions";
                } catch (MalformedMessageException malformed) {
                    heard = "only malformed answers (" + malformed.getMessage() + ")";
                }
                packet.setLength(DATAGRAM_BYTES_MAX);
            }
        }
    }

    private DnsAnswer overTcp(InetSocketAddress server, int id, DnsQuestion question) throws IOException {
        byte[] query = DnsWriter.query(id, question);
        byte[] framed = new byte[LENGTH_BYTES + query.length];
        framed[0] = (byte) (query.length >>> 8);
        framed[1] = (byte) query.length;
        System.arraycopy(query, 0, framed, LENGTH_BYTES, query.length);
        long deadlineNanos = clock.nanoTime() + timeoutNanos;
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = channel.socket();
            socket.connect(server, Math.toIntExact(TimeUnit.NANOSECONDS.toMillis(timeoutNanos)));
            socket.getOutputStream().write(framed);
            byte[] head = read(socket, LENGTH_BYTES, deadlineNanos);
            int length = ((head[0] & 0xFF) << 8) | (head[1] & 0xFF);
            return answer(read(socket, length, deadlineNanos), length, id, question)
                    .orElseThrow(() -> new NoAnswerException("only an answer to another question by TCP"));
        } catch (MalformedMessageException malformed) {
            throw new NoAnswerException("only a malformed answer by TCP (" + malformed.getMessage() + ")", malformed);
        } catch (SocketTimeoutException silent) {
            throw new NoAnswerException("no answer by TCP", silent);
        }
    }

    /** Reads within the time that is left, also if the bytes come one by one. */
    private byte[] read(Socket socket, int length, long deadlineNanos) throws IOException {
        byte[] bytes = new byte[length];
        InputStream in = socket.getInputStream();
        int at = 0;
        while (at < length) {
            long millis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - clock.nanoTime());
            if (millis <= 0) {
                throw new SocketTimeoutException("the deadline is over");
            }
            socket.setSoTimeout(Math.toIntExact(millis));
            int read = in.read(bytes, at, length - at);
            if (read < 0) {
                throw new EOFException("the server closed the connection");
            }
            at += read;
        }
        return bytes;
    }

    /** The answer in a packet; empty if it answers another question. */
    private static Optional<DnsAnswer> answer(byte[] packet, int length, int id, DnsQuestion question)
            throws MalformedMessageException {
        DnsAnswer answer = DnsReader.answer(packet, length);
        return answer.id() == id && answer.question().equals(question) ? Optional.of(answer) : Optional.empty();
    }

    /** No usable answer came in time. */
    private static final class NoAnswerException extends IOException {
        private static final long serialVersionUID = 1;

        NoAnswerException(String what) {
            super(what);
        }

        NoAnswerException(String what, Exception cause) {
            super(what, cause);
        }
    }
}

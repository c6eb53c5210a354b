package io.hearth.discovery.mdns;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.Candidate;
import io.hearth.discovery.Nonces;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.SocketAddresses;
import io.hearth.discovery.SourceKind;
import io.hearth.discovery.dns.DnsMessage;
import io.hearth.discovery.dns.DnsReader;
import io.hearth.discovery.dns.DnsWriter;
import io.hearth.discovery.mdns.machine.MdnsGate;
import io.hearth.discovery.mdns.machine.MdnsIdentity;
import io.hearth.discovery.mdns.machine.MdnsJudge;
import io.hearth.discovery.mdns.machine.TagEncoding;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;

/**
 * Handles the datagrams that one mDNS instance receives: the gate admits them, the reader parses them, the judge picks the relevant parts.
 * The listener reports members. JmDNS gets only the questions that this node can answer, in a message that the listener writes. So no byte
 * of a stranger reaches JmDNS's parser. Its record cache, which would keep every record that is sent, stays empty.
 */
final class MdnsListener {
    private static final long WAIT_NANOS =
            TimeUnit.MICROSECONDS.toNanos(50); // a datagram that has arrived takes some 5 us

    private final MdnsBinding binding;
    private final Bytes nonce;
    private final MdnsTraffic traffic;
    private final Consumer<Sighting> sink;
    private final Clock clock;
    private final ReentrantLock lock =
            new ReentrantLock(); // JmDNS's listener thread reads datagrams, the source's thread reports members again
    private final MdnsGate gate;
    private final MdnsJudge judge;

    /**
     * @param identity the identity that this node announces on the same interface
     * @param ownNonce whether a nonce is one of this node's, on any interface
     */
    MdnsListener(
            MdnsBinding binding,
            TagEncoding tags,
            MdnsIdentity identity,
            Predicate<Bytes> ownNonce,
            MdnsTraffic traffic,
            Consumer<Sighting> sink,
            Clock clock) {
        this.binding = binding;
        this.nonce = identity.advert().nonce();
        this.traffic = traffic;
        this.sink = sink;
        this.clock = clock;
        this.gate = new MdnsGate(binding.state().loopback(), clock.nanoTime());
        this.judge = new MdnsJudge(identity, tags, ownNonce, binding.state()::isOnLink, clock.nanoTime());
    }

    /**
     * Handles a datagram.
     *
     * @param packet borrowed
     * @return a message for JmDNS, if the datagram asks something that this node can answer
     */
    Optional<byte[]> hear(byte[] packet, int length, InetAddress from) {
        Bytes source = Bytes.of(from.getAddress());
        DnsMessage message;
        MdnsJudge.Verdict verdict;
        lock.lock();
        try {
            long nowNanos = clock.nanoTime();
            if (!binding.state().isOnLink(source) || !gate.admits(source, nowNanos)) {
                traffic.dropped.incrementAndGet();
                return Optional.empty();
            }
            message = DnsReader.read(packet, length);
            verdict = judge.judge(message, source, nowNanos);
        } catch (MalformedMessageException malformed) {
            traffic.dropped.incrementAndGet();
            return Optional.empty();
        } finally {
            lock.unlock();
        }
        traffic.recordsHeard.addAndGet(message.recordsSeen());
        traffic.members.addAndGet(verdict.members());
        traffic.foreign.addAndGet(verdict.strangers());
        verdict.heard().forEach(this::report);
        return verdict.questions().isEmpty() ? Optional.empty() : Optional.of(DnsWriter.query(verdict.questions()));
    }

    /** Time of the clock that the limits use. */
    long nanoTime() {
        return clock.nanoTime();
    }

    /**
     * Counts a datagram. Returns true if there are too many, so that the reader must pause.
     *
     * @param beganNanos when the reader began to wait for it
     */
    boolean isOverrun(long beganNanos) {
        lock.lock();
        try {
            long nowNanos = clock.nanoTime();
            return gate.isOverrun(nowNanos - beganNanos > WAIT_NANOS, nowNanos);
        } finally {
            lock.unlock();
        }
    }

    /** Reports the members whose report was delayed because too many came at once. */
    void reportDelayed() {
        locked(judge::due).forEach(this::report);
    }

    /** Reports all known members again, for a receiver that had no room the first time. */
    void reportAll() {
        locked(judge::known).forEach(this::report);
    }

    private List<MdnsJudge.Heard> locked(LongFunction<List<MdnsJudge.Heard>> question) {
        lock.lock();
        try {
            return question.apply(clock.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    private void report(MdnsJudge.Heard heard) {
        InterfaceState state = binding.state();
        var candidates = new ArrayList<Candidate>();
        for (Bytes address : heard.addresses()) {
            SocketAddresses.heard(address(address), heard.port(), state.name(), state.loopback())
                    .ifPresent(peer -> candidates.add(new Candidate(peer, binding.medium())));
        }
        if (!candidates.isEmpty()) {
            sink.accept(new Sighting(
                    "mdns:" + heard.nonce().hex(),
                    candidates,
                    SourceKind.MDNS,
                    OptionalInt.of(heard.generation()),
                    Optional.of(new Nonces(nonce, heard.nonce()))));
        }
    }

    private static InetAddress address(Bytes address) {
        try {
            return InetAddress.getByAddress(address.toArray());
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible); // it has 4 or 16 bytes
        }
    }
}

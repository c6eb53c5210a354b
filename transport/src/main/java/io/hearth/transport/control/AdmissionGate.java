package io.hearth.transport.control;

import io.hearth.transport.GateLimits;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which connections may start a handshake, before a byte is read. A handshake costs milliseconds of processor time, and any
 * computer on the network can request one.
 *
 * <p>Connections count from {@link #enter} to {@link #leave}. Addresses that were remembered (members seen before) may use all places and
 * all of the rate, unknown ones half of each, so that a flood of strangers cannot keep a member out. An unknown IPv6 address counts by its
 * /64, because one machine may own all of its addresses; a remembered address counts by itself.
 *
 * <p>No clock and no threads: one thread calls it and passes the time.
 */
public final class AdmissionGate {
    /** A place that a connection holds; it must be given back once. */
    public record Entry(Source source, boolean remembered) {}

    /** One origin of connections: an IPv4 address, an IPv6 /64, or the exact address of a remembered machine. */
    record Source(InetAddress network) {}

    private final GateLimits limits;
    private final Map<Source, Integer> open = new HashMap<>(); // at most openMax entries
    private final LinkedHashMap<InetAddress, Boolean> remembered = new LinkedHashMap<>(16, 0.75f, true);
    private final TokenBucket all;
    private final TokenBucket strangers;
    private int openAll;
    private int openStrangers;

    public AdmissionGate(GateLimits limits, long nowNanos) {
        this.limits = limits;
        all = new TokenBucket(limits.perSecond(), limits.burst(), nowNanos);
        strangers = new TokenBucket(limits.perSecond() / 2, limits.burst() / 2, nowNanos);
    }

    /** A member was seen at that address. */
    public void remember(InetAddress address) {
        remembered.put(address, true);
        if (remembered.size() > limits.rememberedMax()) {
            remembered.remove(remembered.firstEntry().getKey());
        }
    }

    /** A place for a connection from {@code address}; empty if the connection must be closed unread. */
    public Optional<Entry> enter(InetAddress address, long nowNanos) {
        boolean known = remembered.get(address) != null;
        var source = new Source(known ? address : network(address));
        int perSourceMax = address.isLoopbackAddress() ? limits.perLoopbackMax() : limits.perAddressMax();
        if (openAll >= limits.openMax()
                || (!known && openStrangers >= limits.openMax() / 2)
                || open.getOrDefault(source, 0) >= perSourceMax
                || !all.has(nowNanos)
                || (!known && !strangers.has(nowNanos))) {
            return Optional.empty();
        }
        all.take();
        openAll++;
        if (!known) {
            strangers.take();
            openStrangers++;
        }
        open.merge(source, 1, Integer::sum);
        return Optional.of(new Entry(source, known));
    }

    /** Gives a place back: its connection was admitted or is gone. */
    public void leave(Entry place) {
        openAll--;
        if (!place.remembered()) {
            openStrangers--;
        }
        open.computeIfPresent(place.source(), (_, count) -> count == 1 ? null : count - 1);
    }

    /** Connections in their handshake. */
    int open() {
        return openAll;
    }

    private static InetAddress network(InetAddress address) {
        if (!(address instanceof Inet6Address) || address.isLoopbackAddress()) {
            return address;
        }
        byte[] bytes = address.getAddress();
        Arrays.fill(bytes, 8, 16, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException impossible) {
            throw new AssertionError("16 bytes are an IPv6 address", impossible);
        }
    }
}

package io.hearth.collective.ring;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkLimits;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkRejection;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The holder of each rank of a ring that was set up by hand: the first node that proves the secret and claims the rank, for the
 * whole run. A node claims a rank through its slot, which the handshake proves together with the identity.
 *
 * <p>The dialling node admits last. So the accepting node does not know yet whether there is a link, because the dial may have
 * timed out. The accepting node counts the other one when it receives {@link #HERE}. If the link ends before that, the handshake
 * failed, and no member was lost. A rank is dialled again only when the earlier dial can no longer succeed, because a second link
 * that fails would replace the first one.
 */
final class RingRoster implements LinkObserver {
    /** Kind of the dialling node's first message, which is empty: the link now counts at both ends. */
    static final int HERE = 48;

    private static final String SLOT = "rank-";
    private static final long DIAL_NANOS_MAX =
            LinkLimits.DEFAULT.connect().plus(LinkLimits.DEFAULT.handshake()).toNanos();

    private final DistributedConfig config;
    private final Consumer<NodeId> greet;
    private final BiConsumer<NodeId, String> onLost;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final NavigableMap<Integer, Endpoint> ranks = new TreeMap<>();
    /** Links that others dialled and on which no message has arrived; bounded by the number of links. */
    private final Map<NodeId, LinkInfo> unheard = new HashMap<>();
    /** Time of the last dial of each rank without an outcome yet. */
    private final NavigableMap<Integer, Long> dialledNanos = new TreeMap<>();
    /** Last problem with each address of a missing rank. */
    private final NavigableMap<String, String> problems = new TreeMap<>();

    /**
     * Creates a roster that knows only its own node.
     *
     * @param greet sends {@link #HERE} to a node, on the links' thread
     * @param onLost gets a member whose link ended, and the reason, on the links' thread
     */
    RingRoster(DistributedConfig config, Endpoint self, Consumer<NodeId> greet, BiConsumer<NodeId, String> onLost) {
        this.config = config;
        this.greet = greet;
        this.onLost = onLost;
        ranks.put(config.rank(), self);
    }

    /** The slot of a node that holds a rank. */
    static String slot(int rank) {
        return SLOT + rank;
    }

    /** Waits until all nodes are connected, or until the time is up. Returns the connected nodes by rank. */
    List<Endpoint> await(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (ranks.size() < config.nodes().size() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return List.copyOf(ranks.values());
        } finally {
            lock.unlock();
        }
    }

    /** Ranks that this rank must dial now; they are recorded as dialled. */
    List<Integer> dial(long nowNanos) {
        lock.lock();
        try {
            dialledNanos.values().removeIf(since -> nowNanos - since >= DIAL_NANOS_MAX);
            List<Integer> due = missing().stream()
                    .filter(rank -> rank > config.rank() && !dialledNanos.containsKey(rank))
                    .toList();
            due.forEach(rank -> dialledNanos.put(rank, nowNanos));
            return due;
        } finally {
            lock.unlock();
        }
    }

    /** Ranks that no node holds yet; the caller holds the lock. */
    private List<Integer> missing() {
        return IntStream.range(0, config.nodes().size())
                .filter(rank -> !ranks.containsKey(rank))
                .boxed()
                .toList();
    }

    /** One line with the missing ranks and the last problem of each. */
    String describeMissing() {
        lock.lock();
        try {
            var lines = new ArrayList<String>();
            for (int rank : missing()) {
                InetSocketAddress address = config.nodes().get(rank);
                lines.add("rank " + rank + " at " + address.getHostString() + ":" + address.getPort() + ": "
                        + problems.getOrDefault(key(address), "no contact"));
            }
            return String.join("; ", lines);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void admitted(LinkInfo link) {
        boolean isMember = false;
        lock.lock();
        try {
            if (link.dialedByUs()) {
                isMember = take(link);
            } else {
                unheard.put(link.peer().id(), link);
            }
        } finally {
            lock.unlock();
        }
        if (isMember) {
            greet.accept(link.peer().id());
        }
    }

    /** Gives a node the rank that it claims, if no other node holds it; the caller holds the lock. */
    private boolean take(LinkInfo link) {
        NodeId node = link.peer().id();
        Optional<Integer> rank = rankOf(node);
        Endpoint holder = rank.map(ranks::get).orElse(null);
        if (rank.isEmpty() || (holder != null && !holder.equals(link.peer()))) {
            problems.put(key(link.address()), node.shortText() + " claims a rank of another node, or none");
            return false; // it is linked, but this rank never opens a stream to it
        }
        ranks.put(rank.get(), link.peer());
        dialledNanos.remove(rank.get());
        changed.signalAll();
        return true;
    }

    private Optional<Integer> rankOf(NodeId node) {
        return IntStream.range(0, config.nodes().size())
                .boxed()
                .filter(rank -> node.slot().equals(slot(rank)))
                .findFirst();
    }

    @Override
    public void received(NodeId from, long incarnation, int kind, byte[] message) {
        lock.lock();
        try {
            LinkInfo link = kind == HERE ? unheard.remove(from) : null;
            if (link != null) {
                take(link);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void lost(NodeId peer, String reason) {
        boolean isMember;
        lock.lock();
        try {
            unheard.remove(peer);
            isMember = ranks.values().stream().anyMatch(member -> member.id().equals(peer));
            if (isMember && ranks.size() < config.nodes().size()) {
                ranks.values()
                        .removeIf(member -> member.id().equals(peer)); // it may return while this rank waits for others
                return;
            }
        } finally {
            lock.unlock();
        }
        if (isMember) {
            onLost.accept(peer, reason);
        }
    }

    @Override
    public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {
        problem(address, text);
    }

    @Override
    public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {
        problem(address, text);
    }

    private void problem(InetSocketAddress address, String text) {
        lock.lock();
        try {
            for (int rank = 0; rank < config.nodes().size(); rank++) {
                if (key(config.nodes().get(rank)).equals(key(address))) {
                    problems.put(key(address), text);
                    dialledNanos.remove(rank);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private static String key(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }
}

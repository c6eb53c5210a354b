package io.hearth.collective.pair;

import io.hearth.collective.exchange.DeadlineWatch;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.MeshFollower;
import io.hearth.collective.pair.machine.TransferSpec;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveExceptions;
import io.hearth.core.HearthException;
import io.hearth.core.PeerLostException;
import io.hearth.election.Member;
import io.hearth.identity.NodeId;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives between two ranks, beside the collectives of the group.
 *
 * <p>Each ordered pair in use has a channel, for as long as both ends stay members. A member that returns counts as a new one, and
 * both ends number its transfers from 1 again.
 */
public final class PointToPoint implements MeshFollower, AutoCloseable {
    private static final Duration END_MAX = Duration.ofSeconds(10);

    private final PeerChannel.Means means;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below, up to closed
    private final Map<NodeId, PairSender> senders = new HashMap<>();
    private final Map<NodeId, PairReceiver> receivers = new HashMap<>();
    private final List<PeerChannel> former = new ArrayList<>();
    private Map<NodeId, String> members = Map.of();
    private @Nullable Mesh mesh;
    private @Nullable HearthException over;
    private boolean closed;
    private final ReentrantLock arming = new ReentrantLock(); // guards the two fields below
    private @Nullable DeadlineWatch watch;
    private boolean watchClosed;

    public PointToPoint(PeerChannel.Means means) {
        this.means = means;
        this.clock = means.clock();
    }

    /** Sends, and returns when {@code to} has the bytes. */
    public void send(NodeId to, MemorySegment values, TransferSpec spec, long dueNanos) throws CollectiveException {
        PairSender channel = channel(to, senders, peer -> new PairSender(means, this::arm, peer));
        var transfer = new PeerChannel.Transfer(spec, dueNanos, "send of " + spec.text() + " to " + channel.nameNow());
        channel.send(values, transfer);
        finish(transfer);
    }

    /** Receives, and returns when the bytes are in {@code values}. */
    public void receive(NodeId from, MemorySegment values, TransferSpec spec, long dueNanos)
            throws CollectiveException {
        PairReceiver channel = channel(from, receivers, peer -> new PairReceiver(means, this::arm, peer));
        var transfer =
                new PeerChannel.Transfer(spec, dueNanos, "receive of " + spec.text() + " from " + channel.nameNow());
        channel.receive(values, transfer);
        finish(transfer);
    }

    private static void finish(PeerChannel.Transfer transfer) throws CollectiveException {
        if (transfer.error != null) {
            throw transfer.error;
        }
        if (transfer.refusal != null) {
            throw transfer.refusal.toException();
        }
    }

    private <L extends PeerChannel> L channel(NodeId peer, Map<NodeId, L> channels, Function<NodeId, L> fresh)
            throws CollectiveException {
        lock.lock();
        try {
            if (over != null) {
                throw CollectiveExceptions.again(over);
            }
            if (!members.containsKey(peer)) {
                throw lost(peer);
            }
            L known = channels.get(peer);
            if (known == null) {
                known = fresh.apply(peer);
                channels.put(peer, known);
                if (mesh != null) {
                    known.renew(mesh);
                }
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    private static PeerLostException lost(NodeId peer) {
        return new PeerLostException("lost " + peer.shortText() + ", which is no longer a member of the group;"
                + " the transfer may or may not have completed");
    }

    /** Takes a committed view, before the group installs it. */
    public void installed(String lineage, List<Member> view) {
        lock.lock();
        try {
            String own = view.stream()
                    .filter(member -> member.node().equals(means.self()))
                    .map(PointToPoint::start)
                    .findFirst()
                    .orElse("");
            var now = new HashMap<NodeId, String>();
            for (Member member : view) {
                now.put(member.node(), lineage + " " + own + " " + start(member));
            }
            for (Map.Entry<NodeId, String> before : members.entrySet()) {
                if (!before.getValue().equals(now.get(before.getKey()))) {
                    end(before.getKey(), lost(before.getKey()));
                }
            }
            members = now;
        } finally {
            lock.unlock();
        }
    }

    private static String start(Member member) {
        return member.incarnation() + "." + member.entryEpoch();
    }

    private void end(NodeId peer, CollectiveException why) {
        PairSender sender = senders.remove(peer);
        PairReceiver receiver = receivers.remove(peer);
        former.removeIf(channel -> channel.join(Duration.ZERO));
        if (sender != null) {
            sender.over(why);
            former.add(sender);
        }
        if (receiver != null) {
            receiver.over(why);
            former.add(receiver);
        }
    }

    @Override
    public void renewed(Mesh now) {
        lock.lock();
        try {
            mesh = now;
            if (!closed) {
                over = null;
                senders.values().forEach(channel -> channel.renew(now));
                receivers.values().forEach(channel -> channel.renew(now));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends all open transfers; new ones fail until the next group epoch. */
    @Override
    public void over(HearthException why) {
        lock.lock();
        try {
            over = why;
            for (NodeId peer : members.keySet()) {
                end(peer, CollectiveExceptions.again(why));
            }
        } finally {
            lock.unlock();
        }
    }

    private void arm(long dueNanos) {
        arming.lock();
        try {
            if (watch == null && !watchClosed) {
                watch = new DeadlineWatch(
                        "hearth-pair-deadline-" + means.group(), clock, this::expire, means.onFatal());
            }
            if (watch != null) {
                watch.armEarliest(dueNanos);
            }
        } finally {
            arming.unlock();
        }
    }

    private void expire() {
        List<PeerChannel> channels = new ArrayList<>();
        lock.lock();
        try {
            channels.addAll(senders.values());
            channels.addAll(receivers.values());
        } finally {
            lock.unlock();
        }
        long now = clock.nanoTime();
        long next = Long.MAX_VALUE;
        for (PeerChannel channel : channels) {
            next = Math.min(next, channel.expire(now));
        }
        if (next != Long.MAX_VALUE) {
            arm(now + next);
        }
    }

    /** Waits for all threads, after {@link #over}. Returns whether they ended in time. */
    public boolean end() {
        List<PeerChannel> ended;
        DeadlineWatch last;
        lock.lock();
        try {
            closed = true;
            ended = List.copyOf(former);
        } finally {
            lock.unlock();
        }
        arming.lock();
        try {
            watchClosed = true;
            last = watch;
        } finally {
            arming.unlock();
        }
        if (last != null) {
            last.close();
        }
        boolean all = true;
        for (PeerChannel channel : ended) {
            all &= channel.join(END_MAX);
        }
        return all;
    }

    @Override
    public void close() {
        end();
    }
}

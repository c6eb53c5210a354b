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
 * What one member sends to other members and gets from them, rank to rank, beside the collectives of its group.
 *
 * <p>There is a line for each ordered pair that was used, for as long as both ends stay members: a member that comes back is
 * another one, and is counted from 1 again, by both ends.
 */
public final class PointToPoint implements MeshFollower, AutoCloseable {
    private static final Duration END_MAX = Duration.ofSeconds(10);

    private final PeerChannel.Means means;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock(); // guards what follows
    private final Map<NodeId, PairSender> senders = new HashMap<>();
    private final Map<NodeId, PairReceiver> receivers = new HashMap<>();
    private final List<PeerChannel> former = new ArrayList<>();
    private Map<NodeId, String> members = Map.of();
    private @Nullable Mesh mesh;
    private @Nullable HearthException over;
    private boolean closed;
    private final ReentrantLock arming = new ReentrantLock(); // guards the next two
    private @Nullable DeadlineWatch watch;
    private boolean watchClosed;

    public PointToPoint(PeerChannel.Means means) {
        this.means = means;
        this.clock = means.clock();
    }

    /** Returns when {@code to} has the bytes. */
    public void send(NodeId to, MemorySegment values, TransferSpec spec, long dueNanos) throws CollectiveException {
        PairSender line = line(to, senders, peer -> new PairSender(means, this::arm, peer));
        var transfer = new PeerChannel.Transfer(spec, dueNanos, "send of " + spec.text() + " to " + line.nameNow());
        line.send(values, transfer);
        finish(transfer);
    }

    /** Returns when the bytes are in {@code values}. */
    public void receive(NodeId from, MemorySegment values, TransferSpec spec, long dueNanos)
            throws CollectiveException {
        PairReceiver line = line(from, receivers, peer -> new PairReceiver(means, this::arm, peer));
        var transfer =
                new PeerChannel.Transfer(spec, dueNanos, "receive of " + spec.text() + " from " + line.nameNow());
        line.receive(values, transfer);
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

    private <L extends PeerChannel> L line(NodeId peer, Map<NodeId, L> lines, Function<NodeId, L> fresh)
            throws CollectiveException {
        lock.lock();
        try {
            if (over != null) {
                throw CollectiveExceptions.again(over);
            }
            if (!members.containsKey(peer)) {
                throw lost(peer);
            }
            L known = lines.get(peer);
            if (known == null) {
                known = fresh.apply(peer);
                lines.put(peer, known);
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
        return new PeerLostException("lost " + peer.shortText() + ", which is no member of the group any more;"
                + " what was on its way may have arrived or not");
    }

    /** A committed view, before the group takes it. */
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
        former.removeIf(line -> line.join(Duration.ZERO));
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
                senders.values().forEach(line -> line.renew(now));
                receivers.values().forEach(line -> line.renew(now));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends all that is open, until the next group epoch. */
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
        List<PeerChannel> lines = new ArrayList<>();
        lock.lock();
        try {
            lines.addAll(senders.values());
            lines.addAll(receivers.values());
        } finally {
            lock.unlock();
        }
        long now = clock.nanoTime();
        long next = Long.MAX_VALUE;
        for (PeerChannel line : lines) {
            next = Math.min(next, line.expire(now));
        }
        if (next != Long.MAX_VALUE) {
            arm(now + next);
        }
    }

    /** After {@link #over}: waits for all threads; whether they ended in time. */
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
        for (PeerChannel line : ended) {
            all &= line.join(END_MAX);
        }
        return all;
    }

    @Override
    public void close() {
        end();
    }
}

package io.hearth.agent;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.HostPort;
import io.hearth.election.Ballot;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.MessageCodec;
import io.hearth.election.Presence;
import io.hearth.election.Proposal;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.Links;
import io.hearth.transport.Refusal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A node with the secret that enters as an agent and votes like one, and says whatever comes into its mind besides: all the lies that
 * the simulator knows but forged views, over real links, as fast as the others read.
 */
final class LyingMember implements LinkObserver, AutoCloseable {
    private static final int HEARD_MAX = 10_000;
    private static final int AT_ONCE = 100;
    private static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long DIAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long SEAT = 77;
    private static final long BALLOT_ONE_IN = 20_000; // each honest-looking one freezes the others until it is given up
    private static final long DAMAGED_ONE_IN = 5_000; // each costs a link
    private static final long[] NUMBERS = {
        0,
        1,
        2,
        1_000,
        1_000_000,
        1L << 31,
        1L << 32,
        (1L << 48) - 1,
        1L << 48,
        (1L << 53) - 1,
        1L << 53,
        Long.MAX_VALUE
    };

    private record Heard(NodeId from, Message message) {}

    private final NodeIdentity identity = NodeIdentity.generate();
    private final NodeId self = new NodeId(identity.peer(), NodeId.AGENT);
    private final Lineage alone = new Lineage(false, System.currentTimeMillis(), self, 1, 0);
    private final Links links;
    private final List<HostPort> others;
    private final BlockingQueue<Heard> heard = new ArrayBlockingQueue<>(HEARD_MAX);
    private final Set<NodeId> linked = new ConcurrentSkipListSet<>();
    private final SplittableRandom random;
    private final AtomicLong lost = new AtomicLong();
    private @Nullable View view;
    private @Nullable Lineage wanted;
    private long sequence;
    private long beatNanos = System.nanoTime();
    private long diallingNanos = System.nanoTime() - DIAL_NANOS;

    LyingMember(NamespaceKeys keys, List<HostPort> others, long seed) throws Exception {
        this.others = List.copyOf(others);
        this.random = new SplittableRandom(seed);
        var endpoint = new Endpoint(self, 1, Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]));
        this.links = Links.open(LinkOptions.loopback(0), identity, endpoint, keys, this);
    }

    NodeId id() {
        return self;
    }

    /** How often a link to it was ended. */
    long linksLost() {
        return lost.get();
    }

    /** Behaves until it is a member. */
    void enter(long patienceNanos) throws InterruptedException {
        long beginNanos = System.nanoTime();
        while (!isMember() && System.nanoTime() - beginNanos < patienceNanos) {
            answer();
        }
        if (!isMember()) {
            throw new AssertionError("it was not admitted: " + view);
        }
    }

    /** Says that many lies, and votes as it should in between. */
    void lie(long count) throws InterruptedException {
        for (long said = 0; said < count; ) {
            answer();
            for (NodeId to : linked) {
                for (int i = 0; i < AT_ONCE && linked.contains(to); i++) {
                    said += say(to, random.nextLong(DAMAGED_ONE_IN) == 0 ? damaged() : invented(to)) ? 1 : 0;
                }
            }
        }
    }

    private boolean isMember() {
        return view != null && view.member(self).isPresent();
    }

    private boolean say(NodeId to, Message message) {
        return links.send(to, MessageCodec.kind(message), MessageCodec.encode(message));
    }

    // ---- what a member does

    private void answer() throws InterruptedException {
        long now = System.nanoTime();
        if (linked.size() < others.size() && now - diallingNanos >= DIAL_NANOS) {
            diallingNanos = now;
            others.forEach(other -> links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), other.port())));
        }
        if (now - beatNanos >= BEAT_NANOS) {
            beatNanos = now;
            sequence++;
            for (NodeId to : linked) {
                say(to, new Message.Heartbeat(presence(), sequence, 0, 0));
                if (!isMember() && wanted != null) {
                    say(to, new Message.Join(wanted, SEAT, Role.AGENT, "", GroupPhase.FRESH));
                }
            }
        }
        for (Heard next = heard.poll(1, TimeUnit.MILLISECONDS); next != null; next = heard.poll()) {
            answer(next.from(), next.message());
        }
    }

    private Presence presence() {
        View in = view;
        return in != null && in.member(self).isPresent()
                ? new Presence(
                        in.lineage(), in.epoch(), in.members().size(), false, "", GroupPhase.FRESH, -1, List.of())
                : new Presence(alone, 1, 1, false, "", GroupPhase.FRESH, -1, List.of());
    }

    private void answer(NodeId from, Message message) {
        switch (message) {
            case Message.Heartbeat beat -> {
                if (beat.presence().memberCount() > 1) {
                    wanted = beat.presence().lineage();
                }
            }
            case Message.Commit(View next) -> learn(next);
            case Message.Prepare(View of, Ballot ballot) -> {
                learn(of);
                boolean isHonest = random.nextInt(3) > 0;
                var status = new Message.Status(!isHonest && random.nextBoolean(), isHonest ? Bytes.EMPTY : garbage());
                say(from, new Message.Here(of.lineage(), of.epoch(), ballot, Optional.of(status)));
                say(
                        from,
                        random.nextInt(4) > 0
                                ? new Message.Promise(of.lineage(), of.epoch(), ballot, Optional.empty())
                                : new Message.Refuse(of.lineage(), of.epoch(), new Ballot(round(), self)));
            }
            case Message.Accept(View of, Ballot ballot, View _) ->
                say(from, new Message.Accepted(of.lineage(), of.epoch(), ballot));
            default -> {} // nothing that a voter answers
        }
    }

    private void learn(View next) {
        if (view == null || !view.lineage().equals(next.lineage()) || view.epoch() < next.epoch()) {
            view = next;
        }
    }

    // ---- what it says unasked

    private long any() {
        return NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private long number() {
        return Math.min(any(), (1L << 48) - 1);
    }

    private long round() {
        return 1 + (random.nextBoolean() ? number() % Ballot.ROUND_MAX : random.nextInt(3_000));
    }

    /** Nearly always the little that an agent has to say: what is no status costs the link, and the lies behind it are not heard. */
    private Bytes garbage() {
        byte[] bytes = new byte[random.nextLong(DAMAGED_ONE_IN) > 0 ? 0 : random.nextInt(40)];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private Message invented(NodeId to) {
        View in = view;
        if (in == null) {
            return new Message.Leave(alone, 1, false);
        }
        Lineage lineage = random.nextInt(8) > 0 ? in.lineage() : alone;
        long epoch = random.nextBoolean() ? in.epoch() : 1 + number() / 2;
        var ballot = new Ballot(round(), random.nextBoolean() ? to : self);
        if (random.nextLong(BALLOT_ONE_IN) == 0) {
            return new Message.Prepare(in, new Ballot(round(), self));
        }
        long own = in.member(self).map(Member::entryEpoch).orElse(1L);
        return switch (random.nextInt(9)) {
            case 0 ->
                new Message.Leave(lineage, random.nextInt(50) == 0 ? own : 1 + number() / 2, random.nextBoolean());
            case 1 -> new Message.Join(lineage, SEAT + random.nextInt(3), Role.TRAINER, group(), GroupPhase.BOUNDARY);
            case 2 -> new Message.Join(lineage, SEAT, Role.AGENT, "", GroupPhase.FRESH);
            case 3 -> new Message.Accepted(lineage, epoch, ballot);
            case 4 ->
                new Message.Here(
                        lineage, epoch, ballot, Optional.of(new Message.Status(random.nextBoolean(), garbage())));
            case 5 ->
                new Message.Promise(lineage, epoch, ballot, Optional.of(new Proposal(new Ballot(round(), self), in)));
            case 6 -> new Message.Refuse(lineage, epoch, ballot);
            case 7 -> new Message.Gone(lineage, epoch, 1 + number() / 2);
            default -> new Message.Heartbeat(boast(in), ++sequence, number(), number());
        };
    }

    private String group() {
        return random.nextBoolean() ? "default" : "job-" + random.nextInt(100_000);
    }

    private Presence boast(View in) {
        boolean isOther = random.nextInt(20) == 0;
        return new Presence(
                isOther ? new Lineage(false, random.nextInt(1_000), self, 1, random.nextInt(4)) : in.lineage(),
                isOther ? 1 + number() / 2 : in.epoch(),
                isOther ? View.MEMBERS_MAX : in.members().size(),
                false,
                "",
                GroupPhase.FRESH,
                -1,
                random.nextInt(10) > 0
                        ? List.of()
                        : in.members().stream()
                                .map(Member::node)
                                .filter(node -> !node.equals(self))
                                .toList());
    }

    /** No message at all, as the codec sees it. */
    private Message damaged() {
        View in = view;
        return in == null
                ? new Message.Leave(alone, 1, false)
                : new Message.Here(
                        in.lineage(), 1L << 60, new Ballot(1, self), Optional.of(new Message.Status(true, garbage())));
    }

    // ---- links

    @Override
    public void admitted(LinkInfo link) {
        linked.add(link.peer().id());
    }

    @Override
    public void received(NodeId from, long incarnation, int kind, byte[] message) {
        try {
            if (MessageCodec.isKind(kind)) {
                heard.offer(new Heard(from, MessageCodec.decode(kind, message)));
            }
        } catch (MalformedMessageException odd) {
            throw new AssertionError("an honest node sent " + odd.getMessage(), odd);
        }
    }

    @Override
    public void lost(NodeId peer, String reason) {
        linked.remove(peer);
        lost.incrementAndGet();
    }

    @Override
    public void refused(InetSocketAddress address, Optional<PeerId> peer, Refusal refusal, String text) {}

    @Override
    public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {}

    @Override
    public void close() {
        links.close();
    }
}

package io.hearth.agent;

import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.CollectiveResolver;
import io.hearth.collective.group.MeasuredLinks;
import io.hearth.collective.group.Status;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.HostPort;
import io.hearth.election.Ballot;
import io.hearth.election.Beat;
import io.hearth.election.GroupPhase;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Presence;
import io.hearth.election.Proposal;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.protobuf.MessageEncoding;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.links.Links;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
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
 * A node with the secret that enters, votes as a member does, and also sends lies, over real links; {@link Manner} lists the kinds.
 *
 * <p>It completes no ballot of its own. So it does not send the lies of the simulator that only a proposer can send: wrong resolutions, and
 * joining nodes admitted with changed data. It forges views only when asked to.
 */
final class LyingMember implements LinkObserver, AutoCloseable {
    private static final int HEARD_MAX = 10_000;
    private static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long DIAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long SEAT = 77;
    private static final long BALLOT_ONE_IN = 20_000; // each honest-looking one freezes the others for a while
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

    /** Its role, and the messages that it sends without being asked. */
    enum Manner {
        /** An agent that sends random messages as fast as the others read. */
        AGENT(NodeId.AGENT, 100),
        /**
         * A trainer that waits for a step to begin and takes part in none. It sends no Leave and nothing that closes the link, so it
         * remains a member.
         */
        TRAINER("trainer-0", 1),
        /** An agent that asks to leave again and again, and answers each ballot as if it stayed. */
        LEAVER(NodeId.AGENT, 1);

        private final String slot;
        private final int atOnce; // messages to each node between two reads of the inbox

        Manner(String slot, int atOnce) {
            this.slot = slot;
            this.atOnce = atOnce;
        }
    }

    private record Heard(NodeId from, Message message) {}

    private final NodeIdentity identity = NodeIdentity.generate();
    private final Manner manner;
    private final NodeId self;
    private final Lineage alone;
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

    LyingMember(NamespaceKeys keys, List<HostPort> others, Manner manner, long seed) throws Exception {
        this.manner = manner;
        this.self = new NodeId(identity.peer(), manner.slot);
        this.alone = new Lineage(false, System.currentTimeMillis(), self, 1, 0);
        this.others = List.copyOf(others);
        this.random = new SplittableRandom(seed);
        var endpoint = new Endpoint(self, 1, Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]));
        this.links = Links.open(LinkOptions.loopback(0), identity, endpoint, keys, this);
    }

    NodeId id() {
        return self;
    }

    /** Number of its links that were ended. */
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

    /** Sends {@code count} lies, and votes correctly in between. */
    void lie(long count) throws InterruptedException {
        for (long said = 0; said < count; ) {
            answer();
            for (NodeId to : linked) {
                for (int i = 0; i < manner.atOnce && linked.contains(to); i++) {
                    said += say(to, lie(to)) ? 1 : 0;
                }
            }
        }
    }

    /**
     * Reports a view of the others without one of them, and then, with the same number, one in which all of them end the lineage. Neither
     * was ever decided; each is a well-formed view.
     */
    void forgeViewsWithout(NodeId victim) {
        View in = Objects.requireNonNull(view);
        List<Member> rest = in.members().stream()
                .filter(member -> !member.node().equals(victim))
                .toList();
        long epoch = in.epoch() + 1;
        List<GroupView> groups = in.groups().stream()
                .map(group -> new GroupView(
                        group.name(), epoch, new CollectiveResolver().resolve(group.name(), rest, List.of())))
                .toList();
        for (NodeId to : linked) {
            say(to, new Message.Commit(new View(in.lineage(), epoch, rest, groups)));
            say(to, new Message.Commit(new View(in.lineage(), epoch, List.of(), List.of())));
        }
    }

    private Message lie(NodeId to) {
        View in = view;
        if (in == null) {
            return new Message.Leave(alone, 1, false);
        }
        if (manner == Manner.LEAVER) {
            return new Message.Leave(in.lineage(), entryEpoch(in), false);
        }
        return isDamaged() ? damaged(in) : invented(in, to);
    }

    private boolean isDamaged() {
        return manner == Manner.AGENT && random.nextLong(DAMAGED_ONE_IN) == 0;
    }

    private long entryEpoch(View in) {
        return in.member(self).map(Member::entryEpoch).orElse(1L);
    }

    private boolean isMember() {
        return view != null && view.member(self).isPresent();
    }

    private boolean say(NodeId to, Message message) {
        return links.send(to, MessageEncoding.kind(message), MessageEncoding.encode(message));
    }

    // ---- the behaviour of a member

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
                say(to, new Message.Heartbeat(presence(), new Beat(sequence, 0, 0, 0)));
                if (!isMember() && wanted != null) {
                    say(to, new Message.Join(wanted, SEAT, role(), group(), phase()));
                }
            }
        }
        for (Heard next = heard.poll(1, TimeUnit.MILLISECONDS); next != null; next = heard.poll()) {
            answer(next.from(), next.message());
        }
    }

    private Role role() {
        return manner == Manner.TRAINER ? Role.TRAINER : Role.AGENT;
    }

    private String group() {
        return manner == Manner.TRAINER ? HearthConfig.DEFAULT_GROUP : "";
    }

    private GroupPhase phase() {
        return manner == Manner.TRAINER ? GroupPhase.BOUNDARY : GroupPhase.FRESH;
    }

    private Presence presence() {
        View in = view;
        return in != null && in.member(self).isPresent()
                ? presence(in.lineage(), in.epoch(), in.members().size(), List.of())
                : presence(alone, 1, 1, List.of());
    }

    private Presence presence(Lineage lineage, long epoch, int members, List<NodeId> broken) {
        return new Presence(
                lineage, epoch, members, false, group(), phase(), manner == Manner.TRAINER ? 0 : -1, broken);
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
                boolean isHonest = manner == Manner.LEAVER || random.nextInt(3) > 0;
                var status = new Message.Status(!isHonest && leaves(), isHonest ? honest() : collectives());
                say(from, new Message.Here(of.lineage(), of.epoch(), ballot, Optional.of(status)));
                say(
                        from,
                        manner == Manner.LEAVER || random.nextInt(4) > 0
                                ? new Message.Promise(of.lineage(), of.epoch(), ballot, Optional.empty())
                                : new Message.Refuse(of.lineage(), of.epoch(), new Ballot(round(), self)));
            }
            case Message.Accept(View of, Ballot ballot, View _) ->
                say(from, new Message.Accepted(of.lineage(), of.epoch(), ballot));
            default -> {} // a voter does not answer it
        }
    }

    private void learn(View next) {
        if (view == null || !view.lineage().equals(next.lineage()) || view.epoch() < next.epoch()) {
            view = next;
        }
    }

    // ---- messages without a request

    private long any() {
        return NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private long number() {
        return Math.min(any(), (1L << 48) - 1);
    }

    private long round() {
        return 1 + (random.nextBoolean() ? number() % Ballot.ROUND_MAX : random.nextInt(3_000));
    }

    /** The status of a member without any call yet; an agent has none. */
    private Bytes honest() {
        return manner == Manner.TRAINER
                ? CollectiveMessages.encode(new Status(0, 0, List.of(), Optional.empty()))
                : Bytes.EMPTY;
    }

    /** Nearly always a readable status: an unreadable one closes the link, and the lies after it are lost. */
    private Bytes collectives() {
        if (isDamaged()) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            return Bytes.of(bytes);
        }
        long far = Math.clamp(any(), 1, Status.NUMBER_MAX);
        return switch (random.nextInt(4)) {
            case 0 -> Bytes.EMPTY;
            case 1 -> honest();
            case 2 -> CollectiveMessages.encode(new Status(far, far, List.of(), Optional.of("streams broke")));
            default -> {
                var kept = new Status.Kept(
                        far, random.nextInt(View.MEMBERS_MAX), Math.min(any(), 1 << 20), Optional.empty());
                yield CollectiveMessages.encode(
                        new Status(far, far - 1, List.of(kept), Optional.empty(), true, MeasuredLinks.NONE));
            }
        };
    }

    private Message invented(View in, NodeId to) {
        Lineage lineage = random.nextInt(8) > 0 ? in.lineage() : alone;
        long epoch = random.nextBoolean() ? in.epoch() : 1 + number() / 2;
        var ballot = new Ballot(round(), random.nextBoolean() ? to : self);
        if (random.nextLong(BALLOT_ONE_IN) == 0) {
            return new Message.Prepare(in, new Ballot(round(), self));
        }
        return switch (random.nextInt(manner == Manner.TRAINER ? 8 : 9)) {
            case 0 -> new Message.Heartbeat(boast(in), new Beat(++sequence, number(), number(), number()));
            case 1 ->
                new Message.Join(lineage, SEAT + random.nextInt(3), Role.TRAINER, anyGroup(), GroupPhase.BOUNDARY);
            case 2 -> new Message.Join(lineage, SEAT, Role.AGENT, "", GroupPhase.FRESH);
            case 3 -> new Message.Accepted(lineage, epoch, ballot);
            case 4 ->
                new Message.Here(lineage, epoch, ballot, Optional.of(new Message.Status(leaves(), collectives())));
            case 5 ->
                new Message.Promise(lineage, epoch, ballot, Optional.of(new Proposal(new Ballot(round(), self), in)));
            case 6 -> new Message.Refuse(lineage, epoch, ballot);
            case 7 -> new Message.Gone(lineage, epoch, 1 + number() / 2);
            default ->
                new Message.Leave(
                        lineage, random.nextInt(50) == 0 ? entryEpoch(in) : 1 + number() / 2, random.nextBoolean());
        };
    }

    private boolean leaves() {
        return manner != Manner.TRAINER && random.nextBoolean();
    }

    private String anyGroup() {
        return random.nextBoolean() ? HearthConfig.DEFAULT_GROUP : "job-" + random.nextInt(100_000);
    }

    private Presence boast(View in) {
        boolean isOther = random.nextInt(20) == 0;
        return presence(
                isOther ? new Lineage(false, random.nextInt(1_000), self, 1, random.nextInt(4)) : in.lineage(),
                isOther ? 1 + number() / 2 : in.epoch(),
                isOther ? View.MEMBERS_MAX : in.members().size(),
                random.nextInt(10) > 0
                        ? List.of()
                        : in.members().stream()
                                .map(Member::node)
                                .filter(node -> !node.equals(self))
                                .toList());
    }

    /** A message that the codec rejects. */
    private Message damaged(View in) {
        return new Message.Here(
                in.lineage(), 1L << 60, new Ballot(1, self), Optional.of(new Message.Status(true, collectives())));
    }

    // ---- links

    @Override
    public void admitted(LinkInfo link) {
        linked.add(link.peer().id());
    }

    @Override
    public void received(NodeId from, long incarnation, int kind, byte[] message) {
        try {
            if (MessageEncoding.isKind(kind)) {
                heard.offer(new Heard(from, MessageEncoding.decode(kind, message)));
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
    public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {}

    @Override
    public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {}

    @Override
    public void close() {
        links.close();
    }
}

package io.hearth.discovery.mdns.machine;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.dns.DnsMessage;
import io.hearth.discovery.dns.DnsName;
import io.hearth.discovery.dns.DnsQuestion;
import io.hearth.discovery.dns.DnsRecord;
import io.hearth.discovery.dns.DnsType;
import io.hearth.discovery.table.PeerTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides what of a well-formed message matters: questions that this node can answer, and the members that it tells of. Everything
 * that it keeps is bounded and ages, so a flood fills tables and has no effect that lasts.
 *
 * <p><b>Questions.</b> Those about the service and its type, and about this node's own instance and host. Each answer is multicast, so
 * an answer to anybody serves all who ask; a few in a second are enough. Questions that do not bring out the whole announcement have
 * a limit of their own, so that they cannot use up that of the others.
 *
 * <p><b>Members.</b> A member is known by the nonce of an advert whose tag is right, whatever the name of its instance: a replay under
 * another name is the same member. Only the nonce and the port are under the tag; names and addresses are anybody's word. More than
 * {@value #NAMES_MAX} names of one member count as strangers. There is room for {@value #MEMBERS_MAX} members. A new one takes the place
 * of the one heard longest ago, which has been told of; while nobody has been, the new one has to speak again. It is judged anew
 * whenever it does, and every node speaks when it is asked.
 *
 * <p><b>Addresses.</b> Only those on the link count. A member has {@value Sighting#CANDIDATES_MAX}. The source of a datagram with a
 * right advert is one of them, and is better than what A and AAAA records of the same host say: nobody but a forger of datagrams
 * makes it up. When all places are taken, a new address takes that of the record heard longest ago; if there is none, a source takes
 * that of another source heard longest ago, but never of the first one, because the first who tells of a fresh nonce is its owner. An
 * address is forgotten when it was not heard for {@value #MEMORY_SECONDS} s. The newest source is told first.
 *
 * <p><b>Names of this node</b> are random and used once, so nobody else comes to them by chance. What others say of them is ignored: to
 * look for another name, as RFC 6762 asks in a conflict, would let a stranger keep this node from ever being announced.
 *
 * <p>Where the text and the port of an instance come in two messages, the first waits {@value #HALF_SECONDS} s for the second, among
 * {@value #HALVES_MAX} at most, {@value #HALVES_OF_SOURCE_MAX} of them from one source; the oldest makes room.
 */
public final class MdnsJudge {
    public static final int MEMBERS_MAX = 256;
    public static final int HALVES_MAX = 256;
    static final int HALVES_OF_SOURCE_MAX = 16;
    public static final int STRANGERS_MAX = 256;
    static final int MEMORY_SECONDS = 120;
    private static final int NAMES_MAX = 2;
    private static final int HALF_SECONDS = 10;
    private static final int INSTANCES_OF_MESSAGE_MAX = 2;
    private static final int GOODBYES_OF_MESSAGE_MAX = 4;
    private static final int ADDRESSES_OF_MESSAGE_MAX = 8;
    private static final int TOLD_BURST = 256;
    private static final int TOLD_PER_SECOND = 32;
    private static final int ANSWERS_BURST = 20;
    private static final int ANSWERS_PER_SECOND = 5;
    private static final DnsName TYPE = DnsName.of("_hearth", "_tcp", "local");
    private static final DnsName ALL_TYPES = DnsName.of("_services", "_dns-sd", "_udp", "local");
    private static final DnsName LOCAL = DnsName.of("local");
    private static final long SECOND = PeerTable.SECOND;

    private final DnsName ownInstance;
    private final DnsName ownHost;
    private final TagCodec tags;
    private final Predicate<Bytes> ownNonce;
    private final Predicate<Bytes> onLink;
    private final TokenBucket answers;
    private final TokenBucket smallAnswers;
    private final TokenBucket told;
    private final Map<Bytes, Member> members = new LinkedHashMap<>(); // by nonce, the one heard longest ago first
    private final Map<DnsName, Half> halves = new LinkedHashMap<>(); // oldest first
    private final Map<DnsName, Boolean> strangers = new LinkedHashMap<>(); // those already counted, oldest first

    /**
     * A judge that knows nobody.
     *
     * @param identity this node's own names
     * @param ownNonce whether a nonce is one of this node's, on whichever interface
     * @param onLink whether an address of 4 or 16 bytes can be reached without a router
     */
    public MdnsJudge(
            MdnsIdentity identity, TagCodec tags, Predicate<Bytes> ownNonce, Predicate<Bytes> onLink, long nowNanos) {
        this.ownInstance = DnsName.of(identity.serviceName(), "_hearth", "_tcp", "local");
        this.ownHost = DnsName.of(identity.hostName(), "local");
        this.tags = tags;
        this.ownNonce = ownNonce;
        this.onLink = onLink;
        this.answers = new TokenBucket(ANSWERS_BURST, ANSWERS_PER_SECOND, nowNanos);
        this.smallAnswers = new TokenBucket(ANSWERS_BURST, ANSWERS_PER_SECOND, nowNanos);
        this.told = new TokenBucket(TOLD_BURST, TOLD_PER_SECOND, nowNanos);
    }

    /**
     * A member and where it may be.
     *
     * @param addresses of 4 or 16 bytes each, at least one, the likeliest first
     */
    public record Heard(Bytes nonce, int port, int generation, List<Bytes> addresses) {
        public Heard {
            addresses = List.copyOf(addresses);
        }
    }

    /**
     * What of a message matters.
     *
     * @param questions to answer
     * @param heard members to tell of, because they are new or an address is
     * @param members how many are new
     * @param strangers how many instances are foreign and were not counted lately
     */
    public record Verdict(List<DnsQuestion> questions, List<Heard> heard, int members, int strangers) {
        public Verdict {
            questions = List.copyOf(questions);
            heard = List.copyOf(heard);
        }
    }

    /**
     * Judges a packet: the questions to answer, and the members that it proves.
     *
     * @param source address of the sender, on the link
     */
    public Verdict judge(DnsMessage message, Bytes source, long nowNanos) {
        return message.isResponse()
                ? new Hearing(source, nowNanos).verdict(message.records())
                : new Verdict(questions(message.questions(), nowNanos), List.of(), 0, 0);
    }

    /** Members to tell of that had to wait. */
    public List<Heard> due(long nowNanos) {
        return due(members.values(), nowNanos);
    }

    /** All members that were heard lately. */
    public List<Heard> known(long nowNanos) {
        return members.values().stream()
                .flatMap(member -> member.heard(nowNanos).stream())
                .toList();
    }

    /** Entries of all tables, which are bounded. */
    public int size() {
        return members.size() + halves.size() + strangers.size();
    }

    private List<DnsQuestion> questions(List<DnsQuestion> asked, long nowNanos) {
        List<DnsQuestion> whole =
                asked.stream().filter(this::asksAll).distinct().toList();
        List<DnsQuestion> small =
                asked.stream().filter(this::asksSome).distinct().toList();
        return Stream.of(
                        whole.isEmpty() || answers.take(nowNanos) ? whole : List.<DnsQuestion>of(),
                        small.isEmpty() || smallAnswers.take(nowNanos) ? small : List.<DnsQuestion>of())
                .flatMap(List::stream)
                .toList();
    }

    private boolean asksAll(DnsQuestion question) {
        return switch (question.type()) {
            case DnsType.PTR -> question.name().equals(TYPE);
            case DnsType.SRV, DnsType.TXT -> question.name().equals(ownInstance);
            case DnsType.ANY -> question.name().equals(TYPE) || question.name().equals(ownInstance);
            default -> false;
        };
    }

    private boolean asksSome(DnsQuestion question) {
        return switch (question.type()) {
            case DnsType.PTR -> question.name().equals(ALL_TYPES);
            case DnsType.A, DnsType.AAAA, DnsType.ANY -> question.name().equals(ownHost);
            default -> false;
        };
    }

    private List<Heard> due(Collection<Member> candidates, long nowNanos) {
        var due = new ArrayList<Heard>();
        for (Member member : candidates) {
            if (member.isNews && member.pace.take(nowNanos)) {
                if (!told.take(nowNanos)) {
                    break;
                }
                member.isNews = false;
                member.wasTold = true;
                member.heard(nowNanos).ifPresent(due::add);
            }
        }
        return due;
    }

    /** What one message says of an instance, or what several said until now. */
    private record Half(@Nullable Advert advert, DnsRecord.@Nullable Service service, Bytes source, long sinceNanos) {
        Half with(Half newer) {
            return new Half(
                    newer.advert == null ? advert : newer.advert,
                    newer.service == null ? service : newer.service,
                    newer.source,
                    sinceNanos);
        }
    }

    /** Where a member may be. */
    private record Place(Bytes address, boolean isSource, long heardNanos) {}

    /** One nonce. */
    private static final class Member {
        private static final int TOLD_BURST = 3;
        private static final long MEMORY_NANOS = MEMORY_SECONDS * SECOND;

        private final Bytes nonce;
        private final TokenBucket pace; // of telling
        private final List<DnsName> names = new ArrayList<>();
        private final List<Place> places = new ArrayList<>(); // in the order of their first hearing
        private @Nullable Advert advert; // whose tag was right for this port
        private int port;
        private int generation;
        private DnsName host = LOCAL;
        private boolean isNews = true; // not told of since something changed
        private boolean wasTold; // since it has its place
        private boolean isGone; // said goodbye

        Member(Bytes nonce, long nowNanos) {
            this.nonce = nonce;
            this.pace = new TokenBucket(TOLD_BURST, 1, nowNanos);
        }

        /** Whether the tag of this advert was checked already. */
        boolean said(Advert again, int itsPort) {
            return port == itsPort && again.equals(advert);
        }

        void verified(Advert right, int itsPort, int itsGeneration) {
            advert = right;
            port = itsPort;
            generation = itsGeneration;
        }

        Optional<Heard> heard(long nowNanos) {
            forget(nowNanos);
            return isGone || places.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Heard(
                            nonce,
                            port,
                            generation,
                            places.stream()
                                    .sorted(Comparator.comparing((Place place) -> !place.isSource())
                                            .thenComparingLong(place -> nowNanos - place.heardNanos()))
                                    .map(Place::address)
                                    .toList()));
        }

        void heardAt(Bytes address, boolean isSource, long nowNanos) {
            forget(nowNanos);
            for (int i = 0; i < places.size(); i++) {
                Place place = places.get(i);
                if (place.address().equals(address)) {
                    places.set(i, new Place(address, isSource || place.isSource(), nowNanos));
                    return;
                }
            }
            if (places.size() >= Sighting.CANDIDATES_MAX) {
                Optional<Place> worst =
                        worst(false, nowNanos).or(() -> isSource ? worst(true, nowNanos) : Optional.empty());
                if (worst.isEmpty()) {
                    return;
                }
                places.remove(worst.get());
            }
            places.add(new Place(address, isSource, nowNanos));
            isNews = true;
        }

        private Optional<Place> worst(boolean amongSources, long nowNanos) {
            return places.stream()
                    .filter(place -> place.isSource() == amongSources)
                    .skip(amongSources ? 1 : 0)
                    .max(Comparator.comparingLong(place -> nowNanos - place.heardNanos()));
        }

        private void forget(long nowNanos) {
            places.removeIf(place -> nowNanos - place.heardNanos() >= MEMORY_NANOS);
        }
    }

    /** The judging of one response. */
    private final class Hearing {
        private final Bytes source;
        private final long nowNanos;
        private final Map<DnsName, Half> told = new LinkedHashMap<>();
        private final Map<Bytes, Member> touched = new HashMap<>();
        private int goodbyes;
        private int addresses;
        private int newMembers;
        private int newStrangers;

        Hearing(Bytes source, long nowNanos) {
            this.source = source;
            this.nowNanos = nowNanos;
        }

        Verdict verdict(List<DnsRecord> records) {
            records.forEach(this::gather);
            told.forEach(this::judge);
            records.forEach(this::locate);
            return new Verdict(List.of(), due(touched.values(), nowNanos), newMembers, newStrangers);
        }

        private void gather(DnsRecord record) {
            DnsName name = record.name();
            boolean isLocation = record instanceof DnsRecord.Address;
            if (isLocation
                    || !name.isChildOf(TYPE)
                    || name.equals(ownInstance)
                    || goodbyes >= GOODBYES_OF_MESSAGE_MAX) {
                return;
            }
            if (record.ttlSeconds() == 0) {
                goodbyes++;
                members.values().stream()
                        .filter(member -> member.names.contains(name))
                        .forEach(member -> member.isGone = true);
                return;
            }
            if (told.size() >= INSTANCES_OF_MESSAGE_MAX && !told.containsKey(name)) {
                stranger(name);
                return;
            }
            switch (record) {
                case DnsRecord.Service service -> gather(name, new Half(null, service, source, nowNanos));
                case DnsRecord.Text text ->
                    advert(text.data())
                            .ifPresentOrElse(
                                    advert -> gather(name, new Half(advert, null, source, nowNanos)),
                                    () -> stranger(name));
                case DnsRecord.Address _ -> {}
            }
        }

        private void gather(DnsName name, Half half) {
            told.merge(name, half, Half::with);
        }

        private void judge(DnsName name, Half said) {
            if (isMember(name, said)) {
                halves.remove(name);
                return;
            }
            Half before = halves.get(name);
            if (said.advert != null && said.service != null) {
                stranger(name); // and what was heard before may still find its other half
                return;
            }
            Half both = before == null ? said : before.with(said);
            if (isMember(name, both)) {
                halves.remove(name);
                return;
            }
            if (both.advert != null && both.service != null) {
                stranger(name);
            }
            keep(name, both);
        }

        private boolean isMember(DnsName name, Half half) {
            if (half.advert == null || half.service == null) {
                return false;
            }
            Advert advert = half.advert;
            if (ownNonce.test(advert.nonce())) {
                return true; // nobody to tell of, and no stranger
            }
            Member member = members.get(advert.nonce());
            if (member == null || !member.said(advert, half.service.port())) {
                OptionalInt generation = tags.verify(advert, half.service.port());
                if (generation.isEmpty()) {
                    return false;
                }
                member = room(advert, half.service.port(), generation.getAsInt());
                if (member == null) {
                    return true; // it will speak again
                }
            }
            members.remove(advert.nonce());
            members.put(advert.nonce(), member); // last of all, because it was heard just now
            touched.put(advert.nonce(), member);
            member.host = half.service.host();
            member.isNews |= member.isGone;
            member.isGone = false;
            if (!member.names.contains(name)) {
                if (member.names.size() < NAMES_MAX) {
                    member.names.add(name);
                } else {
                    stranger(name);
                }
            }
            member.heardAt(source, true, nowNanos);
            return true;
        }

        /** The place of a member whose tag is right; null if all are taken by those that nobody was told of. */
        private @Nullable Member room(Advert advert, int port, int generation) {
            Member member = members.get(advert.nonce());
            if (member == null) {
                if (members.size() >= MEMBERS_MAX && !makeRoom()) {
                    return null;
                }
                member = new Member(advert.nonce(), nowNanos);
                newMembers++;
            }
            member.verified(advert, port, generation);
            return member;
        }

        private boolean makeRoom() {
            Iterator<Member> oldestFirst = members.values().iterator();
            while (oldestFirst.hasNext()) {
                if (oldestFirst.next().wasTold) {
                    oldestFirst.remove();
                    return true;
                }
            }
            return false;
        }

        /** Addresses of the hosts of members; the source is one already. */
        private void locate(DnsRecord record) {
            if (record instanceof DnsRecord.Address said
                    && said.ttlSeconds() > 0
                    && !said.address().equals(source)
                    && onLink.test(said.address())
                    && addresses++ < ADDRESSES_OF_MESSAGE_MAX) {
                members.forEach((nonce, member) -> {
                    if (member.host.equals(said.name())) {
                        member.heardAt(said.address(), false, nowNanos);
                        touched.put(nonce, member);
                    }
                });
            }
        }

        private void keep(DnsName name, Half half) {
            halves.remove(name);
            halves.values().removeIf(old -> nowNanos - old.sinceNanos() >= HALF_SECONDS * SECOND);
            long ofSource = halves.values().stream()
                    .filter(old -> old.source().equals(source))
                    .count();
            if (ofSource >= HALVES_OF_SOURCE_MAX || halves.size() >= HALVES_MAX) {
                boolean isOwn = ofSource >= HALVES_OF_SOURCE_MAX;
                halves.values()
                        .remove(halves.values().stream()
                                .filter(old -> !isOwn || old.source().equals(source))
                                .findFirst()
                                .orElseThrow());
            }
            halves.put(name, half);
        }

        private void stranger(DnsName name) {
            if (strangers.put(name, true) != null) {
                return;
            }
            newStrangers++;
            if (strangers.size() > STRANGERS_MAX) {
                Iterator<DnsName> oldest = strangers.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
        }
    }

    private static Optional<Advert> advert(Bytes text) {
        var entries = new HashMap<String, String>();
        byte[] bytes = text.toArray();
        for (int at = 0; at < bytes.length; at += 1 + (bytes[at] & 0xFF)) {
            String entry = new String(bytes, at + 1, bytes[at] & 0xFF, StandardCharsets.ISO_8859_1);
            int equals = entry.indexOf('=');
            if (equals > 0) {
                entries.putIfAbsent(entry.substring(0, equals), entry.substring(equals + 1)); // RFC 6763, section 6.4
            }
        }
        try {
            return Optional.of(Advert.parse(entries::get));
        } catch (MalformedMessageException foreign) {
            return Optional.empty();
        }
    }
}

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
 * Picks the relevant parts of a well-formed message: questions that this node can answer, and members to report. All state is bounded and
 * expires, so a flood fills tables and has no lasting effect.
 *
 * <p><b>Questions.</b> Relevant are those about the service and its type, and about this node's own instance and host. Each answer is
 * multicast, so one answer serves all askers, and a few answers a second are enough. Questions whose answer is not the whole announcement
 * have a separate limit, so that they cannot use up the limit of the others.
 *
 * <p><b>Members.</b> A member is known by the nonce of an advert whose tag is right, with any name of its instance: a replay under another
 * name is the same member. A probe, which asks whether a name is free, counts as the announcement, which comes almost a second later. The
 * tag covers only the nonce and the port; any node can forge names and addresses. More than {@value #NAMES_MAX} names of one member count
 * as strangers. There is room for {@value #MEMBERS_MAX} members. A new member replaces the one heard longest ago among those that were
 * reported. If none was reported yet, the new member is dropped. It is judged again with its next message, and every node sends one when it
 * is asked.
 *
 * <p><b>Addresses.</b> Only those on the link count. A member has {@value Sighting#CANDIDATES_MAX}. The source of a datagram with a valid
 * advert is one of them. It ranks before A and AAAA records of the same host, because only a forger of datagrams can fake it. When all
 * places are taken, a new address replaces the address of a record, the one heard longest ago. If there is none, a source replaces the
 * other source heard longest ago. The first source keeps its place, because the first sender of a fresh nonce is its owner. An address is
 * forgotten when it was not heard for {@value #MEMORY_SECONDS} s. The newest source is reported first.
 *
 * <p><b>Names of this node</b> are random and used once, so no other node has them by chance. Records of others for these names are
 * ignored. RFC 6762 requires another name after a conflict, but then a stranger could keep this node from ever being announced.
 *
 * <p>When the text and the port of an instance come in two messages, the first is kept {@value #HALF_SECONDS} s for the second. At most
 * {@value #HALVES_MAX} halves are kept, {@value #HALVES_OF_SOURCE_MAX} of them from one source; a new one replaces the oldest.
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
    private static final int REPORTS_BURST = 256;
    private static final int REPORTS_PER_SECOND = 32;
    private static final int ANSWERS_BURST = 20;
    private static final int ANSWERS_PER_SECOND = 5;
    private static final DnsName TYPE = DnsName.of("_hearth", "_tcp", "local");
    private static final DnsName ALL_TYPES = DnsName.of("_services", "_dns-sd", "_udp", "local");
    private static final DnsName LOCAL = DnsName.of("local");
    private static final long SECOND = PeerTable.SECOND;

    private final DnsName ownInstance;
    private final DnsName ownHost;
    private final TagEncoding tags;
    private final Predicate<Bytes> ownNonce;
    private final Predicate<Bytes> onLink;
    private final TokenBucket answers;
    private final TokenBucket smallAnswers;
    private final TokenBucket reports;
    private final Map<Bytes, Member> members = new LinkedHashMap<>(); // by nonce, the one heard longest ago first
    private final Map<DnsName, Half> halves = new LinkedHashMap<>(); // oldest first
    private final Map<DnsName, Boolean> strangers = new LinkedHashMap<>(); // already counted, oldest first

    /**
     * A judge without members.
     *
     * @param identity this node's own names
     * @param ownNonce whether a nonce is one of this node's, on any interface
     * @param onLink whether an address of 4 or 16 bytes can be reached without a router
     */
    public MdnsJudge(
            MdnsIdentity identity,
            TagEncoding tags,
            Predicate<Bytes> ownNonce,
            Predicate<Bytes> onLink,
            long nowNanos) {
        this.ownInstance = DnsName.of(identity.serviceName(), "_hearth", "_tcp", "local");
        this.ownHost = DnsName.of(identity.hostName(), "local");
        this.tags = tags;
        this.ownNonce = ownNonce;
        this.onLink = onLink;
        this.answers = new TokenBucket(ANSWERS_BURST, ANSWERS_PER_SECOND, nowNanos);
        this.smallAnswers = new TokenBucket(ANSWERS_BURST, ANSWERS_PER_SECOND, nowNanos);
        this.reports = new TokenBucket(REPORTS_BURST, REPORTS_PER_SECOND, nowNanos);
    }

    /**
     * A member and its possible addresses.
     *
     * @param addresses of 4 or 16 bytes each, at least one, the likeliest first
     */
    public record Heard(Bytes nonce, int port, int generation, List<Bytes> addresses) {
        public Heard {
            addresses = List.copyOf(addresses);
        }
    }

    /**
     * The relevant parts of a message.
     *
     * @param questions to answer
     * @param heard members to report, because they or one of their addresses are new
     * @param members number of new members
     * @param strangers number of foreign instances that were not counted lately
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
        return new Hearing(source, nowNanos).verdict(questions(message.questions(), nowNanos), message.records());
    }

    /** Members whose report was delayed and is due now. */
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
                if (!reports.take(nowNanos)) {
                    break;
                }
                member.isNews = false;
                member.wasReported = true;
                member.heard(nowNanos).ifPresent(due::add);
            }
        }
        return due;
    }

    /** The parts of an instance's announcement, from one message or several. */
    private record Half(@Nullable Advert advert, DnsRecord.@Nullable Service service, Bytes source, long sinceNanos) {
        Half with(Half newer) {
            return new Half(
                    newer.advert == null ? advert : newer.advert,
                    newer.service == null ? service : newer.service,
                    newer.source,
                    sinceNanos);
        }
    }

    /** A possible address of a member. */
    private record HeardAddress(Bytes address, boolean isSource, long heardNanos) {}

    /** One nonce. */
    private static final class Member {
        private static final int REPORTS_BURST = 3;
        private static final long MEMORY_NANOS = MEMORY_SECONDS * SECOND;

        private final Bytes nonce;
        private final TokenBucket pace; // limit of its reports
        private final List<DnsName> names = new ArrayList<>();
        private final List<HeardAddress> places = new ArrayList<>(); // in the order in which they were first heard
        private @Nullable Advert advert; // its tag was valid for this port
        private int port;
        private int generation;
        private DnsName host = LOCAL;
        private boolean isNews = true; // not reported since its last change
        private boolean wasReported; // reported since it is in the table
        private boolean isGone; // said goodbye

        Member(Bytes nonce, long nowNanos) {
            this.nonce = nonce;
            this.pace = new TokenBucket(REPORTS_BURST, 1, nowNanos);
        }

        /** Whether the tag of this advert was already verified for this port. */
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
                                    .sorted(Comparator.comparing((HeardAddress place) -> !place.isSource())
                                            .thenComparingLong(place -> nowNanos - place.heardNanos()))
                                    .map(HeardAddress::address)
                                    .toList()));
        }

        void heardAt(Bytes address, boolean isSource, long nowNanos) {
            forget(nowNanos);
            for (int i = 0; i < places.size(); i++) {
                HeardAddress place = places.get(i);
                if (place.address().equals(address)) {
                    places.set(i, new HeardAddress(address, isSource || place.isSource(), nowNanos));
                    return;
                }
            }
            if (places.size() >= Sighting.CANDIDATES_MAX) {
                Optional<HeardAddress> worst =
                        worst(false, nowNanos).or(() -> isSource ? worst(true, nowNanos) : Optional.empty());
                if (worst.isEmpty()) {
                    return;
                }
                places.remove(worst.get());
            }
            places.add(new HeardAddress(address, isSource, nowNanos));
            isNews = true;
        }

        private Optional<HeardAddress> worst(boolean amongSources, long nowNanos) {
            return places.stream()
                    .filter(place -> place.isSource() == amongSources)
                    .skip(amongSources ? 1 : 0)
                    .max(Comparator.comparingLong(place -> nowNanos - place.heardNanos()));
        }

        private void forget(long nowNanos) {
            places.removeIf(place -> nowNanos - place.heardNanos() >= MEMORY_NANOS);
        }
    }

    /** The evaluation of one message. */
    private final class Hearing {
        private final Bytes source;
        private final long nowNanos;
        private final Map<DnsName, Half> announced = new LinkedHashMap<>();
        private final Map<Bytes, Member> touched = new HashMap<>();
        private int goodbyes;
        private int addresses;
        private int newMembers;
        private int newStrangers;

        Hearing(Bytes source, long nowNanos) {
            this.source = source;
            this.nowNanos = nowNanos;
        }

        Verdict verdict(List<DnsQuestion> questions, List<DnsRecord> records) {
            records.forEach(this::gather);
            announced.forEach(this::judge);
            records.forEach(this::locate);
            return new Verdict(questions, due(touched.values(), nowNanos), newMembers, newStrangers);
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
            if (announced.size() >= INSTANCES_OF_MESSAGE_MAX && !announced.containsKey(name)) {
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
                case DnsRecord.Address _, DnsRecord.Alias _ -> {}
            }
        }

        private void gather(DnsName name, Half half) {
            announced.merge(name, half, Half::with);
        }

        private void judge(DnsName name, Half said) {
            if (isMember(name, said)) {
                halves.remove(name);
                return;
            }
            Half before = halves.get(name);
            if (said.advert != null && said.service != null) {
                stranger(name); // a half that was heard before is kept for its other half
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
                return true; // this node itself: nothing to report, and no stranger
            }
            Member member = members.get(advert.nonce());
            if (member == null || !member.said(advert, half.service.port())) {
                OptionalInt generation = tags.verify(advert, half.service.port());
                if (generation.isEmpty()) {
                    return false;
                }
                member = room(advert, half.service.port(), generation.getAsInt());
                if (member == null) {
                    return true; // dropped until its next message
                }
            }
            members.remove(advert.nonce());
            members.put(advert.nonce(), member); // moves to the end, because it was heard now
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

        /** The entry of a member whose tag is valid; null if the table is full of members that were not reported yet. */
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
                if (oldestFirst.next().wasReported) {
                    oldestFirst.remove();
                    return true;
                }
            }
            return false;
        }

        /** Adds the addresses of the hosts of members. The source is already one of them. */
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

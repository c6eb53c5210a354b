package io.hearth.discovery.mdns.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.dns.DnsMessage;
import io.hearth.discovery.dns.DnsName;
import io.hearth.discovery.dns.DnsQuestion;
import io.hearth.discovery.dns.DnsReader;
import io.hearth.discovery.dns.DnsType;
import io.hearth.discovery.dns.Packet;
import io.hearth.discovery.mdns.Keys;
import io.hearth.discovery.mdns.LinkPrefix;
import io.hearth.discovery.mdns.machine.MdnsJudge.Heard;
import io.hearth.discovery.mdns.machine.MdnsJudge.Verdict;
import io.hearth.discovery.table.PeerTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The judge's decisions about received messages, in virtual time. */
public final class MdnsJudgeTest {
    private static final String TYPE = "_hearth._tcp.local";
    private static final long SECOND = PeerTable.SECOND;
    private static final long START =
            Long.MAX_VALUE - 3 * SECOND; // the clock may start anywhere, so it overflows on the way
    private static final int PORT = 52_416;
    private static final TagEncoding HOME = Keys.codec("home");
    private static final LinkPrefix LINK = new LinkPrefix(address(10, 77, 0, 9), 24);
    private static final Bytes ATTACKER = address(10, 77, 0, 66);
    private static final MdnsIdentity SELF =
            new MdnsIdentity(HOME.sign(nonce(999), PORT, Optional.empty()), "self", "hself");

    private final MdnsJudge judge = new MdnsJudge(SELF, HOME, nonce -> nonce.equals(nonce(999)), LINK::holds, START);
    private long nowNanos = START;
    private int members;
    private int strangers;

    @Test
    void aMemberIsToldOnceAndAgainWhenItMoves() {
        Bytes home = address(10, 77, 0, 1);
        assertEquals(List.of(new Heard(nonce(1), PORT, 1, List.of(home))), hear(home, announcement("a", 1, home)));
        for (int i = 0; i < 50; i++) {
            assertEquals(List.of(), hear(home, announcement("a", 1, home)));
            nowNanos += SECOND;
        }
        Bytes other = address(10, 77, 0, 2);
        assertEquals(
                List.of(other, home),
                hear(other, announcement("a", 1, other)).getFirst().addresses());
        assertEquals(1, members);
        assertEquals(0, strangers);
    }

    /** JmDNS announces host and service separately, answers all at once, and may split a full packet at any record. */
    @ParameterizedTest
    @ValueSource(
            strings = {"STA", "TSA", "AST", "ATS", "SAT", "TAS", "ST", "TS", "(ST)A", "A(ST)", "(ST)", "S(AT)", "(SA)T"
            })
    void aMemberIsFoundInWhateverPiecesItSpeaks(String pieces) {
        Bytes home = address(10, 77, 0, 1);
        var heard = new ArrayList<Heard>();
        Packet packet = Packet.response();
        boolean isOpen = false;
        for (int i = 0; i < pieces.length(); i++) {
            char piece = pieces.charAt(i);
            switch (piece) {
                case 'S' -> packet.srv("a." + TYPE, 120, PORT, "host-a.local");
                case 'T' -> packet.txt("a." + TYPE, 120, txt(1));
                case 'A' -> packet.address("host-a.local", 120, home.toArray());
                default -> isOpen = piece == '(';
            }
            if (!isOpen) {
                heard.addAll(hear(home, packet));
                packet = Packet.response();
                nowNanos += SECOND / 2;
            }
        }
        assertEquals(List.of(new Heard(nonce(1), PORT, 1, List.of(home))), heard);
    }

    /** JmDNS probes for the host in one message, and for the service in the next. */
    @Test
    void aMemberIsHeardWhenItProbes() {
        Bytes home = address(10, 77, 0, 1);
        assertEquals(
                List.of(),
                hear(
                        home,
                        Packet.probe().ask("host-a.local", DnsType.ANY).address("host-a.local", 120, home.toArray())));
        assertEquals(
                List.of(new Heard(nonce(1), PORT, 1, List.of(home))),
                hear(home, record(Packet.probe().ask("a." + TYPE, DnsType.ANY), "a", PORT, txt(1))));
        assertEquals(List.of(), hear(home, announcement("a", 1, home)), "its announcement says nothing new");
        assertEquals(List.of(), hear(ATTACKER, record(Packet.probe(), "b", PORT + 1, txt(2))));
        assertEquals(List.of(), hear(ATTACKER, record(Packet.probe(), "self", PORT, txt(3))), "this node's own name");
        assertEquals(1, members);
        assertEquals(1, strangers);
    }

    @Test
    void whatAnAskerKnowsAlreadyIsNotHeard() {
        assertEquals(
                List.of(),
                hear(ATTACKER, record(Packet.query().ask("_ipp._tcp.local", DnsType.PTR), "a", PORT, txt(1))));
        assertEquals(0, members + strangers);
    }

    @Test
    void halvesThatComeTooFarApartAreNoWhole() {
        hear(ATTACKER, Packet.response().srv("a." + TYPE, 120, PORT, "host-a.local"));
        nowNanos += 11 * SECOND;
        hear(ATTACKER, Packet.response().srv("b." + TYPE, 120, PORT, "host-b.local"));
        assertEquals(List.of(), hear(ATTACKER, Packet.response().txt("a." + TYPE, 120, txt(1))));
    }

    @Test
    void strangersAreCountedOnceAndNeverTold() {
        for (int i = 0; i < 3; i++) {
            assertEquals(List.of(), hear(ATTACKER, whole("port", PORT + 1, txt(1))));
            var otherNonce = new TreeMap<>(txt(1));
            otherNonce.put("n", txt(2).get("n"));
            assertEquals(List.of(), hear(ATTACKER, whole("nonce", PORT, otherNonce)));
            assertEquals(List.of(), hear(ATTACKER, whole("text", PORT, Map.of("v", "2"))));
            var office =
                    Keys.codec("office").sign(nonce(1), PORT, Optional.empty()).txt();
            assertEquals(List.of(), hear(ATTACKER, whole("office", PORT, office)));
        }
        assertEquals(4, strangers);
        assertEquals(0, members);
        assertEquals(List.of(), judge.known(nowNanos));
    }

    @Test
    void whatThisNodeSaysItselfAndWhatOthersSayOfItIsNothing() {
        assertEquals(
                List.of(),
                hear(address(10, 77, 0, 9), whole("self", PORT, SELF.advert().txt())));
        assertEquals(List.of(), hear(ATTACKER, whole("self", PORT, txt(1))), "its name in another's mouth");
        assertEquals(
                List.of(), hear(ATTACKER, whole("mirror", PORT, SELF.advert().txt())), "its own advert");
        assertEquals(0, strangers + members);
    }

    /** Attack 38: adverts of running members under thousands of names, with unused addresses, while a node starts. */
    @Test
    void replaysUnderManyNamesHideNobody() {
        var told = new ArrayList<Heard>();
        for (int i = 0; i < 9_000; i++) {
            String name = "forged" + i;
            int member = 1 + i % 2;
            told.addAll(hear(
                    ATTACKER,
                    Packet.response()
                            .ptr(TYPE, 0x7FFF_FFFF, name + "." + TYPE)
                            .srv(name + "." + TYPE, 0x7FFF_FFFF, PORT, name + ".local")
                            .txt(name + "." + TYPE, 0x7FFF_FFFF, txt(member))
                            .address(name + ".local", 0x7FFF_FFFF, (byte) 10, (byte) 77, (byte) (i >> 8 & 1), (byte) i)
                            .address(name + ".local", 0x7FFF_FFFF, (byte) 8, (byte) 8, (byte) 8, (byte) 8)));
            nowNanos += SECOND / 300;
            if (i == 4_500) { // both answer the node's question
                for (int real = 1; real <= 2; real++) {
                    Bytes home = address(10, 77, 0, real);
                    hear(home, announcement("real" + real, real, home));
                    Bytes wanted = home;
                    assertEquals(
                            home,
                            judge.known(nowNanos).stream()
                                    .map(heard -> heard.addresses().getFirst())
                                    .filter(wanted::equals)
                                    .findFirst()
                                    .orElseThrow());
                }
            }
            if (i == 6_000) { // and another node starts
                Bytes fresh = address(10, 77, 0, 3);
                assertEquals(
                        List.of(new Heard(nonce(3), PORT, 1, List.of(fresh))),
                        hear(fresh, announcement("fresh", 3, fresh)));
            }
        }
        assertEquals(3, members, "a replay is the same member");
        assertTrue(strangers > 8_000, "surplus names are strangers, got " + strangers);
        assertTrue(told.size() < 2 * 60 + 10, "told " + told.size() + " times in 30 s");
        assertTrue(told.stream().flatMap(heard -> heard.addresses().stream()).allMatch(LINK::holds), "off the link");
        for (int real = 1; real <= 2; real++) {
            assertTrue(known(real).contains(address(10, 77, 0, real)), "a flood drove out the real address of " + real);
        }
        nowNanos += MdnsJudge.MEMORY_SECONDS * SECOND;
        assertEquals(List.of(), judge.known(nowNanos), "nothing lasts");
        Bytes home = address(10, 77, 0, 1);
        assertEquals(
                List.of(home),
                hear(home, announcement("real1", 1, home)).getFirst().addresses());
    }

    @Test
    void madeUpAddressesTakeNoPlaceOfASource() {
        Bytes home = address(10, 77, 0, 1);
        hear(home, announcement("a", 1, home));
        for (int i = 100; i < 200; i++) {
            nowNanos += SECOND / 10;
            hear(ATTACKER, announcement("a", 1, address(10, 77, 0, i)));
        }
        assertEquals(Sighting.CANDIDATES_MAX, known(1).size());
        assertEquals(List.of(ATTACKER, home), known(1).subList(0, 2));
    }

    /**
     * The datagrams' sources are forged: the first source keeps its place, the newest is reported first, and none off the link is reported.
     */
    @Test
    void madeUpSourcesTakeNoPlaceOfTheFirst() {
        Bytes home = address(10, 77, 0, 1);
        hear(home, announcement("a", 1, home));
        for (int i = 100; i < 200; i++) {
            nowNanos += SECOND / 10;
            Bytes forged = address(10, 77, 0, i);
            hear(forged, announcement("a", 1, forged));
        }
        assertEquals(Sighting.CANDIDATES_MAX, known(1).size());
        assertEquals(address(10, 77, 0, 199), known(1).getFirst());
        assertTrue(known(1).contains(home));
        List<Bytes> sources = known(1);
        hear(address(10, 77, 0, 199), announcement("a", 1, address(10, 77, 0, 250)));
        assertEquals(sources, known(1), "a record took the place of a source");
    }

    @Test
    void aSourceTakesThePlaceOfARecord() {
        for (int i = 100; i < 120; i++) {
            hear(ATTACKER, announcement("a", 1, address(10, 77, 0, i)));
        }
        Bytes home = address(10, 77, 0, 1);
        nowNanos += 10 * SECOND;
        assertEquals(
                home,
                hear(home, announcement("a", 1, home)).getFirst().addresses().getFirst());
    }

    @Test
    void addressesOffTheLinkAreDropped() {
        Bytes home = address(10, 77, 0, 1);
        assertEquals(
                List.of(home),
                hear(home, announcement("a", 1, address(8, 8, 8, 8))).getFirst().addresses());
        assertEquals(List.of(), hear(home, Packet.response().address("host-a.local", 120, new byte[16])));
    }

    @Test
    void whoSaidGoodbyeIsNotToldUntilItSpeaksAgain() {
        Bytes home = address(10, 77, 0, 1);
        hear(home, announcement("a", 1, home));
        hear(home, Packet.response().srv("a." + TYPE, 0, PORT, "host-a.local").txt("a." + TYPE, 0, txt(1)));
        assertEquals(List.of(), judge.known(nowNanos));
        nowNanos += SECOND;
        assertEquals(
                List.of(home), hear(home, announcement("a", 1, home)).getFirst().addresses());
        assertEquals(1, members);
    }

    /** Goodbyes and replays in turn: the number of reports is still bounded. */
    @Test
    void forgedGoodbyesBuyNothing() {
        Bytes home = address(10, 77, 0, 1);
        int told = 0;
        for (int i = 0; i < 1_000; i++) {
            told += hear(home, announcement("a", 1, home)).size();
            hear(ATTACKER, Packet.response().txt("a." + TYPE, 0, txt(1)));
            nowNanos += SECOND / 100;
        }
        assertTrue(told <= 14, "told " + told + " times in 10 s");
    }

    /** As with a year of recorded and replayed adverts: the tables stay bounded, and a new member is admitted. */
    @Test
    void aTableFullOfOldAdvertsLetsANewMemberIn() {
        for (int i = 0; i < MdnsJudge.MEMBERS_MAX + 40; i++) {
            hear(ATTACKER, announcement("old" + i, 10_000 + i, ATTACKER));
            nowNanos += SECOND / 20;
        }
        assertTrue(judge.known(nowNanos).size() <= MdnsJudge.MEMBERS_MAX);
        Bytes home = address(10, 77, 0, 1);
        assertEquals(
                List.of(home), hear(home, announcement("a", 1, home)).getFirst().addresses());
    }

    /** More new members than may be reported at once: delayed members are reported later, and take no other member's place. */
    @Test
    void whatHadToWaitIsToldLater() {
        var told = new TreeSet<String>();
        int all = MdnsJudge.MEMBERS_MAX;
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < all; i++) {
                hear(address(10, 77, 0, i % 250), announcement("m" + i, i, address(10, 77, 0, round)))
                        .forEach(heard -> told.add(heard.nonce().hex()));
            }
        }
        for (int tick = 0; tick < 60; tick++) {
            nowNanos += SECOND;
            judge.due(nowNanos).forEach(heard -> told.add(heard.nonce().hex()));
        }
        assertEquals(all, told.size());
        nowNanos += SECOND;
        assertEquals(List.of(), judge.due(nowNanos), "nothing is left to tell");
    }

    /** Twice as many new members at an instant as there is room for: members that wait for their report keep their places. */
    @Test
    void whoWaitsToBeToldKeepsItsPlace() {
        var told = new TreeSet<String>();
        for (int i = 0; i < 3 * MdnsJudge.MEMBERS_MAX; i++) {
            hear(ATTACKER, announcement("m" + i, i, ATTACKER))
                    .forEach(heard -> told.add(heard.nonce().hex()));
        }
        assertEquals(MdnsJudge.MEMBERS_MAX, told.size(), "told at an instant");
        for (int tick = 0; tick < 60; tick++) {
            nowNanos += SECOND;
            judge.due(nowNanos).forEach(heard -> told.add(heard.nonce().hex()));
        }
        for (int i = 0; i < 2 * MdnsJudge.MEMBERS_MAX; i++) {
            assertTrue(told.contains(nonce(i).hex()), "member " + i + " was never told of");
        }
    }

    @Test
    void aKnownAdvertAtAnotherPortIsAStranger() {
        Bytes home = address(10, 77, 0, 1);
        hear(home, announcement("a", 1, home));
        assertEquals(List.of(), hear(ATTACKER, whole("b", PORT + 1, txt(1))));
        assertEquals(1, strangers);
        assertEquals(List.of(home), known(1));
    }

    /** Halves of unknown instances, from one source and then from many, while a member announces itself in halves. */
    @Test
    void aFloodOfHalvesFromOneSourceHidesNobody() {
        Bytes home = address(10, 77, 0, 1);
        hear(home, Packet.response().txt("a." + TYPE, 120, txt(1)));
        for (int i = 0; i < 10_000; i++) {
            hear(ATTACKER, Packet.response().srv("half" + i + "." + TYPE, 120, PORT, "nobody.local"));
        }
        hear(ATTACKER, Packet.response().srv("a." + TYPE, 120, PORT + 1, "nobody.local"));
        assertEquals(
                1,
                hear(home, Packet.response().srv("a." + TYPE, 120, PORT, "host-a.local"))
                        .size());
    }

    @Test
    void noFloodGrowsTheTables() {
        int bound = MdnsJudge.MEMBERS_MAX + MdnsJudge.HALVES_MAX + MdnsJudge.STRANGERS_MAX;
        for (int i = 0; i < 20_000; i++) {
            Bytes source = address(10, 77, 0, i % 251);
            String name = "x" + i + "." + TYPE;
            hear(source, Packet.response().srv(name, 4_000_000_000L, PORT, "h" + i + ".local"));
            hear(source, Packet.response().txt("y" + i + "." + TYPE, 120, txt(i)));
            hear(source, whole("z" + i, PORT + 1, txt(i)));
            hear(source, announcement("w" + i, i, source));
            hear(source, Packet.response().address("h" + i + ".local", 120, source.toArray()));
            assertTrue(judge.size() <= bound, judge.size() + " entries");
            nowNanos += SECOND / 2_000;
        }
    }

    @Test
    void onlyQuestionsThatThisNodeCanAnswerPass() {
        var asked = Packet.query()
                .ask(TYPE, DnsType.PTR)
                .ask("_HEARTH._tcp.Local", DnsType.PTR)
                .ask("_services._dns-sd._udp.local", DnsType.PTR)
                .ask("self." + TYPE, DnsType.SRV)
                .ask("self." + TYPE, DnsType.A)
                .ask("hself.local", DnsType.AAAA)
                .ask("hself.local", DnsType.TXT)
                .ask("other." + TYPE, DnsType.ANY)
                .ask("printer.local", DnsType.A)
                .ask("_ipp._tcp.local", DnsType.PTR)
                .ask("9.0.77.10.in-addr.arpa", DnsType.PTR);
        assertEquals(
                Set.of(
                        new DnsQuestion(DnsName.of("_hearth", "_tcp", "local"), DnsType.PTR),
                        new DnsQuestion(DnsName.of("_services", "_dns-sd", "_udp", "local"), DnsType.PTR),
                        new DnsQuestion(DnsName.of("self", "_hearth", "_tcp", "local"), DnsType.SRV),
                        new DnsQuestion(DnsName.of("hself", "local"), DnsType.AAAA)),
                Set.copyOf(verdict(ATTACKER, asked).questions()));
        assertEquals(4, verdict(ATTACKER, asked).questions().size());
        assertEquals(
                List.of(),
                verdict(ATTACKER, Packet.query().ask("printer.local", DnsType.A))
                        .questions());
    }

    /** Each question costs a multicast answer: few are answered in a second, and small questions leave the whole ones their share. */
    @Test
    void aFloodOfQuestionsGetsAFewAnswersEachSecond() {
        int small = 0;
        int whole = 0;
        for (int i = 0; i < 10_000; i++) {
            small += verdict(ATTACKER, Packet.query().ask("hself.local", DnsType.A))
                    .questions()
                    .size();
            if (i % 100 == 0) {
                whole += verdict(ATTACKER, Packet.query().ask(TYPE, DnsType.PTR))
                        .questions()
                        .size();
            }
            nowNanos += SECOND / 500;
        }
        assertTrue(small <= 20 + 5 * 20 + 1, small + " in 20 s");
        assertEquals(100, whole);
    }

    private List<Bytes> known(int member) {
        return judge.known(nowNanos).stream()
                .filter(heard -> heard.nonce().equals(nonce(member)))
                .findFirst()
                .orElseThrow()
                .addresses();
    }

    private List<Heard> hear(Bytes source, Packet packet) {
        Verdict verdict = verdict(source, packet);
        assertTrue(verdict.questions().isEmpty());
        members += verdict.members();
        strangers += verdict.strangers();
        return verdict.heard();
    }

    private Verdict verdict(Bytes source, Packet packet) {
        try {
            byte[] bytes = packet.bytes();
            DnsMessage message = DnsReader.read(bytes, bytes.length);
            return judge.judge(message, source, nowNanos);
        } catch (MalformedMessageException wrong) {
            throw new AssertionError(wrong);
        }
    }

    private static Packet announcement(String name, int member, Bytes address) {
        return whole(name, PORT, txt(member))
                .address("host-" + name + ".local", 120, address.toArray())
                .ptr(TYPE, 3_600, name + "." + TYPE);
    }

    private static Packet whole(String name, int port, Map<String, String> txt) {
        return record(Packet.response(), name, port, txt);
    }

    private static Packet record(Packet packet, String name, int port, Map<String, String> txt) {
        return packet.srv(name + "." + TYPE, 120, port, "host-" + name + ".local")
                .txt(name + "." + TYPE, 120, txt);
    }

    private static Map<String, String> txt(int member) {
        return HOME.sign(nonce(member), PORT, Optional.empty()).txt();
    }

    public static Bytes nonce(int number) {
        return Bytes.of(ByteBuffer.allocate(Advert.NONCE_BYTES).putInt(number).array());
    }

    public static Bytes address(int... bytes) {
        byte[] raw = new byte[bytes.length];
        IntStream.range(0, raw.length).forEach(i -> raw[i] = (byte) bytes[i]);
        return Bytes.of(raw);
    }

    @Test
    void aPrefixHoldsItsAddressesOnly() {
        var odd = new LinkPrefix(address(10, 77, 12, 9), 22);
        assertTrue(odd.holds(address(10, 77, 15, 255)));
        assertTrue(odd.holds(address(10, 77, 12, 0)));
        assertFalse(odd.holds(address(10, 77, 16, 0)));
        assertFalse(odd.holds(address(10, 77, 11, 255)));
        assertFalse(odd.holds(Bytes.of(new byte[16])));
        assertTrue(new LinkPrefix(address(10, 0, 0, 1), 32).holds(address(10, 0, 0, 1)));
        assertFalse(new LinkPrefix(address(10, 0, 0, 1), 32).holds(address(10, 0, 0, 0)));
    }
}

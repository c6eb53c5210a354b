package io.hearth.discovery.names;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.dns.DnsType;
import io.hearth.discovery.names.DnsServer.Asked;
import io.hearth.discovery.names.DnsServer.Reply;
import io.hearth.discovery.names.machine.NameAnswer;
import io.hearth.discovery.names.machine.NameAnswer.Location;
import io.hearth.discovery.names.machine.NameQuestion;
import io.hearth.discovery.names.machine.NameQuestion.Kind;
import io.hearth.discovery.names.machine.ResolverSettings;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** Lookups against a DNS server on loopback that answers, lies, or is silent. */
final class SystemLookupIT {
    /** For answers that come: long enough for a busy machine. */
    private static final long LONG = 20_000_000_000L;

    /** For answers that never come. */
    private static final long SHORT = 200_000_000L;

    private static final String NAME = "all.example.org";
    private static final String SERVICE = "_hearth._tcp.example.org";

    @Test
    void addressesOfBothFamiliesComeWithTheShorterTtl() throws IOException {
        assertEquals(
                new NameAnswer.Addresses(List.of("10.0.0.1", "10.0.0.2", "fd00:0:0:0:0:0:0:1"), OptionalLong.of(7)),
                addresses(asked -> (asked.type() == DnsType.A
                                ? asked.reply().address(NAME, 30, "10.0.0.1").address("ALL.example.ORG", 9, "10.0.0.2")
                                : asked.reply().address(NAME, 7, "fd00::1"))
                        .only()));
    }

    @Test
    void aliasesAreFollowedAndTheirTtlCounts() throws IOException {
        assertEquals(
                new NameAnswer.Addresses(List.of("10.0.0.1"), OptionalLong.of(3)),
                addresses(v4(asked -> asked.reply()
                        .alias(NAME, 30, "b.org")
                        .address("c.org", 30, "10.0.0.1")
                        .alias("b.org", 3, "c.org")
                        .address("unrelated.org", 1, "10.0.0.66"))));
    }

    @Test
    void aCircleOfAliasesHasNoAddress() throws IOException {
        NameAnswer answer = addresses(v4(asked -> asked.reply()
                .alias(NAME, 30, "b.org")
                .alias("b.org", 30, "c.org")
                .alias("c.org", 30, NAME)));
        assertEquals(
                new NameAnswer.Absent(NAME + " has no address of a host"),
                answer instanceof NameAnswer.Absent(String why)
                        ? new NameAnswer.Absent(why.replace(" is an alias in a circle and", ""))
                        : answer);
    }

    @Test
    void aChainOfTooManyAliasesHasNoAddress() throws IOException {
        assertInstanceOf(NameAnswer.Absent.class, addresses(v4(asked -> {
            Reply reply = asked.reply().alias(NAME, 30, "n0.org");
            for (int i = 0; i < 40; i++) {
                reply.alias("n" + i + ".org", 30, "n" + (i + 1) + ".org");
            }
            return reply.address("n40.org", 30, "10.0.0.1");
        })));
    }

    @Test
    void addressesThatNoHostHasAreLeftOut() throws IOException {
        assertEquals(new NameAnswer.Addresses(List.of("127.0.0.1"), OptionalLong.of(30)), addresses(asked -> {
            Reply reply = asked.reply();
            if (asked.type() == DnsType.A) {
                List.of("0.0.0.0", "224.0.0.251", "255.255.255.255", "127.0.0.1")
                        .forEach(each -> reply.address(NAME, 30, each));
            } else {
                List.of("::", "ff02::fb", "fe80::1").forEach(each -> reply.address(NAME, 1, each));
            }
            return reply.only();
        }));
    }

    @Test
    void noSuchNameAndNoSuchRecordAreAbsences() throws IOException {
        assertEquals(
                new NameAnswer.Absent("no such name " + NAME),
                addresses(asked -> asked.reply().code(3).only()));
        assertEquals(
                new NameAnswer.Absent(NAME + " has no address of a host"),
                addresses(asked -> asked.reply().only()));
    }

    @Test
    void errorsOfServersAreFailuresThatNameThem() throws IOException {
        assertEquals(
                new NameAnswer.Failed("SERVFAIL from 127.0.0.1"),
                addresses(asked -> asked.reply().code(2).only()));
        assertEquals(
                new NameAnswer.Failed("REFUSED by 127.0.0.1"),
                addresses(asked -> asked.reply().code(5).only()));
        assertEquals(
                new NameAnswer.Failed("error 1 from 127.0.0.1"),
                addresses(asked -> asked.reply().code(1).only()));
    }

    @Test
    void aServerThatKnowsNoAddressesOfIpv6DoesNoHarm() throws IOException {
        assertEquals(
                new NameAnswer.Addresses(List.of("10.0.0.1"), OptionalLong.of(30)),
                addresses(asked -> (asked.type() == DnsType.A
                                ? asked.reply().address(NAME, 30, "10.0.0.1")
                                : asked.reply().code(4))
                        .only()));
    }

    @Test
    void silenceEndsInTime() throws IOException {
        try (var server = new DnsServer(_ -> List.of())) {
            assertEquals(
                    new NameAnswer.Failed("no answer from 127.0.0.1 within 200 ms"),
                    lookup(SHORT, server).ask(new NameQuestion(NAME, Kind.ADDRESSES)));
            assertEquals(1, server.asked.get(), "a silent server was asked for the other family too");
        }
    }

    @Test
    void aClosedPortIsNamed() throws IOException {
        var gone = new DnsServer(_ -> List.of());
        gone.close();
        assertEquals(
                new NameAnswer.Failed("no DNS server at 127.0.0.1:" + gone.port()),
                lookup(LONG, gone.port()).ask(new NameQuestion(NAME, Kind.ADDRESSES)));
    }

    @Test
    void theNextServerIsAskedAfterSilenceAndAfterAnError() throws IOException {
        try (var silent = new DnsServer(_ -> List.of());
                var broken = new DnsServer(asked -> asked.reply().code(2).only());
                var good = new DnsServer(v4(asked -> asked.reply().address(NAME, 30, "10.0.0.1")))) {
            assertEquals(
                    new NameAnswer.Addresses(List.of("10.0.0.1"), OptionalLong.of(30)),
                    lookup(2_000_000_000L, silent, broken, good).ask(new NameQuestion(NAME, Kind.ADDRESSES)));
            assertEquals(
                    new NameAnswer.Failed("no answer from 127.0.0.1 within 200 ms, SERVFAIL from 127.0.0.1"),
                    lookup(SHORT, silent, broken).ask(new NameQuestion(NAME, Kind.ADDRESSES)));
        }
    }

    @Test
    void answersToOtherQuestionsAndGarbageAreSkipped() throws IOException {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(17);
        assertEquals(new NameAnswer.Addresses(List.of("10.0.0.1"), OptionalLong.of(30)), addresses(asked -> {
            if (asked.type() == DnsType.AAAA) {
                return asked.reply().only();
            }
            byte[] garbage = new byte[100];
            random.nextBytes(garbage);
            garbage[2] |= (byte) 0x80;
            byte[] good = asked.reply().address(NAME, 30, "10.0.0.1").bytes();
            byte[] query = good.clone();
            query[2] &= 0x7F;
            return List.of(
                    new byte[0],
                    garbage,
                    query,
                    Arrays.copyOf(good, good.length - 3),
                    asked.reply().otherId().address(NAME, 30, "10.0.0.66").bytes(),
                    asked.reply()
                            .otherQuestion("x.org", DnsType.A)
                            .address("x.org", 30, "10.0.0.66")
                            .bytes(),
                    asked.reply()
                            .otherQuestion(NAME, DnsType.AAAA)
                            .address(NAME, 30, "10.0.0.66")
                            .bytes(),
                    good);
        }));
    }

    @Test
    void whoOnlySendsNonsenseIsNamed() throws IOException {
        try (var server = new DnsServer(asked -> List.of(new byte[] {1, 2, 3}));
                var forger = new DnsServer(asked ->
                        asked.reply().otherId().address(NAME, 30, "10.0.0.66").only())) {
            assertEquals(
                    new NameAnswer.Failed(
                            "only malformed answers (an answer has 12 to 65535 bytes) from 127.0.0.1 within"
                                    + " 200 ms, only answers to other questions from 127.0.0.1 within 200 ms"),
                    lookup(SHORT, server, forger).ask(new NameQuestion(NAME, Kind.ADDRESSES)));
        }
    }

    @Test
    void aTruncatedAnswerIsFetchedByTcp() throws IOException {
        NameAnswer answer = addresses(asked -> {
            if (asked.type() == DnsType.AAAA) {
                return asked.reply().only();
            }
            Reply reply = asked.reply();
            for (int i = 0; i < (asked.isTcp() ? 1_500 : 3); i++) {
                reply.address(NAME, 30, "10.0." + (i >> 8) + "." + (1 + (i & 127)));
            }
            return asked.isTcp() ? reply.only() : reply.truncated().only();
        });
        assertEquals(
                1_500,
                assertInstanceOf(NameAnswer.Addresses.class, answer).literals().size());
    }

    @Test
    void aTruncatedAnswerIsUsedAsItIsWhereTcpIsClosed() throws IOException {
        Asked[] last = new Asked[1];
        try (var server = new DnsServer(asked -> {
            last[0] = asked;
            byte[] whole = asked.reply()
                    .address(NAME, 30, asked.type() == DnsType.A ? "10.0.0.1" : "fd00::1")
                    .address(NAME, 30, asked.type() == DnsType.A ? "10.0.0.2" : "fd00::2")
                    .truncated()
                    .bytes();
            return List.of(Arrays.copyOf(whole, whole.length - 2)); // cut within the last record
        })) {
            server.closeTcp();
            assertEquals(
                    new NameAnswer.Addresses(List.of("10.0.0.1", "fd00:0:0:0:0:0:0:1"), OptionalLong.of(30)),
                    lookup(LONG, server).ask(new NameQuestion(NAME, Kind.ADDRESSES)));
        }
        assertEquals(NAME, last[0].name());
    }

    @Test
    void tenThousandRecordsAreAMalformedAnswerAndNoHarm() throws IOException {
        try (var server = new DnsServer(asked -> {
            Reply reply = asked.reply();
            for (int i = 0; i < (asked.isTcp() ? 2_000 : 0); i++) {
                reply.address(NAME, 30, "10.0." + (i >> 8) + "." + (i & 255));
            }
            return asked.isTcp()
                    ? reply.lie(1, 10_000).only()
                    : reply.truncated().only();
        })) {
            assertEquals(
                    new NameAnswer.Failed("only a malformed answer by TCP (more records than an answer may have) from"
                            + " 127.0.0.1 within 20000 ms"),
                    lookup(LONG, server).ask(new NameQuestion(NAME, Kind.ADDRESSES)));
        }
    }

    @Test
    void servicesComeWithTheAddressesInTheSameAnswer() throws IOException {
        NameAnswer answer = ask(
                new NameQuestion(SERVICE, Kind.SERVICE),
                asked -> asked.reply()
                        .service(SERVICE, 30, 10, 5, 7, "a.example.org")
                        .service(SERVICE, 20, 0, 0, 52_416, "b.example.org")
                        .service(SERVICE, 20, 0, 0, 0, "no-port.example.org")
                        .service(SERVICE, 20, 0, 0, 7, "")
                        .service(SERVICE, 20, 0, 0, 7, "bad name.example.org")
                        .service("_ipp._tcp.example.org", 1, 0, 0, 631, "printer.example.org")
                        .address(3, "A.example.org", 5, "10.0.0.1")
                        .address(3, "a.example.org", 5, "fd00::1")
                        .address(3, "printer.example.org", 5, "10.0.0.66")
                        .only());
        assertEquals(
                new NameAnswer.Services(
                        List.of(
                                new Location(10, 5, 7, "a.example.org", List.of("10.0.0.1", "fd00:0:0:0:0:0:0:1")),
                                new Location(0, 0, 52_416, "b.example.org", List.of())),
                        OptionalLong.of(20)),
                answer);
    }

    @Test
    void aServiceThatIsDecidedlyNotThereIsAbsent() throws IOException {
        assertEquals(
                new NameAnswer.Absent(SERVICE + " has no SRV record with a host and a port"),
                ask(
                        new NameQuestion(SERVICE, Kind.SERVICE),
                        asked -> asked.reply().service(SERVICE, 30, 0, 0, 0, "").only()));
    }

    @Test
    void hostsAreAskedOfTheResolverOfTheMachine() {
        var lookup = new SystemLookup(
                () -> {
                    throw new AssertionError("asked DNS itself");
                },
                Clock.system());
        assertEquals(
                new NameAnswer.Addresses(List.of("127.0.0.1"), OptionalLong.empty()),
                lookup.ask(new NameQuestion("127.0.0.1", Kind.HOST)));
    }

    @Test
    void anInterruptEndsAWait() throws Exception {
        var reached = new CountDownLatch(1);
        try (var server = new DnsServer(_ -> {
            reached.countDown();
            return List.of();
        })) {
            var answer = new FutureTask<>(() -> lookup(LONG * 100, server).ask(new NameQuestion(NAME, Kind.ADDRESSES)));
            Thread asking = Thread.ofPlatform().daemon().start(answer);
            reached.await();
            asking.interrupt();
            assertTrue(answer.get() instanceof NameAnswer.Failed);
        }
    }

    /** A script that answers for IPv4, and has no addresses of IPv6. */
    private static DnsServer.Script v4(Function<Asked, Reply> reply) {
        return asked -> asked.type() == DnsType.AAAA
                ? asked.reply().only()
                : reply.apply(asked).only();
    }

    private static NameAnswer addresses(DnsServer.Script script) throws IOException {
        return ask(new NameQuestion(NAME, Kind.ADDRESSES), script);
    }

    private static NameAnswer ask(NameQuestion question, DnsServer.Script script) throws IOException {
        try (var server = new DnsServer(script)) {
            return lookup(LONG, server).ask(question);
        }
    }

    private static SystemLookup lookup(long timeoutNanos, DnsServer... servers) {
        return lookup(
                timeoutNanos, Arrays.stream(servers).mapToInt(DnsServer::port).toArray());
    }

    private static SystemLookup lookup(long timeoutNanos, int... ports) {
        var settings = new ResolverSettings(
                Arrays.stream(ports)
                        .mapToObj(port -> new PeerAddress("127.0.0.1", port))
                        .toList(),
                List.of(),
                1,
                Optional.empty());
        return new SystemLookup(() -> settings, Clock.system(), timeoutNanos);
    }
}

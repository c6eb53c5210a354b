package io.hearth.agent.pairing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.HearthConfig;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.pairing.NamespaceNewcomer;
import io.hearth.identity.pairing.NamespaceSponsor;
import io.hearth.identity.pairing.Sponsor;
import io.hearth.identity.pairing.machine.JoinerMachine;
import io.hearth.identity.pairing.machine.PairingCode;
import io.hearth.identity.pairing.machine.PairingEncoding;
import io.hearth.identity.pairing.machine.PairingFailure;
import io.hearth.identity.pairing.machine.PairingLimits;
import io.hearth.identity.pairing.machine.PairingMessage;
import io.hearth.identity.pairing.machine.PairingMessage.Proof;
import io.hearth.identity.pairing.machine.PairingMessage.Round1;
import io.hearth.identity.pairing.machine.PairingMessage.Round2;
import io.hearth.identity.pairing.machine.SponsorMachine;
import io.hearth.identity.pairing.machine.SponsorMachine.Outcome;
import io.hearth.identity.roster.RosterDesk;
import java.math.BigInteger;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bouncycastle.crypto.agreement.jpake.JPAKEPrimeOrderGroups;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Attacks 13 to 17 on the product's own sessions, over TLS on the loopback interface. */
@Timeout(120)
final class PairingAttacksIT {
    private static final PairingCode CODE = PairingCode.of(42, 12_345_678);
    private static final PairingCode WRONG = PairingCode.of(42, 12_345_679);
    private static final BigInteger P = JPAKEPrimeOrderGroups.NIST_3072.getP();

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("home");
    private int homes;

    private static HearthConfig loopback(String label) throws SocketException {
        for (NetworkInterface candidate : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (candidate.isLoopback()) {
                return HearthConfig.defaults().label(label).interfaces(List.of(candidate.getName()));
            }
        }
        throw new AssertionError("no loopback interface");
    }

    private HearthHome home() throws SetupException {
        return HearthHome.open(folder.resolve("home-" + homes++));
    }

    /** A machine that shows a code, with the text on its screen. */
    private final class Shown implements AutoCloseable {
        final SponsorSession session;
        final List<SponsorMachine.Effect.Failed> screen = Collections.synchronizedList(new ArrayList<>());
        private final FutureTask<Outcome> outcome;

        Shown(PairingCode code) throws Exception {
            this(code, PairingLimits.DEFAULT, Clock.system());
        }

        Shown(PairingCode code, PairingLimits limits, Clock clock) throws Exception {
            HearthHome home = home();
            session = SponsorSession.open(loopback("study"), home, code, sponsor(home), limits, clock);
            outcome = new FutureTask<>(() -> {
                try (session) { // as the command does, which ends with its code
                    return session.run(screen::add);
                }
            });
            Thread.ofVirtual().start(outcome);
        }

        HostPort address() {
            return HostPort.parse("127.0.0.1:" + session.port());
        }

        Outcome outcome() throws Exception {
            return outcome.get(30, TimeUnit.SECONDS);
        }

        List<PairingFailure> failures() {
            return screen.stream().map(SponsorMachine.Effect.Failed::failure).toList();
        }

        @Override
        public void close() {
            outcome.cancel(true);
            session.close();
        }
    }

    private record Joined(JoinerMachine.Outcome outcome, List<String> namespaces, int runs) {
        PairingFailure failure() {
            return outcome instanceof JoinerMachine.Outcome.Failed failed ? failed.failure() : PairingFailure.UNKNOWN;
        }
    }

    private Joined join(PairingCode code, HostPort... peers) throws Exception {
        return join(code, Clock.system(), peers);
    }

    private Joined join(PairingCode code, Clock clock, HostPort... peers) throws Exception {
        NamespaceFile file = NamespaceFile.in(home());
        var failed = new ArrayList<JoinerMachine.Effect.Failed>();
        try (JoinerSession session = JoinerSession.open(
                loopback("kitchen"),
                HearthHome.open(file.path().resolveSibling("")),
                code,
                List.of(peers),
                new NamespaceNewcomer(HearthHome.open(file.path().resolveSibling(""))),
                PairingLimits.DEFAULT.waitNanos(TimeUnit.SECONDS.toNanos(3)),
                clock)) {
            return new Joined(session.run(failed::add), file.names(), failed.size());
        }
    }

    /** Also with clocks that are two years apart: pairing does not depend on the time of day. */
    @Test
    void aMachineWithTheCodeIsPairedWhateverTheClocksSay() throws Exception {
        try (var shown = new Shown(CODE, PairingLimits.DEFAULT, off(Duration.ofDays(365)))) {
            Joined joined = join(CODE, off(Duration.ofDays(-365)), shown.address());
            var there = (JoinerMachine.Outcome.Paired) joined.outcome();
            var here = (Outcome.Paired) shown.outcome();
            assertEquals("study", there.label());
            assertEquals("kitchen", here.label());
            assertEquals("127.0.0.1", here.address());
            assertEquals(shown.address().toString(), there.address());
            assertTrue(here.confirmed());
            assertEquals(List.of("home"), joined.namespaces());
            assertEquals(List.of(), shown.screen);
        }
    }

    private static Clock off(Duration by) {
        return new Clock() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public long epochMillis() {
                return System.currentTimeMillis() + by.toMillis();
            }
        };
    }

    @Test
    void attack13WrongCodesThenTheRightOne() throws Exception {
        try (var shown = new Shown(CODE)) {
            for (int run = 1; run <= 3; run++) {
                Joined wrong = join(WRONG, shown.address());
                assertEquals(PairingFailure.WRONG_CODE, wrong.failure());
                assertEquals(3 - run, ((JoinerMachine.Outcome.Failed) wrong.outcome()).runsLeft());
                assertEquals(List.of(), wrong.namespaces());
            }
            assertEquals(new Outcome.Exhausted("127.0.0.1"), shown.outcome());
            assertEquals(
                    List.of("127.0.0.1", "127.0.0.1", "127.0.0.1"),
                    shown.screen.stream()
                            .map(SponsorMachine.Effect.Failed::address)
                            .toList());
            Joined right = join(CODE, shown.address());
            assertFalse(right.outcome() instanceof JoinerMachine.Outcome.Paired, "" + right);
            assertEquals(List.of(), right.namespaces());
        }
        try (var again = new Shown(PairingCode.of(43, 87_654_321))) {
            assertEquals(PairingFailure.WRONG_CODE, join(CODE, again.address()).failure(), "the old code is unknown");
        }
    }

    @Tag("full")
    @Test
    void attack14HangUpGuessing() throws Exception {
        long round2 = 0;
        try (var shown = new Shown(CODE)) {
            for (int run = 0; run < 10; run++) {
                try (var stranger = new Stranger()) {
                    stranger.run(
                            shown.session.port(),
                            WRONG,
                            message -> message instanceof PairingMessage.Confirm
                                    ? List.of()
                                    : List.of(PairingEncoding.encode(message)));
                    round2 += stranger.heard(Round2.class);
                }
            }
            assertEquals(3, round2);
            assertEquals(new Outcome.Exhausted("127.0.0.1"), shown.outcome());
            assertEquals(
                    List.of(PairingFailure.HUNG_UP, PairingFailure.HUNG_UP, PairingFailure.HUNG_UP), shown.failures());
        }
    }

    /** A hundred addresses of five lying machines: more would only wait for their turn. */
    @Tag("full")
    @Test
    void attack15FakeSponsors() throws Exception {
        var fakes = new ArrayList<Shown>();
        try {
            for (int i = 0; i < 5; i++) {
                fakes.add(new Shown(PairingCode.of(42, i)));
            }
            HostPort[] places = IntStream.range(0, 64)
                    .mapToObj(i -> HostPort.parse("127.0.0." + (1 + i / 5) + ":"
                            + fakes.get(i % 5).session.port()))
                    .toArray(HostPort[]::new);
            Joined joined = join(CODE, places);
            assertEquals(3, joined.runs());
            assertEquals(3, ((JoinerMachine.Outcome.Failed) joined.outcome()).runs());
            assertEquals(List.of(), joined.namespaces());
            assertEquals(3, fakes.stream().mapToInt(fake -> fake.screen.size()).sum());
        } finally {
            fakes.forEach(Shown::close);
        }
    }

    /** A relay between two machines with the right code: it ends TLS to both, and forwards their messages. */
    @Tag("full")
    @Test
    void attack16Relay() throws Exception {
        try (var shown = new Shown(CODE);
                var toSponsor = new Stranger();
                var toJoiner = new Stranger()) {
            toSponsor.links.dial(Stranger.loopback(shown.session.port()));
            NodeId sponsor = ((Stranger.Seen.Met) toSponsor.next()).peer();
            var relay = Thread.ofVirtual().start(() -> pass(toJoiner, toSponsor, sponsor));
            Joined joined = join(CODE, HostPort.parse("127.0.0.1:" + toJoiner.links.port()));
            assertEquals(PairingFailure.PROOF, joined.failure());
            assertEquals(List.of(), joined.namespaces());
            relay.interrupt();
            relay.join();
            assertEquals(List.of(PairingFailure.PROOF), shown.failures());
        }
    }

    private static void pass(Stranger toJoiner, Stranger toSponsor, NodeId sponsor) {
        try {
            NodeId joiner = ((Stranger.Seen.Met) toJoiner.next()).peer();
            while (true) {
                if (toJoiner.next() instanceof Stranger.Seen.Arrived(var _, var frame)) {
                    toSponsor.links.send(sponsor, frame.toArray());
                    if (toSponsor.next() instanceof Stranger.Seen.Arrived(var _, var answer)) {
                        toJoiner.links.send(joiner, answer.toArray());
                    }
                }
            }
        } catch (InterruptedException enough) {
            Thread.currentThread().interrupt();
        }
    }

    @Tag("full")
    @Test
    void attack17Malformed() throws Exception {
        Bytes oversized = Bytes.of(new byte[40_000]);
        Bytes huge = PairingEncoding.encode(
                new Round2(BigInteger.ONE.shiftLeft(8 * 4096), new Proof(BigInteger.ONE, BigInteger.ONE)));
        for (Bytes odd : List.of(oversized, huge, PairingEncoding.encode(new PairingMessage.Done()))) {
            try (var shown = new Shown(CODE);
                    var first = new Stranger();
                    var second = new Stranger()) {
                first.run(shown.session.port(), CODE, _ -> List.of(odd));
                second.run(
                        shown.session.port(),
                        CODE,
                        message ->
                                message instanceof Round1 ? List.of(PairingEncoding.encode(message), odd) : List.of());
                assertEquals(List.of(PairingFailure.MALFORMED, PairingFailure.MALFORMED), shown.failures());
                assertTrue(join(CODE, shown.address()).outcome() instanceof JoinerMachine.Outcome.Paired);
            }
        }
        for (BigInteger bad : List.of(BigInteger.ZERO, BigInteger.ONE, P.subtract(BigInteger.ONE), P)) {
            try (var shown = new Shown(CODE);
                    var first = new Stranger();
                    var second = new Stranger()) {
                first.run(
                        shown.session.port(),
                        CODE,
                        message -> message instanceof Round1 right
                                ? List.of(PairingEncoding.encode(
                                        new Round1(bad, right.gx2(), right.proof1(), right.proof2())))
                                : List.of());
                second.run(
                        shown.session.port(),
                        CODE,
                        message -> List.of(PairingEncoding.encode(
                                message instanceof Round2 right ? new Round2(bad, right.proof()) : message)));
                assertEquals(List.of(PairingFailure.PROOF, PairingFailure.PROOF), shown.failures());
                assertEquals(0, second.heard(Round2.class));
            }
        }
    }

    @Tag("full")
    @Test
    void whoConnectsAndSaysNothingCostsNoTry() throws Exception {
        try (var shown = new Shown(CODE)) {
            for (int i = 0; i < 8; i++) {
                try (var stranger = new Stranger()) {
                    stranger.links.dial(Stranger.loopback(shown.session.port()));
                    assertTrue(stranger.next() instanceof Stranger.Seen.Met);
                }
            }
            assertTrue(join(CODE, shown.address()).outcome() instanceof JoinerMachine.Outcome.Paired);
            assertEquals(List.of(), shown.screen);
        }
    }

    @Tag("full")
    @Test
    void aCodeIsGoodForOneMachineAndForItsTime() throws Exception {
        try (var shown = new Shown(CODE)) {
            assertTrue(join(CODE, shown.address()).outcome() instanceof JoinerMachine.Outcome.Paired);
            assertTrue(shown.outcome() instanceof Outcome.Paired);
            assertFalse(join(CODE, shown.address()).outcome() instanceof JoinerMachine.Outcome.Paired);
        }
        try (var old = new Shown(CODE, PairingLimits.DEFAULT.codeLifeNanos(1), Clock.system())) {
            assertEquals(new Outcome.Expired(), old.outcome());
            Joined late = join(CODE, old.address());
            assertFalse(late.outcome() instanceof JoinerMachine.Outcome.Paired, "" + late);
        }
    }

    @Tag("full")
    @Test
    void withoutAPairThereTheWaitIsBounded() throws Exception {
        Joined joined = join(CODE, HostPort.parse("127.0.0.1:1"));
        assertTrue(
                joined.outcome() instanceof JoinerMachine.Outcome.NotFound(var trouble)
                        && trouble.startsWith("127.0.0.1:1: "),
                "" + joined);
    }

    @Test
    void oneCodeAtATimeForAHome() throws Exception {
        HearthHome home = home();
        try (SponsorSession _ = session(home)) {
            SetupException second =
                    assertThrows(SetupException.class, () -> session(home).close());
            assertTrue(String.valueOf(second.getMessage()).contains("another Hearth process"), second.getMessage());
        }
        session(home).close();
    }

    private SponsorSession session(HearthHome home) throws Exception {
        return SponsorSession.open(loopback("study"), home, CODE, sponsor(home), PairingLimits.DEFAULT, Clock.system());
    }

    private Sponsor sponsor(HearthHome home) throws SetupException {
        var _ = new RosterDesk(home, namespace, IdentityFile.in(home).loadOrCreate(), "study").found(1);
        return new NamespaceSponsor(home, namespace, "study", Clock.system());
    }

    /** The welcome is on disk, for this user alone, before the joining machine confirms it. */
    @Test
    void bothFilesHoldTheSameNamespace() throws Exception {
        HearthHome from = home();
        NamespaceFile.in(from).add(namespace);
        try (var shown = new Shown(CODE)) {
            HearthHome into = home();
            try (JoinerSession session = JoinerSession.open(
                    loopback("kitchen"),
                    into,
                    CODE,
                    List.of(shown.address()),
                    new NamespaceNewcomer(into),
                    PairingLimits.DEFAULT,
                    Clock.system())) {
                session.run(_ -> {});
            }
            assertEquals(
                    Files.readString(NamespaceFile.in(from).path()),
                    Files.readString(NamespaceFile.in(into).path()));
        }
    }
}

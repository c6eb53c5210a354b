package io.hearth.discovery.names.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.PeerName;
import io.hearth.discovery.names.machine.NameAnswer.Location;
import io.hearth.discovery.names.machine.NameMachine.Effect;
import io.hearth.discovery.names.machine.NameMachine.Event;
import io.hearth.discovery.names.machine.NameQuestion.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class NameMachineTest {
    private static final long SECOND = 1_000_000_000L;
    private static final List<PeerAddress> SERVERS = List.of(new PeerAddress("10.96.0.10", 53));
    private static final ResolverSettings HOME = new ResolverSettings(SERVERS, List.of(), 1, Optional.empty());
    private static final ResolverSettings POD =
            new ResolverSettings(SERVERS, List.of("ml.svc.k8s.lan", "svc.k8s.lan", "k8s.lan"), 5, Optional.of("ml"));

    private final NameMachine machine = new NameMachine(NameLimits.DEFAULT);
    private long now = Long.MAX_VALUE - 3 * SECOND; // the monotonic clock may start anywhere
    private NameTable table = new NameTable(HOME, List.of());

    @Test
    void aHostIsAskedOfTheResolverOfThisMachineAndAgainAfterAMinute() {
        starts(HOME, "nas:7");
        assertEquals(List.of(ask("nas", Kind.HOST)), ticks());
        assertEquals(
                List.of(sight("nas:7", "10.0.0.1:7", "fe80::1%eth0:7"), report("nas:7", 2, "")),
                answered(
                        "nas",
                        Kind.HOST,
                        new NameAnswer.Addresses(
                                List.of("10.0.0.1", "fe80::1%eth0", "10.0.0.1"), OptionalLong.empty())));
        sleeps(60);
        assertEquals(List.of(ask("nas", Kind.HOST)), ticks());
    }

    @Test
    void theTtlIsKeptBetweenFiveSecondsAndFiveMinutes() {
        starts(HOME, "dns:all.org");
        long[][] table = {
            {0, 5}, {4, 5}, {5, 5}, {30, 30}, {300, 300}, {301, 300}, {0xFFFF_FFFFL, 300}, {Long.MAX_VALUE, 300}
        };
        for (long[] row : table) {
            assertEquals(List.of(ask("all.org", Kind.ADDRESSES)), ticks());
            answered("all.org", Kind.ADDRESSES, addresses(row[0], "10.0.0.1"));
            sleeps(row[1]);
        }
    }

    @Test
    void afterFailuresThePausesDoubleToAMinuteAndAnAnswerEndsThat() {
        starts(HOME, "dns:all.org");
        for (long seconds : List.of(1, 2, 4, 8, 16, 32, 60, 60)) {
            assertEquals(List.of(ask("all.org", Kind.ADDRESSES)), ticks());
            answered("all.org", Kind.ADDRESSES, new NameAnswer.Failed("SERVFAIL from 10.96.0.10"));
            sleeps(seconds);
        }
        ticks();
        answered("all.org", Kind.ADDRESSES, addresses(30, "10.0.0.1"));
        sleeps(30);
        ticks();
        answered("all.org", Kind.ADDRESSES, new NameAnswer.Absent("no such name all.org"));
        sleeps(1);
    }

    @Test
    void aNameThatStopsResolvingKeepsItsLastAddressesUntilOthersAreKnown() {
        starts(HOME, "dns:all.org");
        ticks();
        answered("all.org", Kind.ADDRESSES, addresses(30, "10.0.0.1", "10.0.0.2"));
        for (NameAnswer none : List.of(new NameAnswer.Failed("gone"), new NameAnswer.Absent("no such name"))) {
            passes(300);
            ticks();
            List<Effect> effects = answered("all.org", Kind.ADDRESSES, none);
            assertEquals(sight("dns:all.org", "10.0.0.1:52416", "10.0.0.2:52416"), effects.getFirst());
        }
        assertEquals("dns:all.org: no such name; its last 2 addresses stay in use", said());
        passes(300);
        ticks();
        assertEquals(
                sight("dns:all.org", "10.0.0.3:52416"),
                answered("all.org", Kind.ADDRESSES, addresses(30, "10.0.0.3")).getFirst());
        assertEquals("dns:all.org has 1 address", said());
    }

    @Test
    void oneQuestionOfANameIsOpenAtATimeAndOnlyItsAnswerCounts() {
        starts(HOME, "dns:all.org", "dns:other.org");
        assertEquals(
                List.of(
                        ask("all.org", Kind.ADDRESSES),
                        new Effect.Ask(1, new NameQuestion("other.org", Kind.ADDRESSES))),
                ticks());
        passes(4);
        assertEquals(List.of(), ticks());
        assertEquals(List.of(), answered("other.org", Kind.ADDRESSES, addresses(5, "10.0.0.9")), "another name's");
        assertEquals(List.of(), answered("all.org", Kind.SERVICE, addresses(5, "10.0.0.9")), "another kind");
        answered("all.org", Kind.ADDRESSES, addresses(5, "10.0.0.1"));
        assertEquals(List.of(), answered("all.org", Kind.ADDRESSES, addresses(5, "10.0.0.9")), "a second answer");
        assertEquals(
                List.of(),
                machine.step(
                                table,
                                new Event.Answered(
                                        7, new NameQuestion("all.org", Kind.ADDRESSES), addresses(5, "10.0.0.9")),
                                now)
                        .effects());
    }

    @Test
    void aResolverThatNeverAnswersIsReportedOnceAndHoldsUpNoOtherName() {
        starts(HOME, "dns:all.org", "dns:other.org");
        ticks();
        assertEquals(5 * SECOND, machine.sleepNanos(table, now));
        passes(5);
        assertEquals(
                List.of(
                        report("dns:all.org", 0, "no answer for 5 s"),
                        new Effect.Report(1, new NameReport("dns:other.org", 0, "no answer for 5 s"))),
                ticks());
        assertEquals(Long.MAX_VALUE, machine.sleepNanos(table, now));
        var other = new NameQuestion("other.org", Kind.ADDRESSES);
        happens(new Event.Answered(1, other, addresses(5, "10.0.0.1")));
        passes(5);
        assertEquals(List.of(new Effect.Ask(1, other)), ticks());
        passes(5_000);
        ticks();
        assertEquals(
                List.of(sight("dns:all.org", "10.0.0.2:52416"), report("dns:all.org", 1, "")),
                answered("all.org", Kind.ADDRESSES, addresses(5, "10.0.0.2")));
    }

    @Test
    void servicesComeByPriorityThenWeightAndUnknownTargetsAreAskedFor() {
        starts(HOME, "srv:_hearth._tcp.org");
        assertEquals(List.of(ask("_hearth._tcp.org", Kind.SERVICE)), ticks());
        var services = new NameAnswer.Services(
                List.of(
                        new Location(20, 0, 4, "d.org", List.of("10.0.0.4")),
                        new Location(10, 1, 3, "c.org", List.of()),
                        new Location(10, 9, 2, "b.org", List.of("10.0.0.2")),
                        new Location(0, 0, 1, "a.org", List.of())),
                OptionalLong.of(60));
        assertEquals(List.of(ask("a.org", Kind.ADDRESSES)), answered("_hearth._tcp.org", Kind.SERVICE, services));
        assertEquals(
                List.of(ask("c.org", Kind.ADDRESSES)),
                answered("a.org", Kind.ADDRESSES, addresses(7, "10.0.0.1", "fd00::1")));
        assertEquals(
                sight("srv:_hearth._tcp.org", "10.0.0.1:1", "fd00::1:1", "10.0.0.2:2", "10.0.0.3:3", "10.0.0.4:4"),
                answered("c.org", Kind.ADDRESSES, addresses(50, "10.0.0.3")).getFirst());
        sleeps(7);
    }

    @Test
    void aServiceInAPodIsFirstItsNamedPortAndThenTheAddressesOfItsPods() {
        starts(POD, "k8s:trainers:7");
        assertEquals(List.of(ask("_hearth._tcp.trainers.ml.svc.k8s.lan", Kind.SERVICE)), ticks());
        assertEquals(
                List.of(ask("trainers.ml.svc.k8s.lan", Kind.ADDRESSES)),
                answered(
                        "_hearth._tcp.trainers.ml.svc.k8s.lan", Kind.SERVICE, new NameAnswer.Absent("no such name x")));
        assertEquals(
                sight("k8s:trainers:7", "10.1.0.1:7", "10.1.0.2:7"),
                answered("trainers.ml.svc.k8s.lan", Kind.ADDRESSES, addresses(5, "10.1.0.1", "10.1.0.2"))
                        .getFirst());
        sleeps(5);
        ticks();
        var services = new NameAnswer.Services(
                List.of(new Location(0, 50, 9, "p0.trainers.ml.svc.k8s.lan", List.of("10.1.0.1"))), OptionalLong.of(5));
        assertEquals(
                List.of(sight("k8s:trainers:7", "10.1.0.1:9"), report("k8s:trainers:7", 1, "")),
                answered("_hearth._tcp.trainers.ml.svc.k8s.lan", Kind.SERVICE, services));
    }

    @Test
    void theCompleteNamesOfEachFormAreTriedInOrder() {
        assertEquals(List.of("all.org"), plan("dns:all.org", HOME));
        assertEquals(
                List.of("all.org.ml.svc.k8s.lan", "all.org.svc.k8s.lan", "all.org.k8s.lan", "all.org"),
                plan("dns:all.org", POD));
        assertEquals(List.of("all.org"), plan("dns:all.org.", POD));
        assertEquals(
                List.of("a.b.c.d.e.f", "a.b.c.d.e.f.ml.svc.k8s.lan"),
                plan("dns:a.b.c.d.e.f", POD).subList(0, 2));
        String service = "_hearth._tcp.";
        assertEquals(List.of(service + "t.other.svc.k8s.lan SRV", "t.other.svc.k8s.lan"), plan("k8s:t.other", POD));
        assertEquals(List.of(service + "t.ml.svc.k8s.lan SRV", "t.ml.svc.k8s.lan"), plan("k8s:t", POD));
        assertEquals(List.of(service + "t.o.svc.k8s.lan SRV", "t.o.svc.k8s.lan"), plan("k8s:t.o.svc", POD));
        assertEquals(List.of(service + "t.o.svc.c.org SRV", "t.o.svc.c.org"), plan("k8s:t.o.svc.c.org", POD));
        assertEquals(List.of(service + "t.o.svc.cluster.local SRV", "t.o.svc.cluster.local"), plan("k8s:t.o", HOME));
        assertEquals(List.of(service + "t SRV", "t"), plan("k8s:t", HOME), "outside of a pod, without domains");
        assertEquals(List.of(), plan("k8s:" + "a".repeat(63) + ".b" + ".svc" + ".c".repeat(90), HOME), "too long");
    }

    @Test
    void aPlanWithoutQuestionsIsReported() {
        starts(HOME, "k8s:" + "a".repeat(63) + ".b" + ".svc" + ".c".repeat(90));
        assertTrue(ticks().getFirst() instanceof Effect.Report(int _, var report)
                && report.problem().contains("longer than 253"));
        sleeps(1);
    }

    @Test
    void aFailureSaysMoreThanAnAbsence() {
        starts(POD, "dns:all");
        ticks();
        answered("all.ml.svc.k8s.lan", Kind.ADDRESSES, new NameAnswer.Absent("no such name 1"));
        answered("all.svc.k8s.lan", Kind.ADDRESSES, new NameAnswer.Failed("SERVFAIL"));
        answered("all.k8s.lan", Kind.ADDRESSES, new NameAnswer.Failed("later"));
        answered("all", Kind.ADDRESSES, new NameAnswer.Absent("no such name 2"));
        assertEquals("dns:all: SERVFAIL", said());
    }

    @Test
    void addressesAndQuestionsOfARoundAreBounded() {
        starts(HOME, "dns:all.org");
        ticks();
        String[] many = IntStream.range(0, 10_000)
                .mapToObj(i -> "10.1." + (i >> 8) + "." + (i & 255))
                .toArray(String[]::new);
        assertTrue(answered("all.org", Kind.ADDRESSES, addresses(5, many)).getFirst()
                        instanceof Effect.Sight(var _, var addresses)
                && addresses.size() == 256
                && addresses.getLast().host().equals("10.1.0.255"));

        starts(HOME, "srv:_hearth._tcp.org");
        ticks();
        var targets = new ArrayList<Location>();
        IntStream.range(0, 10_000).forEach(i -> targets.add(new Location(i, 0, 7, "t" + i + ".org", List.of())));
        List<Effect> effects =
                answered("_hearth._tcp.org", Kind.SERVICE, new NameAnswer.Services(targets, OptionalLong.of(60)));
        int asked = 1;
        while (effects.getFirst() instanceof Effect.Ask(int _, var question)) {
            asked++;
            effects = happens(new Event.Answered(0, question, new NameAnswer.Failed("no answer")));
        }
        assertEquals(64, asked);
        assertEquals("srv:_hearth._tcp.org: no answer", said());
    }

    @Test
    void otherSettingsApplyFromTheNextRoundOn() {
        starts(HOME, "dns:all");
        assertEquals(List.of(ask("all", Kind.ADDRESSES)), ticks());
        assertEquals(List.of(), happens(new Event.Configured(POD)));
        answered("all", Kind.ADDRESSES, new NameAnswer.Failed("no answer"));
        passes(1);
        assertEquals(List.of(ask("all.ml.svc.k8s.lan", Kind.ADDRESSES)), ticks());
    }

    @Test
    void limitsAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> new NameLimits(0, 1, 1, 1, 1, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new NameLimits(1, 1, 2, 1, 1, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new NameLimits(1, 1, 1, 1, 1, 2, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new NameLimits(1, 1, 1, 1, 1, 1, 1, 0));
    }

    private static List<String> plan(String name, ResolverSettings settings) {
        return NamePlan.of(PeerName.parse(name), settings).stream()
                .map(task -> task.question().toString())
                .toList();
    }

    private void starts(ResolverSettings settings, String... names) {
        table = NameTable.of(Arrays.stream(names).map(PeerName::parse).toList(), settings, now);
    }

    private List<Effect> ticks() {
        return happens(new Event.Tick());
    }

    private List<Effect> answered(String name, Kind kind, NameAnswer answer) {
        return happens(new Event.Answered(0, new NameQuestion(name, kind), answer));
    }

    private List<Effect> happens(Event event) {
        var step = machine.step(table, event, now);
        table = step.state();
        return step.effects();
    }

    /** The machine sleeps for that time, and asks nothing a nanosecond before its end. */
    private void sleeps(long seconds) {
        assertEquals(seconds * SECOND, machine.sleepNanos(table, now));
        now += seconds * SECOND - 1;
        assertEquals(List.of(), ticks());
        now++;
    }

    private void passes(long seconds) {
        now += seconds * SECOND;
    }

    private String said() {
        return table.entries().getFirst().report().text();
    }

    private static NameAnswer addresses(long ttlSeconds, String... literals) {
        return new NameAnswer.Addresses(List.of(literals), OptionalLong.of(ttlSeconds));
    }

    private static Effect ask(String name, Kind kind) {
        return new Effect.Ask(0, new NameQuestion(name, kind));
    }

    private static Effect report(String name, int addresses, String problem) {
        return new Effect.Report(0, new NameReport(name, addresses, problem));
    }

    private static Effect sight(String name, String... addresses) {
        return new Effect.Sight(
                PeerName.parse(name),
                Arrays.stream(addresses)
                        .map(text -> new PeerAddress(
                                text.substring(0, text.lastIndexOf(':')),
                                Integer.parseInt(text.substring(text.lastIndexOf(':') + 1))))
                        .toList());
    }
}

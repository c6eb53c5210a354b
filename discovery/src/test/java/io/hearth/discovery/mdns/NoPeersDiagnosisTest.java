package io.hearth.discovery.mdns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.discovery.names.machine.NameReport;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NoPeersDiagnosisTest {
    @Test
    void silenceTellsWhatWasTriedAndWhatCameBack() {
        assertEquals(
                "0 peers after 10 s: sent 4 packets on en0, heard 0 records, 0 Hearth services, 0 of other namespaces; is a"
                        + " node running on another machine of this LAN? Firewalls must let UDP 5353 and TCP 52416 in; on a"
                        + " Wi-Fi that isolates its clients name one side's address with --peer HOST on the other",
                NoPeersDiagnosis.explain(10, List.of(counters(4, 0, "", 0, 0)), List.of(), false));
    }

    @Test
    void whatWasDroppedAndRestartedIsTold() {
        var attacked = new MdnsCounters("en0", "192.168.1.2", 4, 0, "", 7, 12, 0, 0, 0, 2, "its listener ended", 7);
        String line = NoPeersDiagnosis.explain(10, List.of(attacked), List.of(), false);
        assertTrue(line.contains(", dropped 12 packets, restarted 2 times (its listener ended); is a node"), line);
    }

    @Test
    void theLikeliestCauseIsNamed() {
        assertTrue(NoPeersDiagnosis.explain(10, List.of(), List.of(), true).contains("no usable network interface"));
        assertTrue(NoPeersDiagnosis.explain(10, List.of(counters(4, 0, "", 2, 0)), List.of(), true)
                .contains("another namespace or secret"));
        assertTrue(NoPeersDiagnosis.explain(10, List.of(counters(4, 0, "", 2, 1)), List.of(), true)
                .contains("no link came about"));
    }

    @Test
    void eachNameIsListedWithItsAnswer() {
        List<MdnsCounters> quiet = List.of(counters(4, 0, "", 0, 0));
        var none = new NameReport("dns:all.org", 0, "no such name all.org");
        String absent = NoPeersDiagnosis.explain(10, quiet, List.of(none), false);
        assertTrue(
                absent.contains(
                        "0 of other namespaces; dns:all.org: no such name all.org; no name of --peer or config.toml"
                                + " has an address: compare it with `nslookup`"),
                absent);
        String found = NoPeersDiagnosis.explain(10, quiet, List.of(none, new NameReport("k8s:trainers", 3, "")), false);
        assertTrue(
                found.contains(
                        "; k8s:trainers has 3 addresses; names have addresses but no link came about: is Hearth"),
                found);
        String many = NoPeersDiagnosis.explain(10, quiet, Collections.nCopies(64, none), false);
        assertTrue(many.contains("; and 56 more names; "), many);
    }

    @Test
    void noRouteOnMacosIsLocalNetworkPrivacy() {
        List<MdnsCounters> blocked = List.of(counters(0, 7, "No route to host", 0, 0));
        assertTrue(NoPeersDiagnosis.explain(10, blocked, List.of(), true)
                .contains("System Settings > Privacy & Security > Local Network"));
        String linux = NoPeersDiagnosis.explain(10, blocked, List.of(), false);
        assertFalse(linux.contains("macOS"));
        assertTrue(linux.contains("7 refused (No route to host)"), linux);
        assertFalse(NoPeersDiagnosis.isLocalNetworkPrivacy("Connection refused", true));
        assertTrue(NoPeersDiagnosis.isLocalNetworkPrivacy("java.net.NoRouteToHostException: No route to host", true));
    }

    private static MdnsCounters counters(long sent, long failures, String failure, long foreign, long members) {
        return new MdnsCounters(
                "en0", "192.168.1.2", sent, failures, failure, 0, 0, foreign + members, foreign, members, 0, "", 0);
    }
}

package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.hearth.cli.lab.ClientRun;
import io.hearth.cli.lab.GradientCheck;
import io.hearth.cli.lab.JournalReader;
import io.hearth.cli.lab.LabAuthority;
import io.hearth.cli.lab.RankCheck;
import io.hearth.cli.lab.ServicesClient;
import io.hearth.cli.lab.ShardCheck;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Coordinator, scheduler and parameter server of four machines on a LAN of network namespaces. Clients on all of them work, while the
 * machine that answers is killed with everything on it, again and again.
 */
@Tag("full")
@Timeout(400)
final class ServicesLabIT {
    private static final List<String> SERVICES = List.of("coordinator", "scheduler", "parameterserver");

    /** The words of a journal that show that a service answered its client. */
    private static final Map<String, List<String>> ANSWERS = new TreeMap<>(Map.of(
            "coordinator", List.of("rank"),
            "scheduler", List.of("given", "finished", "job"),
            "parameterserver", List.of("step")));

    private static final int HOSTS = 4;
    private static final long WATCH_NANOS = 4_000_000_000L; // after a kill, before the machine comes back
    private static final long POLL_MILLIS = 100;

    @TempDir
    private Path folder;

    private final List<Host> hosts = new ArrayList<>();
    private final List<ClientRun> dead = new ArrayList<>(); // what was killed

    private record Host(int index, int start, RunningProcess agent, RunningProcess client, JournalReader journal) {
        ClientRun run(long killedNanos) throws Exception {
            return new ClientRun(index, start, killedNanos, journal.lines());
        }

        /** Whether its agent says that it answers for a service. */
        boolean answers(String service) {
            String log = agent.output();
            return log.lastIndexOf("this machine answers for service=" + service)
                    > log.lastIndexOf("this machine no longer answers for service=" + service);
        }

        /** Whether its agent says last that all machines keep the state of a service. */
        boolean isKeptOnAll(String service) {
            String log = agent.output();
            String kept = "the state of service=" + service + " is kept on machines=";
            int last = log.lastIndexOf(kept);
            return last >= 0 && log.startsWith("" + HOSTS, last + kept.length());
        }
    }

    @BeforeAll
    static void needsALab() {
        Optional<String> missing = Lab.missing();
        missing.ifPresent(why -> System.out.println("SKIPPED ServicesLabIT: " + why));
        Assumptions.assumeTrue(missing.isEmpty(), missing.orElse(""));
    }

    @Test
    void whenTheMachineThatAnswersIsKilledTheOthersGoOnAndNothingIsLost() throws Exception {
        NetworkNamespace namespace = NetworkNamespace.create("home");
        LabAuthority.make(folder.resolve("tls"), HOSTS);
        try (Lab lab = Lab.up(HOSTS)) {
            for (int index = 0; index < HOSTS; index++) {
                NamespaceFile.in(HearthHome.open(home(index))).add(namespace);
                hosts.add(start(lab, index, 0));
                for (int each = 0; index == 0 && each < SERVICES.size(); each++) {
                    hosts.getFirst().agent().await("an election", line -> line.contains("this machine answers for "));
                }
            }
            goOn("work", hosts, System.nanoTime());
            for (String service : SERVICES) {
                killTheOneThatAnswers(lab, service);
            }
            Files.createFile(folder.resolve("stop"));
            var all = new ArrayList<>(dead);
            for (Host host : hosts) {
                assertEquals(0, host.client().exitCode(), host.client()::output);
                all.add(host.run(Long.MAX_VALUE));
            }
            all.sort((one, other) -> one.start() - other.start());
            int moved = ShardCheck.check(all);
            assertTrue(moved > 0, "a node that was killed had shards");
            System.out.println("shards that moved: " + moved + ", acknowledged gradients: "
                    + GradientCheck.check(all, HOSTS) + ", averages: " + RankCheck.check(all, HOSTS)
                    + ", averages that failed: " + RankCheck.failures(all));
        }
    }

    private Path home(int index) throws Exception {
        return HearthHome.open(folder.resolve("h" + index)).folder();
    }

    /** Starts an agent, and its client, which waits for it. */
    private Host start(Lab lab, int index, int start) throws Exception {
        RunningProcess agent = lab.hearth(
                index,
                home(index),
                "agent",
                "--serve",
                String.join(",", SERVICES),
                "--sync-updates",
                "--checkpoint-every",
                "1h", // what is not lost is in the memory of others
                "--worker-timeout", // long, because many processes share this machine,
                "15s",
                "--node-timeout",
                "15s");
        Path journal = folder.resolve("journal-" + index + "-" + start);
        RunningProcess client = lab.main(
                index,
                home(index),
                ServicesClient.class,
                "" + index,
                "" + start,
                "" + HOSTS,
                folder.toString(),
                journal.toString());
        return new Host(index, start, agent, client, new JournalReader(journal));
    }

    /** Waits until each of these clients got some answers of each service after an instant, and made an average if all are there. */
    private void goOn(String what, List<Host> those, long since) throws Exception {
        await(what, () -> {
            for (Host host : those) {
                ClientRun run = host.run(Long.MAX_VALUE);
                for (Map.Entry<String, List<String>> answer : ANSWERS.entrySet()) {
                    if (count(run, answer.getKey(), answer.getValue(), since) < 5) {
                        return false;
                    }
                }
                if (those.size() == HOSTS && count(run, "coordinator", List.of("mean"), since) < 3) {
                    return false;
                }
            }
            return true;
        });
    }

    private static long count(ClientRun run, String service, List<String> whats, long since) {
        return whats.stream()
                .flatMap(what -> run.of(service, what))
                .filter(line -> line.nanos() > since)
                .count();
    }

    private void await(String what, Callable<Boolean> isTrue) throws Exception {
        long deadline = System.nanoTime() + 120_000_000_000L;
        while (!isTrue.call()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError(what + " did not come within 120 s:\n" + logs());
            }
            for (Host host : hosts) {
                if (host.client().output().contains("FAILED ")) {
                    throw new AssertionError("client " + host.index() + " failed:\n" + logs());
                }
            }
            Thread.sleep(POLL_MILLIS); // other processes write what is awaited to their output
        }
    }

    private String logs() {
        var all = new StringBuilder();
        hosts.forEach(host -> all.append("agent ")
                .append(host.index())
                .append(":\n")
                .append(host.agent().output())
                .append("\nclient ")
                .append(host.index())
                .append(":\n")
                .append(host.client().output())
                .append('\n'));
        return all.toString();
    }

    private List<Integer> answering(String service) {
        return hosts.stream()
                .filter(host -> host.answers(service))
                .map(Host::index)
                .toList();
    }

    private void killTheOneThatAnswers(Lab lab, String service) throws Exception {
        await(
                "one machine that answers, and copies on all",
                () -> SERVICES.stream()
                        .allMatch(each -> answering(each).size() == 1
                                && hosts.stream().allMatch(host -> host.isKeptOnAll(each))));
        int index = answering(service).getFirst();
        List<String> answered = SERVICES.stream()
                .filter(each -> answering(each).contains(index))
                .toList();
        Host victim = hosts.get(index);
        await("shards in its work", () -> {
            ClientRun run = victim.run(Long.MAX_VALUE);
            return run.of("scheduler", "given").count()
                            - run.of("scheduler", "finished").count()
                    > 4;
        });
        long killed = System.nanoTime();
        lab.lan("kill", "" + index, "KILL");
        victim.agent().exitCode();
        victim.client().exitCode();
        dead.add(victim.run(killed));
        List<Host> others = hosts.stream().filter(host -> host.index() != index).toList();
        goOn("work after the kill", others, killed + WATCH_NANOS);
        long back = System.nanoTime();
        Host again = start(lab, index, victim.start() + 1);
        hosts.set(index, again);
        await("a view of all", () -> again.agent().output().contains("members=" + HOSTS));
        goOn("work when the machine is back", hosts, System.nanoTime());
        long end = System.nanoTime();

        var line = new JsonObject();
        line.addProperty("killed", index);
        line.addProperty("answered", String.join(",", answered));
        line.addProperty("answers", answering(service).toString());
        var after = new JsonObject();
        var onReturn = new JsonObject();
        for (Map.Entry<String, List<String>> answer : ANSWERS.entrySet()) {
            after.addProperty(answer.getKey(), pause(others, answer, killed, back));
            onReturn.addProperty(answer.getKey(), pause(others, answer, back, end));
        }
        line.add("pauses_s", after);
        line.addProperty("leases_s", pause(others, Map.entry("parameterserver", List.of("lease")), killed, back));
        line.add("return_pauses_s", onReturn);
        System.out.println(line);
    }

    private static double pause(List<Host> those, Map.Entry<String, List<String>> answer, long from, long until)
            throws Exception {
        double longest = 0;
        for (Host host : those) {
            longest = Math.max(
                    longest, host.run(Long.MAX_VALUE).pauseSeconds(answer.getKey(), answer.getValue(), from, until));
        }
        return Math.round(longest * 1_000) / 1_000.0;
    }
}

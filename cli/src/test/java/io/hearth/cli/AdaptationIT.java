package io.hearth.cli;

import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Trainers that sum without a pause notice a slower link by their sums, and the group plans around it. That the link recovered they notice by
 * their sums or in their next rest.
 */
@Tag("full")
@Timeout(400)
final class AdaptationIT {
    private static final int HOSTS = 3;
    private static final String FAST = "50mbit";
    private static final Pattern TIME = Pattern.compile("steps took ([0-9]+) ms each");

    /** A step of 1 MB takes about 0.3 s over fast links; by the ring it takes more than 2 s over the slow one. */
    private static final long SLOW_MILLIS = 1_500;

    /** A measurement is due after 38 s, and comes with the next rest. */
    private static final long RECOVERY_SECONDS = 180;

    @TempDir
    private Path folder;

    @BeforeAll
    static void needsALab() {
        Optional<String> missing = Lab.missing();
        missing.ifPresent(why -> System.out.println("SKIPPED AdaptationIT: " + why));
        Assumptions.assumeTrue(missing.isEmpty(), missing.orElse(""));
    }

    @Test
    void aLinkThatBecomesSlowInMidTrainingIsNoticedAndPlannedAround() throws Exception {
        NetworkNamespace namespace = NetworkNamespace.create("home");
        try (Lab lab = Lab.up(HOSTS)) {
            var trainers = new RunningProcess[HOSTS];
            for (int host = 0; host < HOSTS; host++) {
                lab.lan("rate", "" + host, FAST);
                HearthHome home = HearthHome.open(folder.resolve("h" + host));
                NamespaceFile.in(home).add(namespace);
                trainers[host] = lab.main(host, home.folder(), SteadyTrainer.class, "" + HOSTS, "1000000");
            }
            trainers[0].await(
                    "a step over fast links",
                    line -> millis(line).filter(ms -> ms < SLOW_MILLIS).isPresent());

            lab.lan("rate", "2", "5mbit");
            trainers[0].await("a plan in which one rank owns nothing", AdaptationIT::hasARankWithoutShare);
            trainers[1].await("news of a slow link", line -> line.contains("a link became slow: "));
            long[] slowest = {0};
            trainers[2].await("faster steps by the new plan", line -> {
                long ms = millis(line).orElse(Long.MAX_VALUE);
                slowest[0] = ms == Long.MAX_VALUE ? slowest[0] : Math.max(slowest[0], ms);
                return slowest[0] >= SLOW_MILLIS && ms <= slowest[0] * 90 / 100; // the slow link carries a quarter less
            });

            lab.lan("rate", "2", FAST);
            trainers[1].await("news of the recovery", RECOVERY_SECONDS, line -> line.contains("a link recovered: "));
        }
    }

    private static boolean hasARankWithoutShare(String line) {
        return line.matches(".*plan: shares by rank \\[(.*, )?0(, .*)?\\] of .*");
    }

    private static Optional<Long> millis(String line) {
        Matcher time = TIME.matcher(line);
        return time.find() ? Optional.of(Long.parseLong(time.group(1))) : Optional.empty();
    }
}

package io.hearth.cli.doctor;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.collective.DistributedContext;
import io.hearth.core.HearthException;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.identity.NodeId;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Measures the way between two machines in both directions, as gradients use it: encrypted, from memory to memory. Both machines must run the
 * check at once, because an agent takes no data.
 */
final class RateCheck {
    private static final int VALUES = 4 << 20;
    private static final int ROUNDS = 4;
    private static final int WARM_UPS = 6;
    private static final int BARRIERS = 50;
    private static final double ONE_WAY_FACTOR = 2;
    private static final String CHECK = "rate";

    private final HearthConfig config;
    private final Map<String, String> environment;
    private final PrintStream progress;
    private final Duration longest;

    /**
     * @param progress gets a line for people while the check waits
     * @param longest wait for the other machine
     */
    RateCheck(HearthConfig config, Map<String, String> environment, PrintStream progress, Duration longest) {
        this.longest = longest;
        this.config = config;
        this.environment = environment;
        this.progress = progress;
    }

    /**
     * Measures if the other machine does so too in time.
     *
     * @param self id of a node of this machine
     * @param other id of a node of the other one
     * @param address of the other machine, for people
     */
    Finding measure(String self, String other, String address) throws InterruptedException {
        progress.println("for the rate: run 'hearth doctor --peer' with this machine's address on " + address
                + " now, within " + longest.toSeconds() + " s");
        HearthConfig pair =
                config.group(group(self, other)).minimumRanks(2).maximumRanks(2).deadline(longest);
        try (var hearth = AutoDiscoveryBackend.start(pair, environment)) {
            hearth.waitForPeers(1, longest);
            return measure(hearth.context());
        } catch (NotEnoughPeersException alone) {
            return Finding.note(
                    CHECK,
                    "not measured, because " + address + " did not run the same check",
                    "run 'hearth doctor --peer HOST' on both machines at once");
        } catch (HearthException failed) {
            return Finding.problem(CHECK, failed);
        }
    }

    /** The group of these two machines: its name is the same on both. */
    static String group(String self, String other) {
        var machines = new TreeSet<>(List.of(
                NodeId.parse(self).peer().text(), NodeId.parse(other).peer().text()));
        return "doctor-" + UUID.nameUUIDFromBytes(String.join(" ", machines).getBytes(StandardCharsets.UTF_8));
    }

    private static Finding measure(DistributedContext cluster) throws HearthException {
        float[] values = new float[VALUES];
        for (int i = 0; i < WARM_UPS; i++) { // until the ciphers are compiled
            send(cluster, values, 0);
            send(cluster, values, 1);
        }
        double fromFirst = rate(cluster, values, 0);
        double fromSecond = rate(cluster, values, 1);
        cluster.barrier();
        long began = System.nanoTime();
        for (int i = 0; i < BARRIERS; i++) {
            cluster.barrier();
        }
        double barrierMillis = (System.nanoTime() - began) / 1e6 / BARRIERS;
        boolean isFirst = cluster.rank() == 0;
        return verdict(isFirst ? fromFirst : fromSecond, isFirst ? fromSecond : fromFirst, barrierMillis);
    }

    /** @param there bits per second to the other machine */
    static Finding verdict(double there, double back, double barrierMillis) {
        String text = String.format(
                Locale.ROOT,
                "there %.0f Mbit/s, back %.0f Mbit/s, a barrier takes %.2f ms",
                there / 1e6,
                back / 1e6,
                barrierMillis);
        return Math.max(there, back) > ONE_WAY_FACTOR * Math.min(there, back)
                ? Finding.problem(
                        CHECK,
                        text + ": one direction is much slower",
                        "look at the cable, the duplex mode of the switch port, or the Wi-Fi")
                : Finding.ok(CHECK, text);
    }

    private static double rate(DistributedContext cluster, float[] values, int from) throws HearthException {
        cluster.barrier();
        long began = System.nanoTime();
        for (int i = 0; i < ROUNDS; i++) {
            send(cluster, values, from);
        }
        cluster.barrier(); // the sender, too, waits until all has arrived
        return 8.0 * Float.BYTES * VALUES * ROUNDS / ((System.nanoTime() - began) / 1e9);
    }

    private static void send(DistributedContext cluster, float[] values, int from) throws HearthException {
        if (cluster.rank() == from) {
            cluster.send(values, 1 - from);
        } else {
            cluster.receive(values, from);
        }
    }
}

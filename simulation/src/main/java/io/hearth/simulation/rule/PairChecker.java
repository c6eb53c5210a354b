package io.hearth.simulation.rule;

import io.hearth.collective.group.CallRejection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/** Checks every send and every receive between two ranks: each arrives once, in order and whole, and nothing else arrives. */
public final class PairChecker {
    private static final int COUNT_MAX = 3;

    /** A random source of its own, so that worlds without such sends stay the same. */
    public final SplittableRandom random;

    private final Map<String, Line> lines = new HashMap<>();
    private long values;

    /** All transfers of one ordered pair of members. */
    private static final class Line {
        final List<Sent> sent = new ArrayList<>();
        final Set<Long> delivered = new HashSet<>();
        final Set<CallRejection> refusals = new HashSet<>();
        int next; // index of the first sent item that may be delivered now
    }

    /** The values of one call: {@code count} values, rising by one from {@code first}. */
    public record Sent(long first, int count) {
        public List<Long> values() {
            var values = new ArrayList<Long>();
            for (int place = 0; place < count; place++) {
                values.add(first + place);
            }
            return values;
        }
    }

    public PairChecker(SplittableRandom random) {
        this.random = random;
    }

    /** A number of values; mostly the same. */
    public int count() {
        return random.nextInt(10) == 0 ? 1 + random.nextInt(COUNT_MAX) : 2;
    }

    private Line line(String pair) {
        return lines.computeIfAbsent(pair, _ -> new Line());
    }

    /** Values that were never sent before. */
    public Sent sends(String pair) {
        values += 10;
        var fresh = new Sent(values, count());
        line(pair).sent.add(fresh);
        return fresh;
    }

    /** The receiver's application got these values. */
    public void delivered(String pair, List<Long> got) {
        Line line = line(pair);
        int index = line.sent.stream().map(Sent::values).toList().indexOf(got);
        Violation.unless(index >= 0, "pair", () -> "a receive of " + pair + " ended with " + got + ", never sent so");
        Violation.unless(index >= line.next, "pair", () -> "a receive of " + pair + " ended with " + got + " again");
        line.next = index + 1;
        line.delivered.add(got.getFirst());
    }

    /** Both ends asked for different things. */
    public void refused(String pair, CallRejection how) {
        line(pair).refusals.add(how);
    }

    /** The sender's call returned: the receiver must have the values or the same error. */
    public void returned(String pair, Sent sent, Optional<CallRejection> how) {
        Line line = line(pair);
        Violation.unless(
                how.isPresent() || line.delivered.contains(sent.first()),
                "pair",
                () -> "a send of " + pair + " returned before its receiver had " + sent.values());
        Violation.unless(
                how.isEmpty() || line.refusals.contains(how.get()),
                "pair",
                () -> "a send of " + pair + " ended with an error that its receiver does not have: " + how);
    }
}

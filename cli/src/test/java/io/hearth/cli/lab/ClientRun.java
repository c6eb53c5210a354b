package io.hearth.cli.lab;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The journal of one start of a {@link ServicesClient}.
 *
 * @param killedNanos before which it was alive; {@link Long#MAX_VALUE} if it was not killed
 */
public record ClientRun(int host, int start, long killedNanos, List<Line> lines) {
    /**
     * A line.
     *
     * @param words a service, what happened, and what belongs to it
     */
    public record Line(long nanos, List<String> words) {
        static Line parse(String text) {
            List<String> words = Arrays.asList(text.split(" ", -1));
            return new Line(Long.parseLong(words.getFirst()), words.subList(1, words.size()));
        }

        public boolean is(String service, String what) {
            return words.get(0).equals(service) && words.get(1).equals(what);
        }

        public String word(int index) {
            return words.get(2 + index);
        }

        long number(int index) {
            return Long.parseLong(word(index));
        }
    }

    public ClientRun {
        lines = List.copyOf(lines);
    }

    public Stream<Line> of(String service, String what) {
        return lines.stream().filter(line -> line.is(service, what));
    }

    /** The longest time without such a line that ended after {@code from} and began before {@code until}, in seconds. */
    public double pauseSeconds(String service, List<String> whats, long from, long until) {
        long longest = 0;
        long before = Long.MIN_VALUE;
        for (Line line : lines) {
            if (whats.stream().anyMatch(what -> line.is(service, what))) {
                if (before != Long.MIN_VALUE && line.nanos() > from && before < until) {
                    longest = Math.max(longest, line.nanos() - before);
                }
                before = line.nanos();
            }
        }
        return longest / 1e9;
    }

    boolean wasKilled() {
        return killedNanos != Long.MAX_VALUE;
    }

    @Override
    public String toString() {
        return "client " + host + "-" + start;
    }
}

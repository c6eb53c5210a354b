package io.hearth.cli.chaos.plan;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An event of a worker of {@code hearth chaos}, one line on its standard output: a word, then fields with spaces between. The last field may contain spaces. {@code at} is {@link System#nanoTime()}, which all processes of one Linux machine share.
 */
public sealed interface ChaosEvent {
    /** Time of the event. */
    long at();

    /**
     * A step began: all earlier results are final.
     *
     * @param replaced whether the worker took over the state of the others
     * @param state hash of the weights, the same on all members
     */
    record Begun(long at, long step, int rank, int world, boolean replaced, String state) implements ChaosEvent {}

    /**
     * A sum was returned.
     *
     * @param number of the step or of the call
     * @param state {@link #UNKNOWN}, {@link #WRONG}, or a text of the sum that is the same on all members
     */
    record Summed(long at, long number, int contributors, String state) implements ChaosEvent {}

    /** The others went on without this worker. It joins again. */
    record Removed(long at, String why) implements ChaosEvent {}

    /** A call ended without a result for another reason. The worker tries to join again. */
    record Failed(long at, String why) implements ChaosEvent {}

    /** The worker stopped together with the others, as the driver asked. It has reported all its events. */
    record Ended(long at, long step, String state) implements ChaosEvent {}

    /** {@link Summed#state} of a sum that the worker cannot check. */
    String UNKNOWN = "-";

    /** {@link Summed#state} of a wrong sum. */
    String WRONG = "wrong";

    /** Longest accepted line, in characters. */
    int LENGTH_MAX = 2_000;

    /** Separator of fields. */
    Pattern SPACE = Pattern.compile(" ");

    default String toLine() {
        return switch (this) {
            case Begun(long at, long step, int rank, int world, boolean replaced, String state) ->
                "begun " + at + " " + step + " " + rank + " " + world + " " + replaced + " " + state;
            case Summed(long at, long number, int contributors, String state) ->
                "summed " + at + " " + number + " " + contributors + " " + state;
            case Removed(long at, String why) -> "removed " + at + " " + oneLine(why);
            case Failed(long at, String why) -> "failed " + at + " " + oneLine(why);
            case Ended(long at, long step, String state) -> "ended " + at + " " + step + " " + state;
        };
    }

    private static String oneLine(String why) {
        String line = why.replaceAll("\\p{Cntrl}+", " ");
        return line.substring(0, Math.min(line.length(), LENGTH_MAX / 2));
    }

    /** Reads a line; empty if it is not an event. */
    static Optional<ChaosEvent> parse(String line) {
        if (line.length() > LENGTH_MAX) {
            return Optional.empty();
        }
        String word = line.substring(0, Math.max(0, line.indexOf(' ')));
        try {
            return switch (word) {
                case "begun" -> {
                    String[] fields = fields(line, 7);
                    yield Optional.of(new Begun(
                            Long.parseLong(fields[1]),
                            Long.parseLong(fields[2]),
                            Integer.parseInt(fields[3]),
                            Integer.parseInt(fields[4]),
                            Boolean.parseBoolean(fields[5]),
                            fields[6]));
                }
                case "summed" -> {
                    String[] fields = fields(line, 5);
                    yield Optional.of(new Summed(
                            Long.parseLong(fields[1]),
                            Long.parseLong(fields[2]),
                            Integer.parseInt(fields[3]),
                            fields[4]));
                }
                case "removed" -> {
                    String[] fields = fields(line, 3);
                    yield Optional.of(new Removed(Long.parseLong(fields[1]), fields[2]));
                }
                case "failed" -> {
                    String[] fields = fields(line, 3);
                    yield Optional.of(new Failed(Long.parseLong(fields[1]), fields[2]));
                }
                case "ended" -> {
                    String[] fields = fields(line, 4);
                    yield Optional.of(new Ended(Long.parseLong(fields[1]), Long.parseLong(fields[2]), fields[3]));
                }
                default -> Optional.empty();
            };
        } catch (NumberFormatException broken) {
            return Optional.empty();
        }
    }

    private static String[] fields(String line, int count) {
        String[] fields = SPACE.split(line, count);
        if (fields.length != count) {
            throw new NumberFormatException("a field is missing: the line of a killed worker may be cut");
        }
        return fields;
    }
}

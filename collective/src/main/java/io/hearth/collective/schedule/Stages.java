package io.hearth.collective.schedule;

/**
 * One member's sequence of sends, or of receives, in an exchange of several stages, each of which continues what the one before it began.
 * Group g has the entries of stage 0 for round g, of stage 1 for round g - lag, of stage 2 for round g - 2 lag, and so on. So while one
 * round is in its last stage, later rounds are in the stages before.
 *
 * <p>The greater the lag, the longer a segment may be on its way before the sender of the next stage waits for it.
 */
final class Stages {
    private final long rounds;
    private final long lag;
    private final int[] entries;

    /**
     * The sequence.
     *
     * @param rounds 1 or more
     * @param lag of a stage behind the one before it, in rounds; 1 or more
     * @param entries of each stage in each round, 0 or more
     */
    Stages(long rounds, long lag, int... entries) {
        this.rounds = rounds;
        this.lag = lag;
        this.entries = entries.clone();
    }

    /** Number of entries. */
    long total() {
        return before(groups());
    }

    /** The group of entry {@code index}. */
    long group(long index) {
        long low = 0;
        long high = groups();
        while (high - low > 1) {
            long middle = (low + high) >>> 1;
            if (before(middle) <= index) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Number of entries in all groups before {@code group}. */
    long before(long group) {
        long sum = 0;
        for (int stage = 0; stage < entries.length; stage++) {
            sum += entries[stage] * Math.clamp(round(stage, group), 0, rounds);
        }
        return sum;
    }

    /** Entries of a stage in a group. */
    int entries(int stage, long group) {
        long round = round(stage, group);
        return round >= 0 && round < rounds ? entries[stage] : 0;
    }

    /** The round that a stage plays in a group; outside 0 to rounds - 1 it plays none. */
    long round(int stage, long group) {
        return group - stage * lag;
    }

    /** Number of entries before the {@code item}-th of a stage in a round. */
    long before(int stage, long round, long item) {
        long group = round + stage * lag;
        long sum = before(group) + item;
        for (int earlier = 0; earlier < stage; earlier++) {
            sum += entries(earlier, group);
        }
        return sum;
    }

    private long groups() {
        return rounds + (entries.length - 1) * lag;
    }
}

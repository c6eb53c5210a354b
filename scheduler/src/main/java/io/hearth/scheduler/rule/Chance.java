package io.hearth.scheduler.rule;

/** Numbers that look random and follow from a seed (SplitMix64), so that every machine draws the same. */
final class Chance {
    private static final long STEP = 0x9e3779b97f4a7c15L;

    private long state;

    Chance(long seed) {
        state = seed;
    }

    /** A number from 0 to before {@code bound}. */
    int below(int bound) {
        state += STEP;
        long mixed = (state ^ (state >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return (int) Long.remainderUnsigned(mixed ^ (mixed >>> 31), bound);
    }
}

package io.hearth.accel.metal;

/**
 * Decides by the GPU's earlier calls whether it is asked. Pure.
 *
 * <pre>
 * asked --fault that may pass--&gt; skipped for 16 calls, then 32, 64, … --success--&gt; asked, faults cleared
 * asked --5th such fault in a row, or a lasting one--&gt; lost
 * </pre>
 *
 * @param faults in a row since the last success
 * @param callsToSkip this many calls go to the CPU before the GPU is tried again
 * @param lost never asked again
 */
record Confidence(int faults, int callsToSkip, boolean lost) {
    static final int FAULTS_MAX = 5;

    static final int FIRST_SKIP = 16;

    static final Confidence FULL = new Confidence(0, 0, false);

    boolean asks() {
        return !lost && callsToSkip == 0;
    }

    Confidence afterFault(MetalFault fault) {
        int seen = faults + 1;
        return new Confidence(
                seen, FIRST_SKIP << Math.min(faults, FAULTS_MAX), lost || fault.lasting() || seen >= FAULTS_MAX);
    }

    Confidence afterSkip() {
        return new Confidence(faults, Math.max(0, callsToSkip - 1), lost);
    }

    /** A call that began before a loss and ends well afterwards does not undo it. */
    Confidence afterSuccess() {
        return lost ? this : FULL;
    }
}

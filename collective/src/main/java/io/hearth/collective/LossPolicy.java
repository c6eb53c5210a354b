package io.hearth.collective;

/** What happens to open collectives when a member is lost. */
public enum LossPolicy {
    /** The rest repeats them. */
    RETRY,
    /** They end with an error that names the lost, unless a member finished them. */
    FAIL_FAST
}

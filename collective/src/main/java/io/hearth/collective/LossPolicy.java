package io.hearth.collective;

/** Treatment of open collectives when a member is lost. */
public enum LossPolicy {
    /** The remaining members repeat them. */
    RETRY,
    /** They end with an error that names the lost members, except those that a member has finished. */
    FAIL_FAST
}

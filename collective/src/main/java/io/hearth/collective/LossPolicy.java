package io.hearth.collective;

/** Treatment of open collectives when a member is lost. */
public enum LossPolicy {
    /** The remaining members repeat them. */
    RETRY,
    /** They end with an error that names the lost members, except those that a member has finished. */
    FAIL_FAST;

    /**
     * The policy with that name.
     *
     * @param name {@code retry} or {@code fail-fast}
     * @throws IllegalArgumentException if there is none
     */
    public static LossPolicy parse(String name) {
        return switch (name) {
            case "retry" -> RETRY;
            case "fail-fast" -> FAIL_FAST;
            default -> throw new IllegalArgumentException("must be retry or fail-fast, got '" + name + "'");
        };
    }
}

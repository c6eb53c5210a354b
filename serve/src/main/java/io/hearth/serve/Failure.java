package io.hearth.serve;

/**
 * Why a call is not answered.
 *
 * @param code of gRPC
 * @param text for people: what, why, what to do
 */
public record Failure(Code code, String text) {
    /** The codes of gRPC that the services use, with their numbers. */
    public enum Code {
        CANCELLED(1),
        INVALID_ARGUMENT(3),
        DEADLINE_EXCEEDED(4),
        NOT_FOUND(5),
        ALREADY_EXISTS(6),
        PERMISSION_DENIED(7),
        RESOURCE_EXHAUSTED(8),
        FAILED_PRECONDITION(9),
        ABORTED(10),
        OUT_OF_RANGE(11),
        UNIMPLEMENTED(12),
        INTERNAL(13),
        UNAVAILABLE(14),
        DATA_LOSS(15),
        UNAUTHENTICATED(16);

        private final int number;

        Code(int number) {
            this.number = number;
        }

        /** As on the wire. */
        public int number() {
            return number;
        }
    }
}

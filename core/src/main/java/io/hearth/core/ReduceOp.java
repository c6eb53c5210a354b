package io.hearth.core;

/** How a collective combines the contributions of its members. */
public enum ReduceOp {
    SUM,
    /**
     * The sum divided by the number of members that really contributed; and the sum is one of the element's own type. So integers
     * wrap before they are divided, and the division truncates toward zero: of UINT8, 200 and 200 make 72. A sum of floats that
     * goes beyond its type is infinite, and so is its part: of FLOAT16, which ends at 65,504, 40,000 and 40,000 make infinity.
     * Where that may happen, take a wider type, or divide before the call and take {@link #SUM}.
     */
    AVG,
    MIN,
    MAX,
    PROD
}

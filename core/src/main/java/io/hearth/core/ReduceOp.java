package io.hearth.core;

/** How a collective combines the contributions of its members. */
public enum ReduceOp {
    SUM(0),
    /**
     * The sum divided by the number of members that contributed. The sum has the element's own type. So integers wrap before they are
     * divided, and the division truncates toward zero: for UINT8, 200 and 200 give 72. A float sum beyond the range of its type is
     * infinite, and so is the average: for FLOAT16, which ends at 65,504, 40,000 and 40,000 give infinity. Where that may happen, use a
     * wider type, or divide before the call and use {@link #SUM}.
     */
    AVG(1),
    MIN(2),
    MAX(3),
    PROD(4);

    private final int number;

    ReduceOp(int number) {
        this.number = number;
    }

    /** The number of this operation in other languages; it never changes. */
    public int number() {
        return number;
    }

    /**
     * The operation of that number.
     *
     * @throws IllegalArgumentException there is none
     */
    public static ReduceOp numbered(int number) {
        for (ReduceOp op : values()) {
            if (op.number == number) {
                return op;
            }
        }
        throw new IllegalArgumentException("no operation has the number " + number);
    }
}

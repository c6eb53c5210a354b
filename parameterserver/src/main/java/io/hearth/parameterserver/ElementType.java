package io.hearth.parameterserver;

/** The type of a parameter's elements. */
public enum ElementType {
    INT32(0, 4),
    UINT32(1, 4),
    INT64(2, 8),
    UINT64(3, 8),
    FLOAT32(4, 4),
    FLOAT64(5, 8);

    private final int number;
    private final int bytes;

    ElementType(int number, int bytes) {
        this.number = number;
        this.bytes = bytes;
    }

    /** As on the wire. */
    public int number() {
        return number;
    }

    /** Bytes of one element. */
    public int bytes() {
        return bytes;
    }

    /** Whether elements have fractions. */
    public boolean isFloat() {
        return this == FLOAT32 || this == FLOAT64;
    }

    /**
     * The type with a number of the wire.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static ElementType of(int number) {
        for (ElementType type : values()) {
            if (type.number == number) {
                return type;
            }
        }
        throw new IllegalArgumentException(
                "an element type is 0 (INT32) to 5 (FLOAT64), got " + number + ": choose one of them");
    }
}

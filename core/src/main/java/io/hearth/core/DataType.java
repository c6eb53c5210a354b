package io.hearth.core;

/** Element types of collective buffers, little-endian wherever they leave a process. */
public enum DataType {
    FLOAT32(0, 4),
    FLOAT64(1, 8),
    FLOAT16(2, 2),
    BFLOAT16(3, 2),
    INT32(4, 4),
    INT64(5, 8),
    INT8(6, 1),
    UINT8(7, 1);

    private final int number;
    private final int bytes;

    DataType(int number, int bytes) {
        this.number = number;
        this.bytes = bytes;
    }

    /** Size of one element in bytes. */
    public int bytes() {
        return bytes;
    }

    /** The number of this type in other languages; it never changes. */
    public int number() {
        return number;
    }

    /**
     * The type of that number.
     *
     * @throws IllegalArgumentException there is none
     */
    public static DataType numbered(int number) {
        for (DataType type : values()) {
            if (type.number == number) {
                return type;
            }
        }
        throw new IllegalArgumentException("no element type has the number " + number);
    }
}

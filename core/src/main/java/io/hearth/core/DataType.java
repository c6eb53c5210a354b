package io.hearth.core;

/** Element types of collective buffers, little-endian wherever they leave a process. */
public enum DataType {
    FLOAT32(4),
    FLOAT64(8),
    FLOAT16(2),
    BFLOAT16(2),
    INT32(4),
    INT64(8),
    INT8(1),
    UINT8(1);

    private final int bytes;

    DataType(int bytes) {
        this.bytes = bytes;
    }

    /** Size of one element in bytes. */
    public int bytes() {
        return bytes;
    }
}

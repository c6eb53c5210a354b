package io.hearth.parameterserver;

/** Upper bounds. */
public final class Sizes {
    /** Of a parameter's name, in characters. */
    public static final int NAME_CHARACTERS_MAX = 256;

    /** Of a trainer's name, in characters. */
    public static final int TRAINER_CHARACTERS_MAX = 128;

    /** Of trainers that are registered at the same time, and of those whose newest gradient a parameter remembers. */
    public static final int TRAINERS_MAX = 256;

    /** Of one parameter's values. Larger ones are split by the client. */
    public static final int CONTENT_BYTES_MAX = 48 << 20;

    /** Of a message of a caller. */
    public static final int MESSAGE_BYTES_MAX = 64 << 20;

    /** Of the parameters of one part. */
    public static final int PARAMETERS_MAX = 65_536;

    /** Of all values and optimizer states of one part. */
    public static final long PART_BYTES_MAX = 1L << 30;

    /** The same and gradients that wait: what a checkpoint or a copy of a part holds, in one array with its frame. */
    public static final long TABLE_BYTES_MAX = 2_000_000_000L;

    /** Of one message between members. */
    public static final int CHUNK_BYTES_MAX = 3 << 20;

    private Sizes() {}
}

package io.hearth.parameterserver.gradient;

import com.google.protobuf.ByteString;
import io.hearth.parameterserver.ElementType;
import io.hearth.parameterserver.optimize.Values;
import io.hearth.parameterserver.wire.GradientEncoding;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/** Reads gradients. Only the size of the parameter decides how much memory this takes. */
public final class Gradients {
    private static final int HALF = 2;
    private static final int SCALE = 4;
    private static final int ENTRY = 8;

    private Gradients() {}

    /**
     * The numbers of a gradient, one for each element of the parameter.
     *
     * @param size elements of the parameter
     * @throws IllegalArgumentException with what to do, if it is not a gradient for this parameter
     */
    public static double[] decode(GradientEncoding encoding, ElementType type, int size, ByteString content) {
        Optional<String> wrong = wrongLength(encoding, type, size, content);
        if (wrong.isPresent()) {
            throw new IllegalArgumentException(wrong.get());
        }
        double[] numbers = new double[size];
        ByteBuffer in = content.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        switch (encoding) {
            case DENSE -> Arrays.setAll(numbers, Values.over(type, content.toByteArray())::get);
            case FP16 -> Arrays.setAll(numbers, _ -> Float.float16ToFloat(in.getShort()));
            case BF16 -> Arrays.setAll(numbers, _ -> Float.intBitsToFloat(in.getShort() << 16));
            case INT8 -> {
                double scale = in.getFloat();
                Arrays.setAll(numbers, _ -> scale * in.get());
            }
            case TOPK -> sparse(in, numbers);
            case UNRECOGNIZED -> throw new IllegalArgumentException("an unknown encoding of gradients");
        }
        for (int i = 0; i < size; i++) {
            if (!Double.isFinite(numbers[i])) {
                throw new IllegalArgumentException("element " + i + " of the gradient is " + numbers[i]
                        + ", which would spoil the parameter: leave this step out");
            }
        }
        return numbers;
    }

    private static Optional<String> wrongLength(
            GradientEncoding encoding, ElementType type, int size, ByteString content) {
        if (encoding == GradientEncoding.UNRECOGNIZED) {
            return Optional.of("an encoding of gradients is 0 (DENSE) to 4 (TOPK): choose one of them");
        }
        if (encoding != GradientEncoding.DENSE && !type.isFloat()) {
            return Optional.of("the encoding " + encoding + " is for FLOAT32 and FLOAT64, the parameter has the type "
                    + type + ": send DENSE");
        }
        long expected = switch (encoding) {
            case DENSE -> (long) size * type.bytes();
            case FP16, BF16 -> (long) size * HALF;
            case INT8 -> SCALE + (long) size;
            case TOPK ->
                content.size() < SCALE
                        ? SCALE
                        : SCALE
                                + ENTRY
                                        * Integer.toUnsignedLong(Integer.reverseBytes(content.substring(0, SCALE)
                                                .asReadOnlyByteBuffer()
                                                .getInt()));
            case UNRECOGNIZED -> 0;
        };
        return expected == content.size()
                ? Optional.empty()
                : Optional.of("wrong length: a gradient in " + encoding + " for " + size + " elements of " + type
                        + " has " + expected + " bytes, got " + content.size() + ": send one for this parameter");
    }

    private static void sparse(ByteBuffer in, double[] numbers) {
        int count = in.getInt();
        if (count < 0 || count > numbers.length) {
            throw new IllegalArgumentException("a sparse gradient has at most as many entries as its parameter, "
                    + numbers.length + ", got " + Integer.toUnsignedString(count));
        }
        int before = -1;
        for (int i = 0; i < count; i++) {
            int index = in.getInt(SCALE + SCALE * i);
            if (index <= before || index >= numbers.length) {
                throw new IllegalArgumentException("indices of a sparse gradient rise and are below " + numbers.length
                        + ", got " + Integer.toUnsignedString(index) + " after " + before);
            }
            before = index;
            numbers[index] = in.getFloat(SCALE + SCALE * count + SCALE * i);
        }
    }
}

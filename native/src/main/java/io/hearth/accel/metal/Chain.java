package io.hearth.accel.metal;

/**
 * Splits a combination of many inputs into dispatches of few. Each dispatch after the first continues from the result so far, in the
 * order of the inputs, so that the roundings are those of one input after the other. Pure.
 *
 * <p>Two places alternate as the result, because no other argument of a kernel may reach the memory that it writes: the compiler assumes
 * that they are apart and may order loads and stores freely.
 */
final class Chain {
    private Chain() {}

    /** The number of dispatches for that many inputs. */
    static int length(int inputs) {
        return 1 + Math.ceilDiv(Math.max(0, inputs - Kernel.INPUTS_MAX), Kernel.INPUTS_MAX - 1);
    }

    /**
     * Adds the dispatches, one after the other.
     *
     * @param even a place for {@code count} elements, which the first dispatch, the third and so on write
     * @param odd another for the second and so on; apart from {@code even} and from all inputs. Not used where there is one dispatch.
     * @param inputs the first {@code inputCount} places are used, at least 2
     * @return the one of both that has the result
     */
    static Dispatch.BufferSlice encode(
            Commands commands,
            Kernel kernel,
            int operation,
            Dispatch.BufferSlice even,
            Dispatch.BufferSlice odd,
            Dispatch.BufferSlice[] inputs,
            int inputCount,
            int count) {
        Dispatch.BufferSlice target = even;
        Dispatch.BufferSlice first = inputs[0];
        int next = 1;
        while (true) {
            Dispatch dispatch = commands.add(kernel, count).buffer(target).buffer(first);
            int taken = 1;
            while (taken < Kernel.INPUTS_MAX && next < inputCount) {
                dispatch.buffer(inputs[next++]);
                taken++;
            }
            for (int i = taken; i < Kernel.INPUTS_MAX; i++) {
                dispatch.buffer(first); // the kernel does not read it, but Metal requires each declared buffer
            }
            dispatch.word(count).word(operation).word(taken);
            if (next == inputCount) {
                return target;
            }
            first = target;
            target = target == even ? odd : even;
        }
    }
}

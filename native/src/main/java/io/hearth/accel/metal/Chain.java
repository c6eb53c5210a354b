package io.hearth.accel.metal;

/**
 * Divides a combination of many inputs into dispatches of few: each after the first goes on from the result so far, in the order
 * of the inputs, so that the roundings are those of one input after the other. Pure.
 *
 * <p>Two places take turns as the result: what a kernel writes must not be reached by another argument of it, or the compiler,
 * which takes them to be apart, may do the loads and stores in any order.
 */
final class Chain {
    private Chain() {}

    /** How many dispatches so many inputs take. */
    static int length(int inputs) {
        return 1 + Math.ceilDiv(Math.max(0, inputs - Kernel.INPUTS_MAX), Kernel.INPUTS_MAX - 1);
    }

    /**
     * Adds the dispatches, one after the other.
     *
     * @param even a place for {@code count} elements, which the first dispatch, the third and so on write
     * @param odd another for the second and so on; apart from {@code even} and from all inputs. Not used where there is one dispatch.
     * @param inputs the first {@code inputCount} of it count, at least 2
     * @return which of both has the result
     */
    static Dispatch.Place encode(
            Commands commands,
            Kernel kernel,
            int operation,
            Dispatch.Place even,
            Dispatch.Place odd,
            Dispatch.Place[] inputs,
            int inputCount,
            int count) {
        Dispatch.Place target = even;
        Dispatch.Place first = inputs[0];
        int next = 1;
        while (true) {
            Dispatch dispatch = commands.add(kernel, count).buffer(target).buffer(first);
            int taken = 1;
            while (taken < Kernel.INPUTS_MAX && next < inputCount) {
                dispatch.buffer(inputs[next++]);
                taken++;
            }
            for (int i = taken; i < Kernel.INPUTS_MAX; i++) {
                dispatch.buffer(first); // the kernel will not read it, but each declared buffer has to be one
            }
            dispatch.reducing(count, operation, taken, 1);
            if (next == inputCount) {
                return target;
            }
            first = target;
            target = target == even ? odd : even;
        }
    }
}

package io.hearth.accel.metal;

import java.util.ArrayList;
import java.util.List;

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
     * The dispatches, one after the other; the last one's first buffer has the result.
     *
     * @param results two places for {@code count} elements each, one where there is one dispatch; apart from each other and from
     *     all inputs
     */
    static List<Dispatch> of(
            Kernel kernel, int operation, List<Dispatch.Place> results, List<Dispatch.Place> inputs, int count) {
        var dispatches = new ArrayList<Dispatch>();
        int next = 0;
        while (next < inputs.size()) {
            int turn = dispatches.size();
            var group = new ArrayList<Dispatch.Place>();
            if (turn > 0) {
                group.add(results.get((turn - 1) % 2));
            }
            while (group.size() < Kernel.INPUTS_MAX && next < inputs.size()) {
                group.add(inputs.get(next++));
            }
            dispatches.add(dispatch(kernel, operation, results.get(turn % 2), group, count));
        }
        return dispatches;
    }

    /** Places that the kernel will not read hold the first input: each declared buffer has to be one. */
    private static Dispatch dispatch(
            Kernel kernel, int operation, Dispatch.Place result, List<Dispatch.Place> inputs, int count) {
        var places = new ArrayList<Dispatch.Place>();
        places.add(result);
        places.addAll(inputs);
        while (places.size() < Kernel.JOB_INDEX) {
            places.add(inputs.getFirst());
        }
        return Dispatch.reducing(kernel, places, count, operation, inputs.size(), 1);
    }
}

package io.hearth.accel.metal;

import java.util.ArrayList;
import java.util.List;

/**
 * Divides a combination of many inputs into dispatches of few: each after the first goes on from the result so far, in the order
 * of the inputs, so that the roundings are those of one input after the other. Pure.
 */
final class Chain {
    private Chain() {}

    static List<Dispatch> of(
            Kernel kernel, int operation, Dispatch.Place result, List<Dispatch.Place> inputs, int count) {
        var dispatches = new ArrayList<Dispatch>();
        int next = 0;
        while (next < inputs.size()) {
            var group = new ArrayList<Dispatch.Place>();
            if (next > 0) {
                group.add(result);
            }
            while (group.size() < Kernel.INPUTS_MAX && next < inputs.size()) {
                group.add(inputs.get(next++));
            }
            dispatches.add(dispatch(kernel, operation, result, group, count));
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

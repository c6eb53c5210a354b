package io.hearth.discovery.mdns;

import io.hearth.discovery.Medium;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * An interface with the properties that mDNS uses. Any difference means another binding and a new socket.
 *
 * @param address literal of the source address
 */
record MdnsBinding(InterfaceState state, String address, Medium medium) {
    /** The bindings for the interfaces of a machine. */
    static List<MdnsBinding> of(
            List<InterfaceState> states, InterfacePolicy policy, Function<String, Medium> mediumOf) {
        var bindings = new ArrayList<MdnsBinding>();
        for (InterfaceState state : states) {
            if (policy.objection(state).isEmpty()) {
                state.mdnsAddress()
                        .ifPresent(
                                address -> bindings.add(new MdnsBinding(state, address, mediumOf.apply(state.name()))));
            }
        }
        return bindings;
    }
}

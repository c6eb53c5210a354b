package io.hearth.parameterserver.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.serve.Failure;
import java.util.List;
import java.util.SortedSet;

/** What the shell of the registry carries out. */
public sealed interface RegistryEffect {
    /** Stores a command and reports {@link RegistryEvent.Stored}. */
    record Submit(long number, Bytes command, String why) implements RegistryEffect {}

    /** Asks machines for their reports. */
    record Ask(long round, List<NodeId> members) implements RegistryEffect {}

    /** The trainer is registered, or not any more. */
    record Answer(long call, SortedSet<String> trainers) implements RegistryEffect {}

    /** Ends a call with an error. */
    record Fail(long call, Failure why) implements RegistryEffect {}
}

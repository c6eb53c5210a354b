package io.hearth.parameterserver.machine;

import io.hearth.identity.NodeId;
import io.hearth.serve.Failure;
import java.util.List;

/** What happens to the registry on one machine. */
public sealed interface RegistryEvent {
    /** From now on this machine decides. */
    record Elected(PartLedger ledger) implements RegistryEvent {}

    /** From now on it does not. */
    record Deposed(Failure why) implements RegistryEvent {}

    /** The ledger is this now. */
    record Applied(PartLedger ledger) implements RegistryEvent {}

    /** The machines that run the service. */
    record Members(List<NodeId> members) implements RegistryEvent {}

    /** What a machine has, asked in a round. */
    record Reported(NodeId node, long round, Report report) implements RegistryEvent {}

    /** A trainer begins or renews its lease; 0 ends it. */
    record Register(long call, String trainer, long leaseNanos) implements RegistryEvent {}

    /** The caller is gone. */
    record Ended(long call) implements RegistryEvent {}

    /** A command is done. */
    record Stored(long command) implements RegistryEvent {}

    /** A command was not taken, or nobody knows. */
    record NotStored(long command) implements RegistryEvent {}

    /** Time passed. */
    record Tick() implements RegistryEvent {}
}

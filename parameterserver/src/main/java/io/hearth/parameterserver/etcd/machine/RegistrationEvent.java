package io.hearth.parameterserver.etcd.machine;

import java.util.SortedSet;

/** What happens to a registration. */
public sealed interface RegistrationEvent {
    /** Time passed. */
    record Tick() implements RegistrationEvent {}

    /** There is a new note on checkpoints. */
    record Noted() implements RegistrationEvent {}

    /** etcd granted a lease. */
    record Granted(long lease) implements RegistrationEvent {}

    /** These indexes have a server. */
    record Listed(SortedSet<Integer> taken) implements RegistrationEvent {}

    /** The key is this server's. */
    record Claimed() implements RegistrationEvent {}

    /** Another server was faster. */
    record Taken() implements RegistrationEvent {}

    /** The lease and the key are still there. */
    record Renewed() implements RegistrationEvent {}

    /** The lease or the key is gone. */
    record Lost() implements RegistrationEvent {}

    /** etcd has the note. */
    record Published() implements RegistrationEvent {}

    /** etcd did not answer, or with an error. */
    record Failed(String why) implements RegistrationEvent {}
}

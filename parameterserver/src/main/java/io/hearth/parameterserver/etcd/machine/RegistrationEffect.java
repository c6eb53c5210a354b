package io.hearth.parameterserver.etcd.machine;

/** What the shell of a registration carries out. */
public sealed interface RegistrationEffect {
    /** A question to etcd, which one event answers. */
    sealed interface Ask extends RegistrationEffect {}

    /** Gets a lease. */
    record Grant() implements Ask {}

    /** Lists the servers. */
    record ListServers() implements Ask {}

    /** Writes the key of an index if it has none. */
    record Claim(int index, long lease) implements Ask {}

    /** Renews the lease, and sees that the key of the index has it. */
    record Renew(int index, long lease) implements Ask {}

    /** Writes the note on checkpoints. */
    record Publish(int index) implements Ask {}

    /** Ends the connection. */
    record Drop() implements RegistrationEffect {}

    /** Says that etcd is out of reach. */
    record Warn(String why) implements RegistrationEffect {}

    /**
     * Says that the server is registered.
     *
     * @param isBack whether etcd was out of reach before
     */
    record Say(int index, boolean isBack) implements RegistrationEffect {}
}

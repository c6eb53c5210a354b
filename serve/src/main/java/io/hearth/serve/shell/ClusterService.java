package io.hearth.serve.shell;

import io.grpc.ServerServiceDefinition;
import io.hearth.identity.NodeId;
import io.hearth.replicated.Application;
import io.hearth.replicated.host.ReplicaHost;
import io.hearth.serve.grpc.ServicePort;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A service as its host runs it, on one machine or in each agent that serves. One machine of the cluster answers at a time: the one that is
 * elected. {@link #elected} and {@link #deposed} alternate.
 *
 * @param <S> what survives a machine
 */
public interface ClusterService<S> extends ReplicaHost.Service<S>, AutoCloseable {
    /** Makes a service that no call has reached yet. */
    interface Maker<S> {
        /** The name in commands, files and messages: small letters. */
        String name();

        /** What commands do to the state that survives. */
        Application<S> application();

        /** The settings that must be the same on all machines, for people: at most 256 characters of ASCII. Empty if there are none. */
        default String settings() {
            return "";
        }

        ClusterService<S> make(Surroundings surroundings);
    }

    /** The gRPC services, whose methods take and give bytes. Calls may come while this machine is not elected. */
    List<ServerServiceDefinition> methods();

    /** The gRPC services that only other members of the cluster may call, by {@link MemberCalls}. */
    default List<ServerServiceDefinition> memberMethods() {
        return List.of();
    }

    /** Whether a call of this method, by its full name, may be made again when its answer was lost: it does the same as once. */
    default boolean mayRepeat(String method) {
        return false;
    }

    /** Whether any member answers calls of this method, by its full name, and not only the one that is elected. */
    default boolean isAnsweredAnywhere(String method) {
        return false;
    }

    /**
     * What is carried out in place of a caller's request, also when it is repeated: for instance with a mark by which a repetition is known.
     *
     * @param request of the method, as its caller sent it; perhaps malformed
     */
    default byte[] marked(String method, byte[] request) {
        return request;
    }

    /** The most bytes that a message of a caller has. */
    default int messageBytesMax() {
        return ServicePort.MESSAGE_BYTES_DEFAULT;
    }

    /** The port for clients of this machine is open at this address; called once, before {@link #close}. */
    default void listening(InetSocketAddress address) {}

    /** The machines that run this service now, in the order of the view, this one among them. Any thread. */
    default void members(List<NodeId> serving) {}

    /** The jobs that it runs, the newest first; a few of them, if there are many. Any thread. */
    default List<ServiceJob> jobs() {
        return List.of();
    }

    /** Ends the work of this service, while its replica still runs. */
    @Override
    default void close() {}

    /** What a browser and scripts see. */
    ServicePort.Pages pages();
}

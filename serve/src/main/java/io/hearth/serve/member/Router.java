package io.hearth.serve.member;

import io.grpc.ManagedChannel;
import io.hearth.identity.NodeId;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/** Where the calls of one service go at this moment. Any thread. */
interface Router {
    /** The member that answers; empty while none is known. */
    Optional<NodeId> answering();

    /** Whether that is this node. */
    boolean isHere();

    /** The way to a member; empty if there is none. */
    Optional<ManagedChannel> to(NodeId member);

    /** Why no member answers; for people. */
    String vacancy();

    boolean mayRepeat(String method);

    /** Whether any member answers calls of this method, and not only the one that is elected. */
    boolean isAnsweredAnywhere(String method);

    /** What is carried out in place of a caller's request, also when it is repeated. */
    byte[] marked(String method, byte[] request);

    ScheduledExecutorService timer();
}

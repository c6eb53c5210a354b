package io.hearth.serve.shell;

import io.hearth.identity.NodeId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Calls of a service to itself on other machines, over encrypted connections between members. Any thread. */
public interface MemberCalls {
    /** No other machine: of a service that runs alone. */
    MemberCalls NONE = (member, _, _, _) -> CompletableFuture.failedFuture(
            new IllegalStateException("this service runs alone, so it does not reach " + member.shortText()));

    /**
     * Calls one of {@link ClusterService#memberMethods} on another member.
     *
     * @param method full name
     * @param request encoded
     * @return the encoded answer, or {@code io.grpc.StatusException} with UNAVAILABLE if there is no way to the member
     */
    CompletableFuture<byte[]> call(NodeId member, String method, byte[] request, Duration timeout);
}

package io.hearth.serve.grpc;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Refuses calls over connections whose client showed no certificate. Wrong certificates do not get this far. */
public final class OnlyVerified implements ServerInterceptor {
    static final String REFUSAL = "only clients with a certificate of the authority are answered here";

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (isVerified(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION))) {
            return next.startCall(call, headers);
        }
        call.close(Status.UNAUTHENTICATED.withDescription(REFUSAL), new Metadata());
        return new ServerCall.Listener<>() {};
    }

    static boolean isVerified(@Nullable SSLSession session) {
        try {
            return session != null && session.getPeerCertificates().length > 0;
        } catch (SSLPeerUnverifiedException anonymous) {
            return false;
        }
    }
}

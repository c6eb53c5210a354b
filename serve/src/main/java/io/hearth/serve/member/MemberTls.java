package io.hearth.serve.member;

import io.grpc.netty.GrpcSslContexts;
import io.hearth.core.SetupException;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.control.Tls;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.util.function.Predicate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLException;

/** TLS 1.3 between members: each side shows its identity's certificate, and only the key in it counts. */
final class MemberTls {
    private static final String PROTOCOL = "TLSv1.3";

    private final KeyManager identity;

    MemberTls(NodeIdentity identity) {
        this.identity = Tls.keyManager(identity);
    }

    /** For connections of machines that {@code isKnown} accepts. */
    SslContext server(Predicate<PeerId> isKnown) throws SetupException {
        return build(SslContextBuilder.forServer(identity).clientAuth(ClientAuth.REQUIRE), isKnown);
    }

    /** For a connection to one machine. */
    SslContext client(PeerId machine) throws SetupException {
        return build(SslContextBuilder.forClient().keyManager(identity), machine::equals);
    }

    private static SslContext build(SslContextBuilder builder, Predicate<PeerId> isKnown) throws SetupException {
        try {
            return GrpcSslContexts.configure(builder, SslProvider.JDK)
                    .protocols(PROTOCOL)
                    .trustManager(Tls.trustManager(isKnown))
                    .build();
        } catch (SSLException missing) {
            throw new SetupException("this Java has no TLS 1.3 for the services: " + missing.getMessage(), missing);
        }
    }
}

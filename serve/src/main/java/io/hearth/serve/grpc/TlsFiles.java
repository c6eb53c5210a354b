package io.hearth.serve.grpc;

import io.grpc.netty.GrpcSslContexts;
import io.hearth.core.SetupException;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/**
 * Files for TLS 1.2 and later, in PEM.
 *
 * @param own certificate of this machine; a client may have none
 * @param authority certificates of authorities. With it, every call needs a certificate that they signed ({@link OnlyVerified}); without
 *     it, others are trusted if an authority of the Java installation signed theirs, and callers need none.
 */
public record TlsFiles(Optional<Own> own, Optional<Path> authority) {
    /**
     * The certificate that this machine presents, and its key.
     *
     * @param certificate of this machine, with those that lead to its authority
     * @param key its private key of RSA or EC, PKCS #8 without password
     */
    public record Own(Path certificate, Path key) {}

    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    /** Files of a machine that has a certificate. */
    public TlsFiles(Path certificate, Path key, Optional<Path> authority) {
        this(Optional.of(new Own(certificate, key)), authority);
    }

    /**
     * The end that is called.
     *
     * @param protocols names of ALPN, the preferred one first
     * @throws SetupException if there is no certificate, or a file cannot be used
     */
    public SslContext server(String... protocols) throws SetupException {
        Own mine = own.orElseThrow(() -> new SetupException("a server with TLS needs a certificate and its key"));
        check();
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(
                            mine.certificate().toFile(), mine.key().toFile())
                    .sslProvider(SslProvider.JDK)
                    .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            ApplicationProtocolConfig.Protocol.ALPN,
                            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                            protocols))
                    .protocols(PROTOCOLS);
            authority.ifPresent(file -> builder.trustManager(file.toFile()).clientAuth(ClientAuth.OPTIONAL));
            KeyCheck.check(mine);
            return builder.build();
        } catch (SSLException | GeneralSecurityException | IllegalArgumentException unusable) {
            throw unusable(unusable);
        }
    }

    /**
     * The end that calls.
     *
     * @throws SetupException if a file cannot be used
     */
    public SslContext client() throws SetupException {
        check();
        try {
            SslContextBuilder builder = GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
                    .protocols(PROTOCOLS);
            own.ifPresent(mine ->
                    builder.keyManager(mine.certificate().toFile(), mine.key().toFile()));
            authority.ifPresent(file -> builder.trustManager(file.toFile()));
            if (own.isPresent()) {
                KeyCheck.check(own.get());
            }
            return builder.build();
        } catch (SSLException | GeneralSecurityException | IllegalArgumentException unusable) {
            throw unusable(unusable);
        }
    }

    private void check() throws SetupException {
        if (own.isPresent()) {
            check("certificate", own.get().certificate());
            check("private key", own.get().key());
        }
        if (authority.isPresent()) {
            check("authority's certificate", authority.get());
        }
    }

    private static void check(String what, Path file) throws SetupException {
        if (!Files.isReadable(file)) {
            throw new SetupException(
                    "the file " + file + " with the " + what + " cannot be read: check its name and its permissions");
        }
    }

    private SetupException unusable(Exception why) {
        String names = Stream.concat(
                        own.stream().flatMap(mine -> Stream.of(mine.certificate(), mine.key())), authority.stream())
                .map(Path::toString)
                .collect(Collectors.joining(", "));
        return new SetupException(
                "the TLS files " + names + " cannot be used (" + why.getMessage()
                        + "): all have to be PEM, and the key one of RSA or EC, PKCS #8 without a password",
                why);
    }
}

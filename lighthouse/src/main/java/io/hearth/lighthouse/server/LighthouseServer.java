package io.hearth.lighthouse.server;

import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.lighthouse.LighthouseSettings;
import io.hearth.serve.alone.ServiceServer;
import io.hearth.serve.grpc.PortPlace;

/**
 * A lighthouse inside a program. Numbers of quorums are in the folder {@code lighthouse} of the home, and survive
 * a crash.
 */
public final class LighthouseServer implements AutoCloseable {
    private final ServiceServer server;
    private final PortPlace listen;

    private LighthouseServer(ServiceServer server, PortPlace listen) {
        this.server = server;
        this.listen = listen;
    }

    /**
     * Starts it on loopback.
     *
     * @param home in which no other lighthouse runs at this time
     * @param port 0 for any
     * @throws SetupException with what to do
     */
    public static LighthouseServer start(HearthHome home, LighthouseSettings settings, int port) throws SetupException {
        return start(home, settings, PortPlace.loopback(port));
    }

    /**
     * Starts it.
     *
     * @param home in which no other lighthouse runs at this time
     * @param listen with TLS if other machines reach it; torchft's client has none, so it needs a proxy there
     * @throws SetupException with what to do
     */
    public static LighthouseServer start(HearthHome home, LighthouseSettings settings, PortPlace listen)
            throws SetupException {
        return new LighthouseServer(ServiceServer.inHome(Lighthouse.maker(settings), home, listen), listen);
    }

    /** The URL of this lighthouse, {@code http://127.0.0.1:port} unless it listens elsewhere; torchft reads it from {@code TORCHFT_LIGHTHOUSE}. */
    public String address() {
        return listen.url(port());
    }

    public int port() {
        return server.port();
    }

    /** Ends all calls and connections; idempotent. */
    @Override
    public void close() {
        server.close();
    }
}

package io.hearth.cli.namespace;

import com.google.gson.JsonObject;
import io.hearth.agent.LocalAgent;
import io.hearth.agent.api.LocalApi;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.core.HearthException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.pairing.machine.PairingLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Shows the code of a pairing on the page of this machine's agent, if one runs, until it is closed. */
final class PairingNotice implements AutoCloseable {
    private static final Duration ANSWER_MAX = Duration.ofMillis(500);

    private final Optional<Path> socket;

    private PairingNotice(Optional<Path> socket) {
        this.socket = socket;
    }

    /** Whether the agent is told or not: a pairing does not need it. */
    static PairingNotice show(HearthHome home, String code) {
        var note = new JsonObject();
        note.addProperty("code", code);
        note.addProperty("text", "Whoever types this code gets the secret of this namespace.");
        note.addProperty("milliseconds", TimeUnit.NANOSECONDS.toMillis(PairingLimits.DEFAULT.codeLifeNanos()));
        try {
            Path socket = home.socket(LocalAgent.SOCKET);
            LocalApiClient.put(socket, LocalApi.PAIRING, note, ANSWER_MAX);
            return new PairingNotice(Optional.of(socket));
        } catch (HearthException silent) {
            return new PairingNotice(Optional.empty());
        }
    }

    @Override
    public void close() {
        try {
            if (socket.isPresent()) {
                LocalApiClient.delete(socket.get(), LocalApi.PAIRING, ANSWER_MAX);
            }
        } catch (HearthException silent) {
            return; // the code on the page ends by itself
        }
    }
}

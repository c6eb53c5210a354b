package io.hearth.agent;

import com.google.gson.JsonObject;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** Asks the local agent over its unix socket; see {@link LocalApiServer} for the two questions. */
public final class LocalApiClient implements AutoCloseable {
    private final SocketChannel channel;
    private final BufferedReader answers;

    private LocalApiClient(SocketChannel channel) {
        this.channel = channel;
        this.answers =
                new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
    }

    /** Connects to the agent that serves at {@code socket}; empty when none does. */
    public static Optional<LocalApiClient> connect(Path socket) {
        try {
            return Optional.of(new LocalApiClient(SocketChannel.open(UnixDomainSocketAddress.of(socket))));
        } catch (IOException nobody) {
            return Optional.empty();
        }
    }

    /** Sends {@code question}: {@code status} or {@code watch}. */
    public void ask(String question) throws SetupException {
        var line = new JsonObject();
        line.addProperty("ask", question);
        ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException gone) {
            throw new SetupException("the agent closed its local socket: " + gone.getMessage(), gone);
        }
    }

    /** The next answer; empty when the agent hung up. */
    public Optional<JsonObject> answer() throws HearthException {
        try {
            String line = answers.readLine();
            return line == null ? Optional.empty() : Optional.of(Json.object(line));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    /** Ends a waiting {@link #answer()} from another thread. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException alreadyGone) {
            // nothing of the connection is left either way
            return;
        }
    }
}

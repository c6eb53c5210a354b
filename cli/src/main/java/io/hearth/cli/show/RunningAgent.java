package io.hearth.cli.show;

import com.google.gson.JsonObject;
import io.hearth.agent.LocalAgent;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import java.time.Duration;
import java.util.Optional;

/** The agent of this machine, for commands that need one. */
final class RunningAgent {
    private final HearthHome home;
    private final Duration longest;

    /** @param longest time limit of each answer */
    RunningAgent(Terminal terminal, Duration longest) throws SetupException {
        this.home = HearthHome.open(terminal.environment());
        this.longest = longest;
    }

    /**
     * The answer to a GET.
     *
     * @throws SetupException no agent runs, or it does not answer or refuses; its text says what to do
     */
    JsonObject get(String target) throws HearthException {
        return there(LocalApiClient.get(home.socket(LocalAgent.SOCKET), target, longest));
    }

    /** As {@link #get}, for a text. */
    String text(String target) throws HearthException {
        return there(LocalApiClient.text(home.socket(LocalAgent.SOCKET), target, longest));
    }

    /** As {@link #get}, by POST. */
    JsonObject post(String target) throws HearthException {
        return there(LocalApiClient.post(home.socket(LocalAgent.SOCKET), target, longest));
    }

    /** A feed that has begun; the caller closes it. */
    LocalApiClient watch(String target) throws HearthException {
        LocalApiClient feed = there(LocalApiClient.connect(home.socket(LocalAgent.SOCKET)));
        try {
            feed.watch(target);
            return feed;
        } catch (HearthException refused) {
            feed.close();
            throw refused;
        }
    }

    private <T> T there(Optional<T> answer) throws SetupException {
        return answer.orElseThrow(() -> new SetupException("no agent runs here for " + home
                + ": start one with 'hearth agent' in another terminal, or 'hearth install' for good"));
    }
}

package io.hearth.cli.show;

import io.hearth.agent.api.LocalApi;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.ChildProcess;
import io.hearth.core.HearthException;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth dashboard}: opens the agent's page in the browser. */
@Command(
        name = "dashboard",
        description =
                "Open the page of this machine's agent in the browser: machines, links, trainings, events. The page"
                        + " is served to this machine only, and the link works once, for a minute.")
public final class DashboardCommand implements Callable<Integer> {
    private static final Duration ANSWER_MAX = Duration.ofMillis(1_500);

    private final Terminal terminal;

    @Option(names = "--print", description = "Only print the link.")
    private boolean print;

    public DashboardCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        String link = new RunningAgent(terminal, ANSWER_MAX)
                .post(LocalApi.PAGE)
                .get("link")
                .getAsString();
        terminal.out().println(link);
        Optional<String> browser = print ? Optional.empty() : browser(terminal.environment());
        if (browser.isPresent() && !open(browser.get(), link)) {
            terminal.error(browser.get() + " cannot be started: open the link above yourself");
        } else if (!print && browser.isEmpty()) {
            terminal.err()
                    .println("no desktop is here: open the link on this machine, or forward its port, as with ssh -L "
                            + port(link) + ":127.0.0.1:" + port(link));
        }
        return Exit.OK;
    }

    private static String port(String link) {
        return link.replaceAll(".*:([0-9]+)/.*", "$1");
    }

    /** The program that opens a link on this desktop; empty without a desktop, as over ssh. */
    static Optional<String> browser(Map<String, String> environment) {
        if (System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac")) {
            return environment.containsKey("SSH_CONNECTION") ? Optional.empty() : Optional.of("open");
        }
        boolean hasDesktop = !environment.getOrDefault("DISPLAY", "").isEmpty()
                || !environment.getOrDefault("WAYLAND_DISPLAY", "").isEmpty();
        return hasDesktop ? Optional.of("xdg-open") : Optional.empty();
    }

    private static boolean open(String browser, String link) {
        try {
            ChildProcess.of(browser, link)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return true;
        } catch (IOException absent) {
            return false;
        }
    }
}

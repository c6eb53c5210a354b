package io.hearth.cli.service;

import io.hearth.cli.terminal.Terminal;
import io.hearth.core.ChildProcess;
import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options of both commands, and the plan that follows from them and from this machine. */
final class ServiceOptions {
    private static final String ROOT = "root";

    @ArgGroup
    private Owner owner = new Owner();

    @Option(names = "--dry-run", description = "Only print the files and the commands.")
    boolean dryRun;

    /** At most one owner; without one, the system's as root and on macOS, else the user's. */
    private static final class Owner {
        @Option(names = "--user", description = "A service of this user: no root is needed.")
        private boolean user;

        @Option(
                names = "--system",
                description =
                        "A service of the system, which runs as the user who called sudo (default on macOS and for"
                                + " root).")
        private boolean system;
    }

    private boolean isSystem(boolean isMac, String caller) {
        return owner.system || (!owner.user && (isMac || caller.equals(ROOT)));
    }

    /**
     * The plan for this machine.
     *
     * @throws SetupException if it has neither launchd nor systemd, or root is needed; says what to do
     */
    ServicePlan plan(Terminal terminal) throws SetupException {
        boolean isMac =
                System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("mac");
        String caller = System.getProperty("user.name", "");
        boolean isSystem = isSystem(isMac, caller);
        if (isSystem && !dryRun && !caller.equals(ROOT)) {
            throw new SetupException("a service of the system needs root: call it with sudo"
                    + (isMac
                            ? " (macOS lets such services reach the local network without asking), or add --user"
                            : ", or add --user"));
        }
        ServiceSpec spec = spec(terminal.environment(), caller, isSystem);
        if (isMac) {
            return LaunchdPlan.of(spec, uid(spec.user()));
        }
        if (!dryRun && !Files.isDirectory(Path.of("/run/systemd/system"))) {
            throw new SetupException("systemd does not run here: start 'hearth agent' by this system's own supervisor"
                    + " (it runs in the foreground, ends with 0 when stopped by TERM, and logs to standard error)");
        }
        return SystemdPlan.of(spec, systemdVersion());
    }

    private static ServiceSpec spec(Map<String, String> environment, String caller, boolean isSystem)
            throws SetupException {
        String user = isSystem && caller.equals(ROOT) ? environment.getOrDefault("SUDO_USER", caller) : caller;
        Path home = user.equals(caller) ? Path.of(System.getProperty("user.home", "/")) : homeOf(user);
        Path hearthHome = Optional.ofNullable(environment.get("HEARTH_HOME"))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder).toAbsolutePath().normalize())
                .orElse(home.resolve(".hearth"));
        return new ServiceSpec(
                launcher(), Path.of(System.getProperty("java.home", "/")), hearthHome, user, home, isSystem);
    }

    /** The launcher names itself; where it is a link, such as of a package, the link survives the next version. */
    private static Path launcher() throws SetupException {
        String launcher = System.getProperty("hearth.launcher", "");
        if (launcher.isEmpty()) {
            throw new SetupException("this Java was not started by the program 'hearth', which the service needs: call"
                    + " bin/hearth of the unpacked archive, or of the source tree");
        }
        return Path.of(launcher);
    }

    private static Path homeOf(String user) throws SetupException {
        if (!user.matches("[A-Za-z_][A-Za-z0-9_.-]{0,63}")) {
            throw new SetupException("SUDO_USER does not name a user: call sudo from an ordinary account");
        }
        return Path.of(answer("sh", "-c", "echo ~" + user));
    }

    /** The first number of what systemctl says; 0 if it is not here. */
    private static int systemdVersion() {
        try {
            var number = Pattern.compile("\\d{1,5}").matcher(answer("systemctl", "--version"));
            return number.find() ? Integer.parseInt(number.group()) : 0;
        } catch (SetupException missing) {
            return 0; // with --dry-run
        }
    }

    private static long uid(String user) throws SetupException {
        return Long.parseLong(answer("id", "-u", user));
    }

    private static String answer(String... command) throws SetupException {
        try {
            Process process = ChildProcess.of(List.of(command)).start();
            return new String(process.getInputStream().readNBytes(10_000), StandardCharsets.UTF_8).strip();
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot run " + command[0] + ": " + failed.getMessage() + "; check the PATH", failed);
        }
    }
}

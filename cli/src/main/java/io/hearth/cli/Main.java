package io.hearth.cli;

import io.hearth.cli.bench.BenchAllReduceCommand;
import io.hearth.cli.bench.BenchCommand;
import io.hearth.cli.bench.BenchCompressionCommand;
import io.hearth.cli.bench.BenchConvergenceCommand;
import io.hearth.cli.bench.BenchRankCommand;
import io.hearth.cli.bench.KernelBenchCommand;
import io.hearth.cli.bench.KernelCalibrateCommand;
import io.hearth.cli.bench.KernelCommand;
import io.hearth.cli.bench.KernelInfoCommand;
import io.hearth.cli.bench.KernelSelftestCommand;
import io.hearth.cli.chaos.ChaosCommand;
import io.hearth.cli.chaos.ChaosWorkerCommand;
import io.hearth.cli.demo.DemoCommand;
import io.hearth.cli.doctor.DoctorCommand;
import io.hearth.cli.jobs.JobsCommand;
import io.hearth.cli.jobs.JobsListCommand;
import io.hearth.cli.jobs.JobsSubmitCommand;
import io.hearth.cli.jobs.OneJobCommand;
import io.hearth.cli.namespace.BlockingCommand;
import io.hearth.cli.namespace.IdCommand;
import io.hearth.cli.namespace.IdentityCommand;
import io.hearth.cli.namespace.IdentityResetCommand;
import io.hearth.cli.namespace.InitCommand;
import io.hearth.cli.namespace.JoinCommand;
import io.hearth.cli.namespace.PairCommand;
import io.hearth.cli.namespace.PeersCommand;
import io.hearth.cli.namespace.RemoveCommand;
import io.hearth.cli.namespace.SecretCommand;
import io.hearth.cli.namespace.SecretRotateCommand;
import io.hearth.cli.namespace.SecretShowCommand;
import io.hearth.cli.node.AgentCommand;
import io.hearth.cli.node.TrainCommand;
import io.hearth.cli.node.WaitCommand;
import io.hearth.cli.option.Compression;
import io.hearth.cli.run.RunCommand;
import io.hearth.cli.serve.CoordinatorCommand;
import io.hearth.cli.serve.LighthouseCommand;
import io.hearth.cli.serve.ParameterServerCommand;
import io.hearth.cli.serve.SchedulerCommand;
import io.hearth.cli.service.InstallCommand;
import io.hearth.cli.service.UninstallCommand;
import io.hearth.cli.show.ConfigCommand;
import io.hearth.cli.show.DashboardCommand;
import io.hearth.cli.show.PlanCommand;
import io.hearth.cli.show.StatusCommand;
import io.hearth.cli.show.TopCommand;
import io.hearth.cli.show.TopologyCommand;
import io.hearth.cli.show.WatchCommand;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.core.Spelling;
import io.hearth.identity.SecretText;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The program {@code hearth}: reads the command line, runs one command, ends with its exit code.
 *
 * <p>A mistake or a failure is one line on standard error: {@code hearth: what: why; what to do}. With {@code HEARTH_TRACE} in the environment, the stack trace follows it. {@link LogLevel} sets how much the program logs.
 */
public final class Main {
    private static final int USAGE_WIDTH = 100;

    /** Commands that tell of all commands. */
    private static final List<String> OF_ALL = List.of("completion", "man");

    /** The program that prints help lays nothing out for less. */
    private static final int USAGE_WIDTH_MIN = 55;

    private Main() {}

    public static void main(String[] arguments) {
        Terminal terminal = Terminal.system();
        LogLevel.of(arguments, terminal.environment()).set(terminal.environment());
        System.exit(run(terminal, arguments));
    }

    /** Runs one command line; the exit code is one of {@link Exit}, or the code of a program that the command ran. */
    static int run(Terminal terminal, String... arguments) {
        LogLevel.complaint(terminal.environment()).ifPresent(terminal::error);
        int code = hasSecret(arguments)
                ? rejectSecret(terminal)
                : commandLine(terminal, needed(arguments))
                        .setUsageHelpWidth(usageWidth(terminal, arguments))
                        .execute(arguments.length == 0 ? new String[] {"--help"} : arguments);
        terminal.out().flush();
        terminal.err().flush();
        return code;
    }

    /** Asks for the terminal's width only if help may be printed: that takes a child process. */
    private static int usageWidth(Terminal terminal, String... arguments) {
        boolean mayHelp = arguments.length == 0
                || Arrays.stream(arguments).anyMatch(argument -> argument.equals("--help") || argument.equals("-h"));
        return mayHelp ? Math.clamp(terminal.columns().orElse(USAGE_WIDTH), USAGE_WIDTH_MIN, USAGE_WIDTH) : USAGE_WIDTH;
    }

    /** Whether an argument before {@code --} holds a secret. Arguments after {@code --} belong to another program. */
    private static boolean hasSecret(String[] arguments) {
        return Arrays.stream(arguments)
                .takeWhile(argument -> !argument.equals("--"))
                .anyMatch(SecretText::isIn);
    }

    /** Rejects the command line before it is parsed, because messages about arguments repeat them. */
    private static int rejectSecret(Terminal terminal) {
        terminal.error("a secret is among the arguments, where other users of this machine can read it and your shell"
                + " stores it: type it after 'hearth init NAME --secret-file -', or put it in HEARTH_SECRET");
        return Exit.USAGE;
    }

    /** All commands, in the order of the help. */
    private static final List<String> COMMANDS = List.of(
            "demo",
            "train",
            "agent",
            "status",
            "top",
            "watch",
            "dashboard",
            "topology",
            "plan",
            "wait",
            "run",
            "jobs",
            "lighthouse",
            "coordinator",
            "scheduler",
            "parameterserver",
            "bench",
            "kernel",
            "simulate",
            "chaos",
            "chaos-worker",
            "doctor",
            "install",
            "uninstall",
            "config",
            "id",
            "init",
            "pair",
            "join",
            "secret",
            "peers",
            "remove",
            "block",
            "unblock",
            "identity",
            "completion",
            "man",
            "version");

    /** A command that is added here and to the list needs nothing more: parsing, help, exit codes and errors are the same for all. */
    private static Object command(String name, Terminal terminal) {
        return switch (name) {
            case "demo" -> new DemoCommand(terminal);
            case "train" -> new TrainCommand(terminal);
            case "agent" -> new AgentCommand(terminal);
            case "status" -> new StatusCommand(terminal);
            case "top" -> new TopCommand(terminal);
            case "watch" -> new WatchCommand(terminal);
            case "dashboard" -> new DashboardCommand(terminal);
            case "topology" -> new TopologyCommand(terminal);
            case "plan" -> new PlanCommand(terminal);
            case "wait" -> new WaitCommand(terminal);
            case "run" -> new RunCommand(terminal);
            case "jobs" ->
                new CommandLine(new JobsCommand())
                        .addSubcommand(new JobsSubmitCommand(terminal))
                        .addSubcommand(new JobsListCommand(terminal))
                        .addSubcommand(new OneJobCommand.Show(terminal))
                        .addSubcommand(new OneJobCommand.Cancel(terminal));
            case "lighthouse" -> new LighthouseCommand(terminal);
            case "coordinator" -> new CoordinatorCommand(terminal);
            case "scheduler" -> new SchedulerCommand(terminal);
            case "parameterserver" -> new ParameterServerCommand(terminal);
            case "bench" ->
                new CommandLine(new BenchCommand())
                        .addSubcommand(new BenchAllReduceCommand(terminal))
                        .addSubcommand(new BenchConvergenceCommand(terminal))
                        .addSubcommand(new BenchCompressionCommand(terminal))
                        .addSubcommand(new BenchRankCommand(terminal));
            case "kernel" ->
                new CommandLine(new KernelCommand())
                        .addSubcommand(new KernelInfoCommand(terminal))
                        .addSubcommand(new KernelBenchCommand(terminal))
                        .addSubcommand(new KernelSelftestCommand(terminal))
                        .addSubcommand(new KernelCalibrateCommand(terminal));
            case "simulate" -> new CommandLine(new SimulateCommand(terminal)).addSubcommand(new ScaleCommand(terminal));
            case "chaos" -> new ChaosCommand(terminal);
            case "chaos-worker" -> new ChaosWorkerCommand(terminal);
            case "doctor" -> new DoctorCommand(terminal);
            case "install" -> new InstallCommand(terminal);
            case "uninstall" -> new UninstallCommand(terminal);
            case "config" -> new ConfigCommand(terminal);
            case "id" -> new IdCommand(terminal);
            case "init" -> new InitCommand(terminal);
            case "pair" -> new PairCommand(terminal);
            case "join" -> new JoinCommand(terminal);
            case "secret" ->
                new CommandLine(new SecretCommand())
                        .addSubcommand(new SecretShowCommand(terminal))
                        .addSubcommand(new SecretRotateCommand(terminal));
            case "peers" -> new PeersCommand(terminal);
            case "remove" -> new RemoveCommand(terminal);
            case "block" -> new BlockingCommand.Block(terminal);
            case "unblock" -> new BlockingCommand.Unblock(terminal);
            case "identity" -> new CommandLine(new IdentityCommand()).addSubcommand(new IdentityResetCommand(terminal));
            case "completion" -> new CompletionCommand(terminal);
            case "man" -> new ManCommand(terminal);
            case "version" -> new VersionCommand(terminal);
            default -> throw new IllegalArgumentException("no command " + name);
        };
    }

    /** The program with all commands. */
    static CommandLine commandLine(Terminal terminal) {
        return commandLine(terminal, COMMANDS);
    }

    /** The commands that a command line needs: one, if it begins with its name, because to read the options of all takes a tenth of a second. */
    private static List<String> needed(String... arguments) {
        return arguments.length > 0 && COMMANDS.contains(arguments[0]) && !OF_ALL.contains(arguments[0])
                ? List.of(arguments[0])
                : COMMANDS;
    }

    private static CommandLine commandLine(Terminal terminal, List<String> names) {
        var all = new CommandLine(new RootCommand());
        names.forEach(name -> all.addSubcommand(name, command(name, terminal)));
        all.setOut(terminal.outWriter())
                .setErr(terminal.errWriter())
                .setColorScheme(CommandLine.Help.defaultColorScheme(terminal.interactive() ? Ansi.AUTO : Ansi.OFF))
                .setUsageHelpWidth(USAGE_WIDTH)
                .setAbbreviatedOptionsAllowed(false)
                .setParameterExceptionHandler(usageMistake(terminal))
                .setExecutionExceptionHandler(failure(terminal));
        Compression.explain(all);
        return all;
    }

    private static IParameterExceptionHandler usageMistake(Terminal terminal) {
        return (mistake, _) -> {
            CommandSpec command = mistake.getCommandLine().getCommandSpec();
            terminal.error(what(mistake) + meant(mistake) + "; try '" + command.qualifiedName() + " --help'");
            terminal.trace(mistake);
            return Exit.USAGE;
        };
    }

    private static IExecutionExceptionHandler failure(Terminal terminal) {
        return (failure, _, _) -> switch (failure) {
            case HearthException failed -> {
                terminal.error(String.valueOf(failed.getMessage()));
                terminal.trace(failed);
                yield failed instanceof NotEnoughPeersException ? Exit.TIMED_OUT : Exit.FAILED;
            }
            case InterruptedException interrupted -> {
                Thread.currentThread().interrupt();
                terminal.error("interrupted: the command did not end; run it again");
                terminal.trace(interrupted);
                yield Exit.INTERRUPTED;
            }
            default -> {
                terminal.error("a bug in Hearth: " + failure
                        + "; set HEARTH_TRACE=1, run the command again and report what it prints");
                terminal.trace(failure);
                yield Exit.FAILED;
            }
        };
    }

    /** The commands or options with the two nearest names, if the mistake is a name. */
    private static String meant(ParameterException mistake) {
        if (!(mistake instanceof UnmatchedArgumentException unmatched)) {
            return "";
        }
        List<String> near = unmatched.getSuggestions().stream()
                .sorted(Spelling.byNearness(unmatched.getUnmatched().getFirst()))
                .limit(2)
                .toList();
        return near.isEmpty() ? "" : " (did you mean " + String.join(" or ", near) + "?)";
    }

    private static String what(ParameterException mistake) {
        if (mistake instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            return "unknown command or argument '" + unmatched.getUnmatched().getFirst() + "'";
        }
        String message = String.valueOf(mistake.getMessage());
        return message.isEmpty() ? message : message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
    }
}

package io.hearth.cli.jobs;

import picocli.CommandLine.Command;

/** {@code hearth jobs}: the group of commands for the jobs of a scheduler. */
@Command(
        name = "jobs",
        description = "Submit, list, show and cancel jobs of a scheduler ('hearth agent --serve scheduler').",
        synopsisSubcommandLabel = "COMMAND")
public final class JobsCommand {}

package io.hearth.cli.namespace;

import picocli.CommandLine.Command;

/** {@code hearth identity}: the group of commands for this machine's key. */
@Command(name = "identity", description = "Give this machine a new identity.", synopsisSubcommandLabel = "COMMAND")
public final class IdentityCommand {}

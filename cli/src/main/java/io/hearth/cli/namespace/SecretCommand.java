package io.hearth.cli.namespace;

import picocli.CommandLine.Command;

/** {@code hearth secret}: the group of commands for secrets of namespaces. */
@Command(
        name = "secret",
        description = "Show or replace the secret of a namespace.",
        synopsisSubcommandLabel = "COMMAND")
public final class SecretCommand {}

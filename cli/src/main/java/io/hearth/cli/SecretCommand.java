package io.hearth.cli;

import picocli.CommandLine.Command;

/** {@code hearth secret}: the commands around namespaces' secrets. */
@Command(name = "secret", description = "Show or replace a namespace's secret.", synopsisSubcommandLabel = "COMMAND")
final class SecretCommand {}

package io.hearth.cli.jobs;

import io.hearth.cli.option.TlsOptions;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import io.hearth.scheduler.client.SchedulerClient;
import io.hearth.scheduler.client.SchedulerException;
import io.hearth.serve.grpc.TlsFiles;
import java.net.InetSocketAddress;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where the scheduler is. */
final class SchedulerAddress {
    private static final int PORT_DEFAULT = 29_512;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--scheduler",
            paramLabel = "HOST[:PORT]",
            description = "Address of the scheduler (default: 127.0.0.1:29512, that of this machine's agent).")
    private String address = "127.0.0.1:" + PORT_DEFAULT;

    @Mixin
    private TlsOptions tls = new TlsOptions();

    /** Calls of a scheduler. */
    interface Calls<R> {
        R with(SchedulerClient scheduler) throws SchedulerException;
    }

    /** Makes calls; an error of the scheduler is one line. */
    <R> R ask(Calls<R> calls) throws HearthException {
        HostPort where;
        Optional<TlsFiles> files;
        try {
            where = HostPort.parse(address, PORT_DEFAULT);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), "--scheduler: " + wrong.getMessage());
        }
        try {
            files = tls.files();
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), String.valueOf(wrong.getMessage()));
        }
        var there = new InetSocketAddress(where.host(), where.port());
        try (SchedulerClient client =
                files.isPresent() ? SchedulerClient.to(there, files.get()) : SchedulerClient.to(there)) {
            return calls.with(client);
        } catch (SchedulerException refused) {
            throw new SetupException(String.valueOf(refused.getMessage()), refused);
        }
    }
}

package io.hearth.cli.serve;

import io.hearth.cli.terminal.Durations;
import io.hearth.parameterserver.ServerSettings;
import io.hearth.parameterserver.etcd.EtcdPlace;
import io.hearth.parameterserver.etcd.EtcdPublication;
import io.hearth.parameterserver.server.ParameterServer;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.shell.ClusterService;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The settings of a parameter server. */
final class ParameterServerOptions implements ServiceOptions {
    @Option(
            names = "--sync-updates",
            description =
                    "The parameter server applies an update when the gradients of all trainers of a step are there"
                            + " (default: each gradient at once).")
    private boolean isSynchronous;

    @Option(
            names = "--parts",
            paramLabel = "N",
            description =
                    "Parts into which the parameter server's parameters fall, each on one machine and at most 1 GiB, 1 to 256;"
                            + " the first start decides (default: 8).")
    private int parts = ServerSettings.DEFAULT.parts();

    @Option(
            names = "--checkpoint-every",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Time between checkpoints of parameters that changed (default: 10s).")
    private Duration checkpointEvery = Duration.ofNanos(ServerSettings.DEFAULT.checkpointNanos());

    @Option(
            names = "--etcd",
            paramLabel = "URL[,URL...]",
            description = {
                "Have the parameter server register in the etcd at http://HOST:PORT, or at any of several of its members, so that"
                        + " its clients find it: /ps/0 or the next free number. Training goes on if etcd is gone (default: no etcd)."
            })
    private Optional<String> etcd = Optional.empty();

    @Option(
            names = "--etcd-address",
            paramLabel = "HOST:PORT",
            description =
                    "Address of the parameter server in etcd, as of a tunnel to it (default: the one that it listens on).")
    private Optional<String> etcdAddress = Optional.empty();

    @Option(
            names = "--etcd-prefix",
            paramLabel = "PATH",
            description = "Comes before the names of all keys in etcd, as in /jobs/mnist (default: nothing).")
    private Optional<String> etcdPrefix = Optional.empty();

    @Option(
            names = "--etcd-servers",
            paramLabel = "N",
            description = "Parameter servers that are wanted: the value of /ps_desired if there is none (default: 1).")
    private Optional<Integer> etcdServers = Optional.empty();

    @Option(
            names = "--etcd-lease",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "After which etcd forgets a parameter server that is silent, 1s to 1h (default: 10s).")
    private Optional<Duration> etcdLease = Optional.empty();

    @Override
    public int port() {
        return 29_513;
    }

    @Override
    public ClusterService.Maker<?> maker() {
        return ParameterServer.maker(
                new ServerSettings(
                        parts,
                        isSynchronous,
                        ServiceOptions.nanos(checkpointEvery),
                        ServerSettings.DEFAULT.giveUpNanos()),
                publication());
    }

    @Override
    public void check(PortPlace place) {
        InetAddress at = place.address().getAddress();
        if (etcd.isPresent() && etcdAddress.isEmpty() && at != null && at.isAnyLocalAddress()) {
            throw new IllegalArgumentException(
                    "a parameter server that listens on all addresses needs --etcd-address HOST:PORT:"
                            + " which of them trainers find in the etcd");
        }
    }

    private Optional<EtcdPublication> publication() {
        if (etcd.isEmpty()) {
            if (etcdAddress.isPresent() || etcdPrefix.isPresent() || etcdServers.isPresent() || etcdLease.isPresent()) {
                throw new IllegalArgumentException(
                        "--etcd-address, --etcd-prefix, --etcd-servers and --etcd-lease need --etcd URL: where the etcd is");
            }
            return Optional.empty();
        }
        return Optional.of(new EtcdPublication(
                EtcdPlace.parse(List.of(etcd.get().split(",", -1)), etcdPrefix.orElse("")),
                etcdAddress,
                etcdServers.orElse(1),
                etcdLease.orElse(EtcdPublication.LEASE_DEFAULT)));
    }
}

package io.hearth.cli.serve;

import io.hearth.agent.guest.GuestService;
import io.hearth.agent.guest.NodeGuest;
import io.hearth.agent.guest.NodeHost;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.SetupException;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.serve.member.MemberServices;
import io.hearth.serve.shell.ServiceJob;
import io.hearth.transport.LinkInfo;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;

/** Puts services into an agent. */
record ServingGuests(List<MemberServices.Offer> offers) implements NodeGuest.Maker {
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(ServingGuests.class);

    /** gRPC logs a stack trace for each call that breaks a limit; the caller gets the error. Kept here, because Java forgets the level. */
    static final Logger GRPC = Logger.getLogger("io.grpc");

    ServingGuests {
        offers = List.copyOf(offers);
    }

    @Override
    public NodeGuest make(NodeHost host) throws SetupException {
        GRPC.setLevel(Level.SEVERE);
        var services = MemberServices.start(
                new MemberServices.Node(
                        host.self(),
                        host.incarnation(),
                        host.home().subfolder("services/" + host.namespace()), // each has its own stores
                        host.computer(),
                        host.identity(),
                        host.usable(),
                        new MemberServices.Links() {
                            @Override
                            public void send(NodeId to, int kind, byte[] message) {
                                host.links().send(to, kind, message);
                            }

                            @Override
                            public void close(NodeId node, String why) {
                                host.links().close(node, why);
                            }
                        },
                        (service, why) -> host.failed().accept("the service " + service, why),
                        host.clock()),
                offers);
        for (MemberServices.Offer offer : offers) {
            String name = offer.maker().name();
            LOG.info("service={} address={}", name, services.url(name));
        }
        return new Guest(services);
    }

    private record Guest(MemberServices here) implements NodeGuest {
        @Override
        public void linked(LinkInfo link) {
            here.linked(link.peer().id(), address(link));
        }

        @Override
        public void moved(LinkInfo link) {
            here.moved(link.peer().id(), address(link));
        }

        private static Optional<InetAddress> address(LinkInfo link) {
            return link.relayed()
                    ? Optional.empty()
                    : Optional.of(link.address().getAddress());
        }

        @Override
        public void unlinked(NodeId peer) {
            here.unlinked(peer);
        }

        @Override
        public void viewed(View view) {
            here.viewed(
                    view.lineage(),
                    view.epoch(),
                    view.members().stream().map(Member::node).toList());
        }

        @Override
        public void heard(NodeId from, int kind, byte[] message) throws MalformedMessageException {
            here.heard(from, kind, message);
        }

        @Override
        public List<GuestService> services() {
            return here.reports().stream()
                    .map(report -> new GuestService(
                            report.name(),
                            report.url(),
                            report.answering(),
                            report.vacancy(),
                            report.keepers(),
                            report.jobs().stream().map(Guest::job).toList()))
                    .toList();
        }

        private static GuestService.Job job(ServiceJob job) {
            return new GuestService.Job(
                    job.name(),
                    job.state(),
                    job.reason(),
                    job.epoch(),
                    job.epochs(),
                    job.partsDone(),
                    job.parts(),
                    job.samplesPerSecond(),
                    job.secondsLeft());
        }

        @Override
        public void close() {
            here.close();
        }
    }
}

package io.hearth.discovery.names.machine;

import io.hearth.discovery.HostPort;
import io.hearth.discovery.PeerName;
import io.hearth.discovery.names.machine.NameQuestion.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The questions that may find the peers of a name, best first. The first one with addresses ends the round. */
final class NamePlan {
    private static final int NAME_CHARACTERS_MAX = 253;
    private static final String KUBERNETES_SERVICE = "_hearth._tcp.";
    private static final String KUBERNETES_DOMAIN = "svc.cluster.local";

    private NamePlan() {}

    /**
     * One question of a round.
     *
     * @param port of the addresses that answer it
     * @param isTarget whether it asks for a target of an SRV record, so that the other targets follow even after an answer
     * @param literals the answer, if it is known already
     */
    record Task(NameQuestion question, int port, boolean isTarget, List<String> literals) {
        Task {
            literals = List.copyOf(literals);
        }

        static Task of(String name, Kind kind, int port) {
            return new Task(new NameQuestion(name, kind), port, false, List.of());
        }
    }

    static List<Task> of(PeerName name, ResolverSettings settings) {
        return switch (name) {
            case PeerName.Host(HostPort host) -> List.of(Task.of(host.host(), Kind.HOST, host.port()));
            case PeerName.Dns dns ->
                complete(dns.name(), settings).stream()
                        .map(each -> Task.of(each, Kind.ADDRESSES, dns.port()))
                        .toList();
            case PeerName.Service service ->
                complete(service.name(), settings).stream()
                        .map(each -> Task.of(each, Kind.SERVICE, HostPort.PORT_DEFAULT))
                        .toList();
            case PeerName.Kubernetes service -> kubernetes(service, settings);
        };
    }

    /** The complete names that a written one may mean, as resolv.conf(5) orders them. */
    private static List<String> complete(String written, ResolverSettings settings) {
        if (written.endsWith(".")) {
            return List.of(written.substring(0, written.length() - 1));
        }
        long dots = written.chars().filter(c -> c == '.').count();
        var names = new ArrayList<String>();
        for (String domain : settings.search()) {
            String longer = written + "." + domain;
            if (longer.length() <= NAME_CHARACTERS_MAX) {
                names.add(longer);
            }
        }
        names.add(dots >= settings.dotsMin() ? 0 : names.size(), written);
        return names;
    }

    /** First the SRV records of the port named {@code hearth}, which know the port of each pod, then the addresses of all pods. */
    private static List<Task> kubernetes(PeerName.Kubernetes name, ResolverSettings settings) {
        String written = name.service();
        String service = written.endsWith(".") ? written.substring(0, written.length() - 1) : written;
        Optional<String> domain = settings.search().stream()
                .filter(each -> each.startsWith("svc."))
                .findFirst();
        String svc = domain.orElse(KUBERNETES_DOMAIN);
        List<String> services = switch (service.split("\\.", 4).length) {
            case 1 ->
                settings.podNamespace()
                        .map(namespace -> List.of(service + "." + namespace + "." + svc))
                        .orElseGet(() -> complete(service, settings));
            case 2 -> List.of(service + "." + svc);
            case 3 -> List.of(service + svc.substring("svc".length()));
            default -> List.of(service);
        };
        var tasks = new ArrayList<Task>();
        for (String each : services) {
            if (KUBERNETES_SERVICE.length() + each.length() <= NAME_CHARACTERS_MAX) {
                tasks.add(Task.of(KUBERNETES_SERVICE + each, Kind.SERVICE, name.port()));
                tasks.add(Task.of(each, Kind.ADDRESSES, name.port()));
            }
        }
        return tasks;
    }
}

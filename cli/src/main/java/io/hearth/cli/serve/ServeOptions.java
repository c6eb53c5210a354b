package io.hearth.cli.serve;

import io.hearth.agent.guest.NodeGuest;
import io.hearth.cli.option.ServiceLibraries;
import io.hearth.core.SetupException;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.member.MemberServices;
import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which services an agent offers. */
public final class ServeOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @Option(
            names = "--serve",
            paramLabel = "SERVICE[:PORT]",
            split = ",",
            description = {
                "Offer services to programs of this machine: lighthouse (port 29510), coordinator (29511), scheduler"
                        + " (29512), parameterserver (29513). Port 0 is a free one.",
                "The machines of the namespace that offer a service answer as one: a call may go to any of them, and what was"
                        + " answered survives while more than half of them, or half with the first, are there. Give all"
                        + " of them the same settings."
            })
    private List<String> services = List.of();

    @Mixin
    private ListenOptions listen = new ListenOptions();

    @Mixin
    private LighthouseOptions lighthouse = new LighthouseOptions();

    @Mixin
    private CoordinatorOptions coordinator = new CoordinatorOptions();

    @Mixin
    private SchedulerOptions scheduler = new SchedulerOptions();

    @Mixin
    private ParameterServerOptions parameterServer = new ParameterServerOptions();

    /** Checks that this copy of Hearth has services, if a person asks for some. */
    public void requireLibraries() throws SetupException {
        if (!services.isEmpty()) {
            ServiceLibraries.require();
        }
    }

    /**
     * The part of the agent that serves.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    public NodeGuest.Maker guests() {
        var known = new LinkedHashMap<String, ServiceOptions>();
        known.put("lighthouse", lighthouse);
        known.put("coordinator", coordinator);
        known.put("scheduler", scheduler);
        known.put("parameterserver", parameterServer);
        var offers = new LinkedHashMap<String, MemberServices.Offer>();
        services.forEach(service -> offer(service, known, offers));
        known.forEach((service, options) -> {
            if (!offers.containsKey(service)) {
                requireNoneOf(service, options);
            }
        });
        if (offers.isEmpty() && listen.isGiven()) {
            throw new IllegalArgumentException("--serve-on and --tls-... need --serve SERVICE: what listens there");
        }
        return offers.isEmpty() ? NodeGuest.Maker.NONE : new ServingGuests(List.copyOf(offers.values()));
    }

    private void requireNoneOf(String service, ServiceOptions options) {
        command.commandLine().getParseResult().matchedOptions().stream()
                .filter(option ->
                        option.userObject() instanceof Field field && field.getDeclaringClass() == options.getClass())
                .findFirst()
                .ifPresent(given -> {
                    throw new IllegalArgumentException(
                            given.longestName() + " needs --serve " + service + ": nothing else has this setting");
                });
    }

    private void offer(String service, Map<String, ServiceOptions> known, Map<String, MemberServices.Offer> offers) {
        String[] parts = service.split(":", 2);
        if (!known.containsKey(parts[0])) {
            throw new IllegalArgumentException(
                    "--serve knows " + String.join(", ", known.keySet()) + ", got '" + parts[0] + "'");
        }
        ServiceOptions options = Objects.requireNonNull(known.get(parts[0]));
        int port = parts.length == 1 ? options.port() : Ports.parse("the port of --serve " + parts[0], parts[1]);
        PortPlace place = listen.place(port);
        options.check(place);
        var offer = new MemberServices.Offer(options.maker(), place);
        if (offers.put(parts[0], offer) != null) {
            throw new IllegalArgumentException("--serve names " + parts[0] + " twice: name it once");
        }
    }
}

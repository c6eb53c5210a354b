package io.hearth.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The floor plan of the house: which module uses which, and each room with its doors. {@link ArchitectureTest} compares it with the
 * code, in both directions: a use without a row fails, and so does a row without a use.
 */
record FloorPlan(Map<String, Set<String>> modules, Map<String, Room> rooms) {
    /**
     * A room.
     *
     * @param isPure its classes decide: they touch no thread, socket, clock, log or random source
     * @param uses the other packages of its own module that it uses; {@code root} is the module's root package
     * @param openTo the other modules that use it. A root package is open to every module that may use its module.
     */
    record Room(boolean isPure, Set<String> uses, Set<String> openTo) {}

    /** {@code accel} is the folder {@code native}. A dash stands for none. */
    private static final String MODULES = """
            core        | -
            standin     | core
            identity    | core
            accel       | core
            compression | core accel
            topology    | core identity
            election    | core identity
            replicated  | core identity election
            serve       | core identity election replicated transport
            lighthouse  | core identity election replicated serve
            scheduler   | core identity election replicated serve
            coordinator | core identity election replicated serve
            parameterserver | core identity replicated serve
            discovery   | core identity
            transport   | core identity
            collective  | core identity accel compression topology election transport
            simulation  | core identity topology discovery election replicated collective
            agent       | core identity accel compression topology election discovery transport collective
            bridge      | core identity compression collective agent
            djl         | core collective agent
            examples    | core collective compression topology agent
            bench       | core identity accel compression topology election discovery transport collective agent examples standin
            cli         | core identity accel compression topology election discovery transport collective agent examples standin \
            simulation bench serve lighthouse scheduler coordinator parameterserver
            """;

    /** Room, whether it is pure, what it uses of its own module, and the other modules to which it is open. */
    private static final String ROOMS = """
            accel                             |      |                                                                            |
            accel.gpu                         |      | metal portable root selftest                                               |
            accel.metal                       |      |                                                                            | cli
            accel.portable                    |      | root                                                                       |
            accel.select                      |      | gpu metal portable root selftest vector                                    | agent bench cli collective compression
            accel.selftest                    |      | metal portable root                                                        |
            accel.vector                      |      | portable root                                                              |
            agent                             |      | api group guest history http loop node peers power roster settings status topology votes |
            agent.api                         |      | guest history http metrics status                                          | bridge cli
            agent.group                       |      | group.machine loop status votes                                            |
            agent.group.machine               | pure |                                                                            |
            agent.guest                       |      |                                                                            | cli
            agent.history                     | pure | status                                                                     |
            agent.http                        |      |                                                                            |
            agent.loop                        |      |                                                                            |
            agent.metrics                     |      | history status                                                             |
            agent.node                        |      | group guest loop peers roster status topology                              |
            agent.pairing                     |      | root                                                                       | cli
            agent.peers                       |      | loop status                                                                |
            agent.power                       |      |                                                                            |
            agent.roster                      |      | loop                                                                       |
            agent.settings                    |      |                                                                            | cli
            agent.status                      |      |                                                                            | bridge cli
            agent.topology                    |      | loop peers                                                                 |
            agent.votes                       |      |                                                                            |
            bench                             |      |                                                                            |
            bridge                            |      | log                                                                        |
            bridge.log                        |      |                                                                            |
            cli                               |      | bench chaos demo doctor jobs namespace node option run serve service show terminal |
            cli.bench                         |      | option process terminal                                                    |
            cli.chaos                         |      | chaos.plan option process terminal                                         |
            cli.chaos.plan                    | pure | terminal                                                                   |
            cli.demo                          |      | node option process terminal                                               |
            cli.doctor                        |      | option terminal                                                            |
            cli.jobs                          |      | option terminal                                                            |
            cli.namespace                     |      | option terminal                                                            |
            cli.node                          |      | option process serve terminal                                              |
            cli.option                        |      | terminal                                                                   |
            cli.process                       |      | terminal                                                                   |
            cli.run                           |      | option process terminal                                                    |
            cli.serve                         |      | option terminal                                                            |
            cli.service                       |      | terminal                                                                   |
            cli.show                          |      | option terminal                                                            |
            cli.terminal                      |      |                                                                            |
            collective                        |      | schedule                                                                   |
            collective.call                   |      | exchange exchange.watch group root schedule                                |
            collective.choice                 | pure |                                                                            |
            collective.engine                 |      | call choice engine.queue exchange exchange.watch group pair pair.machine root schedule state sum sum.compressed sum.timing | agent
            collective.engine.queue           |      | exchange root sum                                                          |
            collective.exchange               |      | exchange.watch group root schedule                                         |
            collective.exchange.watch         |      | exchange.watch.machine root schedule                                       |
            collective.exchange.watch.machine | pure |                                                                            |
            collective.explain                | pure | group root schedule                                                        | agent
            collective.group                  | pure | root schedule wire                                                         | agent simulation
            collective.pair                   |      | exchange group pair.machine                                                |
            collective.pair.machine           | pure | group                                                                      | simulation
            collective.ring                   |      | engine root                                                                | bench cli
            collective.schedule               | pure |                                                                            | simulation
            collective.state                  |      | call exchange exchange.watch group root state.machine                      | simulation
            collective.state.machine          | pure |                                                                            | simulation
            collective.sum                    |      | call exchange group root schedule sum.compressed                           |
            collective.sum.compressed         |      | call exchange exchange.watch group root schedule                           |
            collective.sum.timing             |      | call choice exchange group root sum.compressed                             |
            collective.wire                   |      |                                                                            |
            compression                       | pure | format text                                                                |
            compression.block                 | pure | format root                                                                | bench collective
            compression.codecs                | pure | block format root sparse                                                   | bench collective
            compression.format                | pure |                                                                            |
            compression.memory                | pure | block format root sparse                                                   | collective
            compression.sparse                | pure | block format root                                                          | collective
            compression.text                  | pure |                                                                            |
            coordinator                       | pure |                                                                            |
            coordinator.collective            | pure | root                                                                       |
            coordinator.distributed.wire      |      |                                                                            |
            coordinator.machine               | pure | root wire                                                                  |
            coordinator.server                |      | distributed.wire machine root                                              | cli
            coordinator.wire                  |      |                                                                            |
            coordinator.worker                |      | collective distributed.wire root                                           |
            core                              |      |                                                                            |
            discovery                         |      |                                                                            |
            discovery.dns                     | pure |                                                                            |
            discovery.gossip                  | pure | root                                                                       | agent simulation
            discovery.mdns                    |      | dns mdns.machine names.machine root                                        | agent cli
            discovery.mdns.machine            | pure | dns                                                                        | agent
            discovery.names                   |      | dns names.machine root                                                     | agent
            discovery.names.machine           | pure | root                                                                       |
            discovery.protobuf                |      | gossip root wire                                                           | agent
            discovery.relay                   | pure |                                                                            | agent
            discovery.table                   | pure | root                                                                       | agent simulation
            discovery.wire                    |      |                                                                            |
            djl                               |      |                                                                            |
            election                          | pure |                                                                            |
            election.health                   | pure | root                                                                       | agent simulation
            election.protobuf                 | pure | root wire                                                                  | agent simulation
            election.view                     | pure | root view.ballot view.entry view.lineage view.opinion view.state view.step vote | agent simulation
            election.view.ballot              | pure | root view.entry view.lineage view.opinion view.state view.step vote        |
            election.view.entry               | pure | root view.opinion view.state view.step                                     |
            election.view.lineage             | pure | root view.entry view.opinion view.state view.step vote                     |
            election.view.opinion             | pure | root view.state view.step                                                  |
            election.view.state               | pure | root vote                                                                  | agent simulation
            election.view.step                | pure | root view.state vote                                                       |
            election.vote                     | pure | root                                                                       | agent simulation
            election.wire                     |      |                                                                            |
            examples                          |      |                                                                            |
            identity                          |      |                                                                            |
            identity.pairing                  |      | pairing.machine root roster                                                | agent cli
            identity.pairing.machine          | pure | root                                                                       | agent cli
            identity.place                    |      | root                                                                       | agent replicated
            identity.roster                   |      | root                                                                       | agent cli simulation transport
            identity.roster.machine           | pure | root roster                                                                | agent simulation
            lighthouse                        | pure |                                                                            |
            lighthouse.client                 |      | root torchft.wire                                                          |
            lighthouse.machine                | pure | root wire                                                                  |
            lighthouse.server                 |      | client machine root torchft.wire                                           | cli
            lighthouse.torchft.wire           |      |                                                                            |
            lighthouse.wire                   |      |                                                                            |
            parameterserver                   | pure |                                                                            |
            parameterserver.checkpoint        |      |                                                                            |
            parameterserver.client            |      | etcd optimize placement root wire                                          |
            parameterserver.etcd              |      | checkpoint etcd.machine                                                    | cli
            parameterserver.etcd.machine      | pure |                                                                            |
            parameterserver.gradient          | pure | optimize root wire                                                         |
            parameterserver.machine           | pure | root wire                                                                  |
            parameterserver.optimize          | pure | root wire                                                                  |
            parameterserver.placement         | pure |                                                                            |
            parameterserver.server            |      | checkpoint etcd machine optimize placement root table wire                 | cli
            parameterserver.table             | pure | gradient optimize root wire                                                |
            parameterserver.wire              |      |                                                                            |
            replicated                        | pure |                                                                            |
            replicated.disk                   |      | machine protobuf root                                                      | serve
            replicated.host                   |      | disk machine root                                                          | coordinator lighthouse parameterserver scheduler serve
            replicated.machine                | pure | protobuf root wire                                                         | serve simulation
            replicated.protobuf               | pure | root wire                                                                  | serve
            replicated.wire                   |      |                                                                            |
            scheduler                         | pure |                                                                            |
            scheduler.client                  |      | protobuf root wire                                                         | cli
            scheduler.ledger                  | pure | ledger.wire root rule                                                      |
            scheduler.ledger.wire             |      |                                                                            |
            scheduler.machine                 | pure | ledger root rule                                                           |
            scheduler.protobuf                | pure | root wire                                                                  |
            scheduler.rule                    | pure | root                                                                       |
            scheduler.server                  |      | ledger machine protobuf root wire                                          | cli
            scheduler.wire                    |      |                                                                            |
            serve                             | pure |                                                                            |
            serve.alone                       |      | grpc replica shell                                                         | cli lighthouse
            serve.grpc                        |      | root                                                                       | cli coordinator lighthouse parameterserver scheduler
            serve.member                      |      | grpc replica shell wire                                                    | cli
            serve.replica                     |      | shell                                                                      |
            serve.shell                       |      | grpc root                                                                  | cli coordinator lighthouse parameterserver scheduler
            serve.wire                        |      |                                                                            |
            simulation                        |      | call check cluster fault host lie plant process report rule setting time trainer |
            simulation.call                   |      |                                                                            |
            simulation.check                  |      | call cluster fault host lie process report rule setting time trainer       |
            simulation.cluster                |      | host plant process report rule setting time trainer                        |
            simulation.fault                  |      | cluster host plant process report rule setting time trainer                |
            simulation.host                   |      | rule                                                                       |
            simulation.lie                    |      | cluster host process report rule setting                                   |
            simulation.pair                   |      | host plant process report rule setting                                     |
            simulation.plant                  |      | rule                                                                       |
            simulation.process                |      | call host plant setting                                                    |
            simulation.replicated             |      | rule time                                                                  |
            simulation.report                 |      |                                                                            | cli
            simulation.roster                 |      |                                                                            |
            simulation.rule                   |      |                                                                            |
            simulation.scale                  |      | time                                                                       | cli
            simulation.setting                |      | call host plant report rule time                                           |
            simulation.time                   |      |                                                                            |
            simulation.trainer                |      | call host pair plant process report rule setting time                      |
            standin                           |      |                                                                            |
            topology                          | pure | plan wire                                                                  |
            topology.bandwidth                | pure | root                                                                       | agent
            topology.export                   | pure | root                                                                       | agent
            topology.local                    |      | root system                                                                | agent cli
            topology.memory                   | pure |                                                                            | agent
            topology.plan                     | pure |                                                                            | agent collective simulation
            topology.system                   | pure | root                                                                       |
            topology.wire                     |      |                                                                            |
            transport                         |      |                                                                            |
            transport.cipher                  |      | root                                                                       | bench
            transport.control                 |      | machine root                                                               | serve
            transport.lane                    |      | machine record root                                                        |
            transport.links                   |      | cipher control machine record relay root stream                            | agent bench collective
            transport.machine                 | pure | cipher root wire                                                           |
            transport.memory                  |      | record root                                                                |
            transport.record                  |      | cipher root                                                                |
            transport.relay                   |      | control machine record root stream                                         |
            transport.stream                  |      | cipher control lane machine memory record root                             |
            transport.wire                    |      |                                                                            |
            """;

    /** The plan that the code has to follow. */
    static FloorPlan ofHearth() {
        var modules = new TreeMap<String, Set<String>>();
        for (List<String> row : rows(MODULES)) {
            modules.put(row.getFirst(), words(row.get(1)));
        }
        var rooms = new TreeMap<String, Room>();
        for (List<String> row : rows(ROOMS)) {
            rooms.put(row.getFirst(), new Room(row.get(1).equals("pure"), words(row.get(2)), words(row.get(3))));
        }
        return new FloorPlan(modules, rooms);
    }

    private static List<List<String>> rows(String table) {
        var rows = new ArrayList<List<String>>();
        for (String line : table.lines().toList()) {
            rows.add(Arrays.stream(line.split("\\|", -1)).map(String::strip).toList());
        }
        return rows;
    }

    private static Set<String> words(String cell) {
        return Arrays.stream(cell.split(" +", -1))
                .filter(word -> !word.isEmpty() && !word.equals("-"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The module of a package or room: its first word. */
    static String module(String room) {
        return room.split("\\.", 2)[0];
    }

    /** The name of a room within its module. */
    static String inside(String room) {
        int dot = room.indexOf('.');
        return dot < 0 ? "root" : room.substring(dot + 1);
    }

    /** The rows of {@link #rooms}, as the source above has them: what a failed test prints. */
    static String rows(Map<String, Room> rooms) {
        return rooms.entrySet().stream()
                .map(row -> "%-33s | %-4s | %-74s | %s"
                        .formatted(
                                row.getKey(),
                                row.getValue().isPure() ? "pure" : "",
                                String.join(" ", row.getValue().uses()),
                                String.join(" ", row.getValue().openTo()))
                        .stripTrailing())
                .collect(Collectors.joining("\n"));
    }
}

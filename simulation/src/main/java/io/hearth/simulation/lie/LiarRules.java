package io.hearth.simulation.lie;

import io.hearth.election.DamagedRecordException;
import io.hearth.election.LineageRecord;
import io.hearth.election.protobuf.RecordEncoding;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.rule.Violation;

/** The rules about what lies do to other nodes: their memory stays bounded, and they can read what they write. */
final class LiarRules {
    private static final int WEIGHT_MAX =
            4_000_000; // characters of a node's whole state with a thousand peers and joining nodes
    private static final int PEERS_MAX = 1_024;
    private static final int LINEAGES_MAX = 64;

    private LiarRules() {}

    /** The memory of an honest node is bounded, whatever it received. */
    static void requireBounded(NodeProcess process) {
        int weight = process.state().toString().length();
        Violation.unless(
                weight <= WEIGHT_MAX
                        && process.state().peers().size() <= PEERS_MAX
                        && process.state().lineages().size() <= LINEAGES_MAX,
                "memory",
                () -> process.host().name() + " remembers " + weight + " characters, "
                        + process.state().peers().size() + " peers, "
                        + process.state().lineages().size() + " lineages");
    }

    /** A node can read every record that it wrote. */
    static void requireReadable(LineageRecord record) {
        try {
            LineageRecord read = RecordEncoding.decode(RecordEncoding.encode(record));
            Violation.unless(read.equals(record), "unreadable", () -> "a record is read as another: " + record);
        } catch (DamagedRecordException damaged) {
            throw new Violation("unreadable", "a record that was written cannot be read: " + damaged.getMessage());
        }
    }
}

package io.hearth.cli.demo;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.ShortId;
import java.util.List;
import java.util.Locale;

/**
 * The outcome of a demo.
 *
 * @param nodes number of nodes that were started
 * @param worldSizeFinal members of the training group at the end
 * @param masterInitial node id of the master of the first full view
 * @param masterFinal node id of the master at the end
 * @param discovery {@code mdns}, or {@code static} if multicast did not work
 * @param firstPeerMillis from the start of a node to its first admitted link, of the slowest node
 * @param fullViewMillis from the start of the last node to the full view on every node
 * @param jvmMillis from the start of the process to the start of the node, of the slowest node; the two values before do not include it
 * @param steps of training on each node that was not killed
 * @param rightImages number of test images that were classified correctly
 * @param testImages number of all test images
 * @param wireBytes bytes of gradients that all nodes together sent
 * @param denseBytes bytes that they would have sent without compression
 * @param weightsSha256 hash of the weights of each node that was not killed
 * @param killed number of nodes that the demo killed
 * @param seconds of the whole run
 */
public record DemoSummary(
        int nodes,
        int worldSizeFinal,
        String masterInitial,
        String masterFinal,
        String discovery,
        long firstPeerMillis,
        long fullViewMillis,
        long jvmMillis,
        long steps,
        int rightImages,
        int testImages,
        long wireBytes,
        long denseBytes,
        List<String> weightsSha256,
        int killed,
        double seconds) {
    public DemoSummary {
        weightsSha256 = List.copyOf(weightsSha256);
    }

    boolean identicalWeights() {
        return weightsSha256.stream().distinct().count() == 1;
    }

    JsonObject toJson() {
        var hashes = new JsonArray();
        weightsSha256.forEach(hashes::add);
        var json = new JsonObject();
        json.addProperty("nodes", nodes);
        json.addProperty("world_size_final", worldSizeFinal);
        json.addProperty("master_initial", masterInitial);
        json.addProperty("master_final", masterFinal);
        json.addProperty("discovery", discovery);
        json.addProperty("first_peer_ms", firstPeerMillis);
        json.addProperty("full_view_ms", fullViewMillis);
        json.addProperty("jvm_ms", jvmMillis);
        json.addProperty("steps", steps);
        json.addProperty("test_accuracy", accuracy());
        json.addProperty("wire_bytes", wireBytes);
        json.addProperty("dense_bytes", denseBytes);
        json.add("weights_sha256", hashes);
        json.addProperty("killed", killed);
        return json;
    }

    double accuracy() {
        return Math.round(1e4 * rightImages / testImages) / 1e4;
    }

    List<String> lines() {
        return List.of(
                String.format(
                        Locale.ROOT,
                        "world size     %d of %d%s",
                        worldSizeFinal,
                        nodes,
                        killed == 0 ? "" : " (" + killed + " killed on purpose)"),
                "master         " + ShortId.of(masterInitial)
                        + (masterInitial.equals(masterFinal) ? "" : ", then " + ShortId.of(masterFinal)),
                String.format(
                        Locale.ROOT,
                        "found by       %s: first peer after %d ms (worst node), all together after %d ms (JVM start %d ms)",
                        discovery,
                        firstPeerMillis,
                        fullViewMillis,
                        jvmMillis),
                "steps          " + steps,
                String.format(
                        Locale.ROOT,
                        "test accuracy  %.2f %% (%d of %d images)",
                        100.0 * rightImages / testImages,
                        rightImages,
                        testImages),
                String.format(
                        Locale.ROOT,
                        "on the wire    %,d bytes of gradients, all nodes together; uncompressed %,d (%.1fx)",
                        wireBytes,
                        denseBytes,
                        wireBytes == 0 ? 1.0 : (double) denseBytes / wireBytes),
                "weights        " + (identicalWeights() ? "bit-identical on all nodes: " : "DIFFERENT: ")
                        + String.join(", ", weightsSha256.stream().distinct().toList()),
                String.format(Locale.ROOT, "time           %.1f s", seconds));
    }
}

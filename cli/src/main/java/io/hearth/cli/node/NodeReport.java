package io.hearth.cli.node;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.Optional;

/**
 * A line of JSON that a training process prints with {@code --json}. {@code at} is the wall clock in milliseconds, so that the lines of several processes of one machine can be compared.
 */
public sealed interface NodeReport {
    /** The node accepts links. It started {@code jvmMillis} after its process. */
    record Started(long at, String node, int port, long jvmMillis) implements NodeReport {}

    /** The first link was admitted {@code afterMillis} after the start of the node. */
    record FirstPeer(long at, long afterMillis) implements NodeReport {}

    /** A view that contains the node was committed. */
    record InView(long at, long epoch, int members, String master) implements NodeReport {}

    /** The group is complete and training begins. */
    record Training(long at, int rank, int world) implements NodeReport {}

    /** An epoch of training ended. */
    record EpochDone(
            long at, int epoch, int epochs, long steps, double loss, int world, long wireBytes, long denseBytes)
            implements NodeReport {}

    /** The job is over. */
    record Done(
            long at,
            int world,
            String master,
            long steps,
            int rightImages,
            int testImages,
            long wireBytes,
            long denseBytes,
            String weightsSha256)
            implements NodeReport {}

    /** A message for the user. */
    record Note(long at, String text) implements NodeReport {}

    /** The line for standard output. */
    default String toJson() {
        var json = new JsonObject();
        switch (this) {
            case Started(long at, String node, int port, long jvmMillis) -> {
                start(json, "started", at);
                json.addProperty("node", node);
                json.addProperty("port", port);
                json.addProperty("jvm_ms", jvmMillis);
            }
            case FirstPeer(long at, long afterMillis) -> {
                start(json, "first_peer", at);
                json.addProperty("after_ms", afterMillis);
            }
            case InView(long at, long epoch, int members, String master) -> {
                start(json, "view", at);
                json.addProperty("epoch", epoch);
                json.addProperty("members", members);
                json.addProperty("master", master);
            }
            case Training(long at, int rank, int world) -> {
                start(json, "training", at);
                json.addProperty("rank", rank);
                json.addProperty("world_size", world);
            }
            case EpochDone done -> {
                start(json, "epoch", done.at());
                json.addProperty("epoch", done.epoch());
                json.addProperty("epochs", done.epochs());
                json.addProperty("steps", done.steps());
                json.addProperty("loss", done.loss());
                json.addProperty("world_size", done.world());
                json.addProperty("wire_bytes", done.wireBytes());
                json.addProperty("dense_bytes", done.denseBytes());
            }
            case Done done -> {
                start(json, "done", done.at());
                json.addProperty("world_size", done.world());
                json.addProperty("master", done.master());
                json.addProperty("steps", done.steps());
                json.addProperty("right_images", done.rightImages());
                json.addProperty("test_images", done.testImages());
                json.addProperty("wire_bytes", done.wireBytes());
                json.addProperty("dense_bytes", done.denseBytes());
                json.addProperty("weights_sha256", done.weightsSha256());
            }
            case Note(long at, String text) -> {
                start(json, "note", at);
                json.addProperty("text", text);
            }
        }
        return json.toString();
    }

    private static void start(JsonObject json, String event, long at) {
        json.addProperty("event", event);
        json.addProperty("at", at);
    }

    /** Reads a line; empty if it is not such a report. */
    static Optional<NodeReport> parse(String line) {
        try {
            JsonObject json = JsonParser.parseString(line).getAsJsonObject();
            long at = json.get("at").getAsLong();
            return switch (json.get("event").getAsString()) {
                case "started" ->
                    Optional.of(
                            new Started(at, text(json, "node"), json.get("port").getAsInt(), number(json, "jvm_ms")));
                case "first_peer" -> Optional.of(new FirstPeer(at, number(json, "after_ms")));
                case "view" ->
                    Optional.of(
                            new InView(at, number(json, "epoch"), (int) number(json, "members"), text(json, "master")));
                case "training" ->
                    Optional.of(new Training(at, (int) number(json, "rank"), (int) number(json, "world_size")));
                case "epoch" ->
                    Optional.of(new EpochDone(
                            at,
                            (int) number(json, "epoch"),
                            (int) number(json, "epochs"),
                            number(json, "steps"),
                            json.get("loss").getAsDouble(),
                            (int) number(json, "world_size"),
                            number(json, "wire_bytes"),
                            number(json, "dense_bytes")));
                case "done" ->
                    Optional.of(new Done(
                            at,
                            (int) number(json, "world_size"),
                            text(json, "master"),
                            number(json, "steps"),
                            (int) number(json, "right_images"),
                            (int) number(json, "test_images"),
                            number(json, "wire_bytes"),
                            number(json, "dense_bytes"),
                            text(json, "weights_sha256")));
                case "note" -> Optional.of(new Note(at, text(json, "text")));
                default -> Optional.empty();
            };
        } catch (JsonParseException | IllegalStateException | NullPointerException | NumberFormatException broken) {
            return Optional.empty();
        }
    }

    private static String text(JsonObject json, String key) {
        return json.get(key).getAsString();
    }

    private static long number(JsonObject json, String key) {
        return json.get(key).getAsLong();
    }
}

package io.hearth.cli.namespace;

import com.google.gson.JsonObject;
import io.hearth.identity.NodeId;

/** The lines that {@code hearth pair} and {@code hearth join} print alike. */
final class PairingLines {
    private PairingLines() {}

    /** A line of JSON; the caller adds the other fields. */
    static JsonObject event(String name) {
        var data = new JsonObject();
        data.addProperty("schema", 1);
        data.addProperty("event", name);
        return data;
    }

    /** One run with another machine failed. */
    static JsonObject failed(NodeId node, String address, String why) {
        JsonObject data = event("failed");
        data.addProperty("address", address);
        data.addProperty("id", node.peer().text());
        data.addProperty("why", why);
        return data;
    }

    /** The pairing succeeded. */
    static JsonObject paired(NodeId node, String label, String address) {
        JsonObject data = event("paired");
        data.addProperty("id", node.peer().text());
        data.addProperty("label", label);
        data.addProperty("address", address);
        return data;
    }

    /** The command ends without a pairing. */
    static JsonObject ended(String why) {
        JsonObject data = event("ended");
        data.addProperty("why", why);
        return data;
    }

    /** The other machine as both screens name it. Its label is its own choice. */
    static String machine(String label, NodeId node, String address) {
        return (label.isEmpty() ? "" : label + " ") + "(" + node.peer().shortText() + ") at " + address;
    }
}

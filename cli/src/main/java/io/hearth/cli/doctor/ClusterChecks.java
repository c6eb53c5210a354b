package io.hearth.cli.doctor;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Checks of what a node of this machine sees of its cluster. Pure: the status and the topology are JSON of the local API. */
final class ClusterChecks {
    private static final long ONE_WAY_FACTOR = 2;

    private ClusterChecks() {}

    /** Machines that are here, refused, doubled, at fault or slow. */
    static List<Finding> peers(JsonObject status) {
        var findings = new ArrayList<Finding>();
        JsonObject namespace = status.getAsJsonObject("namespace");
        String name = namespace.get("name").getAsString() + " (key "
                + namespace.get("key_id").getAsString() + ")";
        var here = new ArrayList<String>();
        for (JsonElement element : status.getAsJsonArray("nodes")) {
            JsonObject node = element.getAsJsonObject();
            if (!node.get("self").getAsBoolean() && node.has("rank")) {
                here.add(nameOf(node));
            }
        }
        findings.add(
                here.isEmpty()
                        ? Finding.problem(
                                "peers",
                                "no other machine of namespace " + name + " is here"
                                        + (status.has("discovery") ? ": " + text(status, "discovery") : ""),
                                "start 'hearth agent' on another machine, or test one with 'hearth doctor --peer HOST'")
                        : Finding.ok("peers", String.join(", ", here) + " of namespace " + name));
        for (JsonElement element : status.getAsJsonArray("refused")) {
            findings.add(refused(element.getAsJsonObject()));
        }
        for (JsonElement element : status.getAsJsonArray("doubled")) {
            JsonObject doubled = element.getAsJsonObject();
            findings.add(split("identity", doubled.get("who").getAsString() + ": " + text(doubled, "why")));
        }
        for (JsonElement element : status.getAsJsonArray("faults")) {
            JsonObject fault = element.getAsJsonObject();
            findings.add(split("peers", text(fault, "who") + " failed: " + text(fault, "why")));
        }
        for (JsonElement element : status.getAsJsonArray("slow_links")) {
            findings.add(Finding.problem(
                    "links",
                    text(element.getAsJsonObject(), "text"),
                    "look at the cable, the switch port or the Wi-Fi"));
        }
        Optional.ofNullable(status.get("waiting"))
                .ifPresent(why -> findings.add(waiting("this node waits: " + why.getAsString())));
        return findings;
    }

    private static Finding refused(JsonObject refused) {
        String who = text(refused, "who");
        String text = (who.isEmpty() ? "" : who + " at ") + text(refused, "address") + " was refused "
                + times(refused.get("count").getAsLong()) + ": " + text(refused, "why");
        boolean isStranger = text.contains("another namespace") || text.contains("secret");
        return isStranger && text.lastIndexOf("; ") < 0
                ? Finding.problem(
                        "peers", text, "if it is yours, let it join: 'hearth pair' here, 'hearth join CODE' there")
                : split("peers", text);
    }

    private static String times(long count) {
        return count == 1 ? "once" : count + " times";
    }

    private static Finding waiting(String text) {
        Finding found = split("election", text);
        return found.remedy().isEmpty() || found.remedy().startsWith("waiting for")
                ? Finding.problem("election", text, "start the named machines again, or wait")
                : found;
    }

    private static Finding split(String check, String text) {
        return Finding.problem(check, new IllegalStateException(text));
    }

    /** mDNS counters of the interfaces in use. */
    static List<Finding> mdns(JsonObject status) {
        var findings = new ArrayList<Finding>();
        for (JsonElement element : status.getAsJsonArray("mdns")) {
            JsonObject counters = element.getAsJsonObject();
            long failures = counters.get("send_failures").getAsLong();
            String line = text(counters, "interface") + ": sent "
                    + counters.get("sent").getAsLong()
                    + " packets, heard " + counters.get("records_heard").getAsLong() + " records, "
                    + counters.get("members").getAsLong() + " nodes of this namespace, "
                    + counters.get("foreign").getAsLong() + " of others";
            findings.add(
                    failures == 0
                            ? Finding.ok("mdns", line)
                            : Finding.problem(
                                    "mdns",
                                    line + "; " + failures + " packets could not be sent",
                                    "see the log of the agent"));
        }
        return findings;
    }

    /** The link to one machine, as both ends measured it. */
    static Finding link(JsonObject topology, String id) {
        String self = text(topology, "self");
        for (JsonElement element : topology.getAsJsonArray("links")) {
            JsonObject link = element.getAsJsonObject();
            if (text(link, "from").equals(self) && text(link, "to").equals(id)) {
                return link(link);
            }
        }
        return Finding.note("link", "not measured yet", "run it again in some seconds");
    }

    private static Finding link(JsonObject link) {
        String text = text(link, "to_name") + ": round trip " + text(link, "rtt_ms") + " ms, there "
                + rate(link, "bytes_per_second") + ", back " + rate(link, "back_bytes_per_second") + ", "
                + text(link, "class");
        boolean isKnown = link.has("bytes_per_second") && link.has("back_bytes_per_second");
        if (!isKnown) {
            return Finding.ok("link", text);
        }
        long there = link.get("bytes_per_second").getAsLong();
        long back = link.get("back_bytes_per_second").getAsLong();
        return Math.max(there, back) > ONE_WAY_FACTOR * Math.min(there, back)
                ? Finding.problem(
                        "link",
                        text + ": one direction is much slower",
                        "look at the cable, the duplex mode of the switch port, or the Wi-Fi")
                : Finding.ok("link", text);
    }

    private static String rate(JsonObject link, String key) {
        return link.has(key)
                ? String.format(Locale.ROOT, "%.0f Mbit/s", link.get(key).getAsLong() * 8 / 1e6)
                : "not measured";
    }

    private static String nameOf(JsonObject node) {
        String label = text(node, "label");
        return label.isEmpty() ? text(node, "id") : label;
    }

    private static String text(JsonObject json, String key) {
        return json.has(key) ? json.get(key).getAsString() : "";
    }
}

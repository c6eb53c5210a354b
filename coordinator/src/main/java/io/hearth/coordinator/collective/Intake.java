package io.hearth.coordinator.collective;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Takes the tensors of one other worker, part by part, into an array of values. Parts of a tensor come in order; tensors in any order. */
public final class Intake {
    private final String who;
    private final Manifest manifest;
    private final float[] values;
    private final boolean adds;
    private final Map<String, Integer> taken = new HashMap<>();

    /**
     * Before the first part.
     *
     * @param who the other worker, for people
     * @param values of all tensors of the manifest
     * @param adds whether parts are added to the values; else they take their place
     */
    public Intake(String who, Manifest manifest, float[] values, boolean adds) {
        this.who = who;
        this.manifest = manifest;
        this.values = values;
        this.adds = adds;
    }

    /** Takes a part; returns why the other worker's tensors do not fit, if so. */
    public Optional<String> take(String name, List<Integer> shape, long offset, float[] part) {
        Optional<String> difference = manifest.difference(who, name, shape);
        Manifest.Entry entry = manifest.entry(name).orElse(null);
        if (difference.isPresent() || entry == null) {
            return difference;
        }
        int before = taken.getOrDefault(name, 0);
        if (offset != before || part.length > entry.length() - before) {
            return Optional.of(who + " sent values " + offset + " to " + (offset + part.length) + " of tensor " + name
                    + ", which has " + entry.length() + ", after " + before);
        }
        int at = entry.offset() + before;
        for (int i = 0; i < part.length; i++) {
            values[at + i] = adds ? values[at + i] + part[i] : part[i];
        }
        taken.put(name, before + part.length);
        return Optional.empty();
    }

    /** After the last part; returns why it does not fit, if so. */
    public Optional<String> end() {
        for (Manifest.Entry entry : manifest.entries()) {
            Integer values = taken.get(entry.name());
            if (values == null) {
                return Optional.of(who + " has no tensor " + entry.name() + ", which this worker has");
            }
            if (values != entry.length()) {
                return Optional.of(
                        who + " sent " + values + " of " + entry.length() + " values of tensor " + entry.name());
            }
        }
        return Optional.empty();
    }
}

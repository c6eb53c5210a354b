package io.hearth.coordinator.collective;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Names and shapes of tensors, and where each one's values are if all are in one array, in the order of names. */
public final class Manifest {
    /** Tensors of one call. */
    public static final int TENSORS_MAX = 10_000;

    /** Values of all tensors of one call: 1 GiB. */
    public static final int VALUES_MAX = 1 << 28;

    /** Bytes of a name, in UTF-8. */
    public static final int NAME_BYTES_MAX = 256;

    /** Dimensions of a tensor. */
    public static final int DIMENSIONS_MAX = 16;

    /**
     * A tensor.
     *
     * @param offset of its first value in the array of all
     * @param length values
     */
    public record Entry(String name, List<Integer> shape, int offset, int length) {}

    private final SortedMap<String, Entry> entries;
    private final int length;

    private Manifest(SortedMap<String, Entry> entries, int length) {
        this.entries = Collections.unmodifiableSortedMap(entries);
        this.length = length;
    }

    /**
     * The manifest of these tensors.
     *
     * @throws ExchangeException if there are too many, or one has too long a name
     */
    public static Manifest of(Map<String, Tensor> tensors) throws ExchangeException {
        if (tensors.size() > TENSORS_MAX) {
            throw tooLarge("a call takes at most " + TENSORS_MAX + " tensors, got " + tensors.size());
        }
        var entries = new TreeMap<String, Entry>();
        long offset = 0;
        for (var each : new TreeMap<>(tensors).entrySet()) {
            String name = each.getKey();
            Tensor tensor = each.getValue();
            int bytes = name.getBytes(StandardCharsets.UTF_8).length;
            if (bytes == 0 || bytes > NAME_BYTES_MAX) {
                throw tooLarge("a tensor's name has 1 to " + NAME_BYTES_MAX + " bytes in UTF-8, got " + bytes);
            }
            if (tensor.shape().size() > DIMENSIONS_MAX) {
                throw tooLarge("a tensor has at most " + DIMENSIONS_MAX + " dimensions, but " + name + " has "
                        + tensor.shape().size());
            }
            int length = tensor.data().length;
            if (offset + length > VALUES_MAX) {
                throw tooLarge("a call takes at most " + VALUES_MAX + " values: average the tensors in several calls");
            }
            entries.put(name, new Entry(name, tensor.shape(), (int) offset, length));
            offset += length;
        }
        return new Manifest(entries, (int) offset);
    }

    private static ExchangeException tooLarge(String text) {
        return new ExchangeException(ExchangeException.Reason.TOO_LARGE, text);
    }

    /** In the order of names. */
    public List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    public Optional<Entry> entry(String name) {
        return Optional.ofNullable(entries.get(name));
    }

    /** All values in one array. */
    public float[] flat(Map<String, Tensor> tensors) {
        var flat = new float[length];
        entries.values().forEach(entry -> {
            Tensor tensor = tensors.get(entry.name());
            if (tensor != null) {
                System.arraycopy(tensor.data(), 0, flat, entry.offset(), entry.length());
            }
        });
        return flat;
    }

    /** The opposite of {@link #flat}. */
    public Map<String, Tensor> tensors(float[] flat) {
        var tensors = new LinkedHashMap<String, Tensor>();
        entries.values().forEach(entry -> {
            var data = new float[entry.length()];
            System.arraycopy(flat, entry.offset(), data, 0, data.length);
            tensors.put(entry.name(), Tensor.of(entry.shape(), data));
        });
        return tensors;
    }

    /**
     * Why a tensor that another worker has is not like the own one; empty if it is.
     *
     * @param who the other worker, for people
     */
    public Optional<String> difference(String who, String name, List<Integer> shape) {
        Entry own = entries.get(name);
        if (own == null) {
            return Optional.of(who + " has a tensor " + shortened(name) + ", which this worker does not have");
        }
        return own.shape().equals(shape)
                ? Optional.empty()
                : Optional.of(who + " has tensor " + name + " in shape " + shape + ", this worker in " + own.shape());
    }

    /** Why the tensors that another worker has are not the own ones; empty if they are. */
    public Optional<String> difference(String who, Map<String, List<Integer>> others) {
        for (var other : others.entrySet()) {
            Optional<String> difference = difference(who, other.getKey(), other.getValue());
            if (difference.isPresent()) {
                return difference;
            }
        }
        var missing = new ArrayList<>(entries.keySet());
        missing.removeAll(others.keySet());
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(who + " has no tensor " + missing.getFirst() + ", which this worker has");
    }

    private static String shortened(String name) {
        return name.length() <= NAME_BYTES_MAX ? name : name.substring(0, NAME_BYTES_MAX) + "...";
    }
}

package io.hearth.compression;

import java.util.HashMap;
import java.util.Map;

/** What a text says of a codec's settings; the usual value for all others. */
final class Values {
    private final Map<Setting<?>, Object> given = new HashMap<>();

    /** These, with one more. */
    <T> Values with(Setting<T> setting, T value) {
        given.put(setting, value);
        return this;
    }

    boolean has(Setting<?> setting) {
        return given.containsKey(setting);
    }

    @SuppressWarnings("unchecked") // with() puts nothing else
    <T> T get(Setting<T> setting) {
        return (T) given.getOrDefault(setting, setting.usual());
    }
}

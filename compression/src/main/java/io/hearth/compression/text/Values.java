package io.hearth.compression.text;

import java.util.HashMap;
import java.util.Map;

/** The settings of a codec that a text gives; all others have their usual value. */
public final class Values {
    private final Map<Setting<?>, Object> given = new HashMap<>();

    /** Adds a setting and returns this. */
    public <T> Values with(Setting<T> setting, T value) {
        given.put(setting, value);
        return this;
    }

    boolean has(Setting<?> setting) {
        return given.containsKey(setting);
    }

    @SuppressWarnings("unchecked") // with() puts nothing else
    public <T> T get(Setting<T> setting) {
        return (T) given.getOrDefault(setting, setting.usual());
    }
}

package io.hearth.agent.settings;

import io.hearth.accel.EngineName;
import io.hearth.discovery.PeerName;
import io.hearth.election.health.Preset;
import io.hearth.identity.ConfigFile.Kind;
import io.hearth.identity.NetworkNamespace;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A setting of all nodes of a machine. Its key in {@code config.toml} is its name in lower case; its environment variable has the prefix
 * {@code HEARTH_}, and holds several values separated by commas. No setting is named {@code PORT}, because Kubernetes sets
 * {@code HEARTH_PORT} in the pods beside a service {@code hearth}.
 */
public enum Setting {
    NAMESPACE(Kind.TEXT, "--namespace", "the only one that this machine has"),
    LABEL(Kind.TEXT, "", "the computer's name"),
    INTERFACES(Kind.TEXTS, "--interface", "all usable ones"),
    EXCLUDE_INTERFACES(Kind.TEXTS, "--exclude-interface", "none"),
    PEERS(Kind.TEXTS, "--peer", "none"),
    LISTEN_PORT(Kind.NUMBER, "--port", "52416, or the next free one"),
    PAGE_PORT(Kind.NUMBER, "--page-port", "52418, or a free one"),
    HEALTH(Kind.TEXT, "", "auto"),
    ON_PARTITION(Kind.TEXT, "--on-partition", "stall"),
    ENGINE(Kind.TEXT, "--engine", "auto");

    /** The value of {@link #HEALTH} by which round trips choose the spans. */
    public static final String HEALTH_AUTO = "auto";

    /** The value of {@link #ON_PARTITION} by which a node goes on alone. */
    public static final String PARTITION_CONTINUE = "continue";

    private static final int PORT_MAX = 65_535;
    private static final int TEXT_MAX = 64;

    private final Kind kind;
    private final String flag;
    private final String byDefault;

    Setting(Kind kind, String flag, String byDefault) {
        this.kind = kind;
        this.flag = flag;
        this.byDefault = byDefault;
    }

    /** The key in {@code config.toml}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The environment variable. */
    public String variable() {
        return "HEARTH_" + name();
    }

    /** The option that overrides it on the command line; empty if there is none. */
    public String flag() {
        return flag;
    }

    /** The value where nothing is set, for people. */
    public String byDefault() {
        return byDefault;
    }

    /** The form of its value in {@code config.toml}. */
    public Kind kind() {
        return kind;
    }

    /**
     * Checks a value.
     *
     * @throws IllegalArgumentException says what it must be
     */
    void check(String value) {
        switch (this) {
            case NAMESPACE -> checkNamespace(value);
            case LABEL -> checkLabel(value);
            case INTERFACES, EXCLUDE_INTERFACES -> checkInterface(value);
            case PEERS -> PeerName.parse(value);
            case LISTEN_PORT, PAGE_PORT -> checkPort(value);
            case HEALTH -> checkHealth(value);
            case ON_PARTITION -> checkOnPartition(value);
            case ENGINE -> EngineName.parse(value);
        }
    }

    /** The values that an environment variable names. */
    List<String> split(String variable) {
        return kind == Kind.TEXTS
                ? Arrays.stream(variable.split(",", -1))
                        .map(String::strip)
                        .filter(value -> !value.isEmpty())
                        .toList()
                : List.of(variable.strip());
    }

    private static void checkNamespace(String value) {
        if (!NetworkNamespace.isName(value)) {
            throw wrong("1 to 63 of a-z, 0-9 and '-'", value);
        }
    }

    private static void checkLabel(String value) {
        if (value.isBlank() || value.length() > TEXT_MAX) {
            throw wrong("1 to " + TEXT_MAX + " characters", value);
        }
    }

    private static void checkInterface(String value) {
        if (value.isBlank() || value.length() > TEXT_MAX) {
            throw wrong("the name of a network interface, such as en0", value);
        }
    }

    private static void checkPort(String value) {
        if (!value.matches("[0-9]{1,5}") || Integer.parseInt(value) < 1 || Integer.parseInt(value) > PORT_MAX) {
            throw wrong("1 to " + PORT_MAX, value);
        }
    }

    private static void checkHealth(String value) {
        if (!value.equals(HEALTH_AUTO) && Preset.named(value).isEmpty()) {
            throw wrong("auto, lan, wifi or wan", value);
        }
    }

    private static void checkOnPartition(String value) {
        if (!value.equals("stall") && !value.equals(PARTITION_CONTINUE)) {
            throw wrong("stall or continue", value);
        }
    }

    private static IllegalArgumentException wrong(String rule, String value) {
        return new IllegalArgumentException("must be " + rule + ", got '" + value + "'");
    }
}

package io.hearth.agent.settings;

import io.hearth.accel.EngineName;
import io.hearth.discovery.PeerName;
import io.hearth.election.health.HealthConfig;
import io.hearth.election.health.Preset;
import io.hearth.identity.ConfigFile.Kind;
import io.hearth.identity.NetworkNamespace;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

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
    public void check(String value) {
        switch (this) {
            case NAMESPACE -> checkNamespace(value);
            case LABEL -> checkLabel(value);
            case INTERFACES, EXCLUDE_INTERFACES -> checkInterface(value);
            case PEERS -> PeerName.parse(value);
            case LISTEN_PORT, PAGE_PORT -> checkPort(value);
            case HEALTH -> health(value);
            case ON_PARTITION -> continuesOnPartition(value);
            case ENGINE -> EngineName.parse(value);
        }
    }

    /** The values that an environment variable names. */
    List<String> split(String variable) {
        return kind == Kind.TEXTS ? list(variable) : List.of(variable.strip());
    }

    /** The values of a list, which commas separate. */
    public static List<String> list(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .toList();
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

    /**
     * Reads a value of {@link #HEALTH}.
     *
     * @param value {@code auto}, {@code lan}, {@code wifi} or {@code wan}
     * @return empty for {@code auto}, by which round trips choose
     * @throws IllegalArgumentException if it is none of them
     */
    public static Optional<HealthConfig> health(String value) {
        Optional<Preset> preset = Preset.named(value);
        if (preset.isEmpty() && !value.equals(HEALTH_AUTO)) {
            throw wrong("auto, lan, wifi or wan", value);
        }
        return preset.map(HealthConfig::of);
    }

    /**
     * Reads a value of {@link #ON_PARTITION}: whether a node goes on alone when the quorum is lost.
     *
     * @param value {@code stall} or {@code continue}
     * @throws IllegalArgumentException if it is neither
     */
    public static boolean continuesOnPartition(String value) {
        return switch (value) {
            case "stall" -> false;
            case "continue" -> true;
            default -> throw wrong("stall or continue", value);
        };
    }

    private static IllegalArgumentException wrong(String rule, String value) {
        return new IllegalArgumentException("must be " + rule + ", got '" + value + "'");
    }
}

package io.hearth.agent;

import io.hearth.accel.EngineName;
import io.hearth.agent.settings.Setting;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.RankBounds;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Spelling;
import io.hearth.core.TimeSpans;
import io.hearth.identity.Labels;
import io.hearth.transport.DataTransport;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The keys of {@link HearthConfig}'s text form; each reads its value with the function that the command line and the settings use. */
enum ConfigKey {
    HOME,
    NAMESPACE,
    OPEN,
    LABEL,
    GROUP,
    PORT,
    INTERFACES,
    EXCLUDE_INTERFACES,
    PEERS,
    COMPRESSION,
    ENGINE,
    TRANSPORT,
    HEALTH,
    ON_PARTITION,
    ON_LOSS,
    RANKS,
    DEADLINE,
    STATE_BUDGET;

    private static final Map<String, ConfigKey> BY_NAME =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(ConfigKey::text, Function.identity()));

    /** Reads {@link HearthConfig#parse}'s text onto a configuration. */
    static HearthConfig read(String text, HearthConfig from) {
        HearthConfig config = from;
        var seen = EnumSet.noneOf(ConfigKey.class);
        for (String line : text.lines().filter(any -> !any.isBlank()).toList()) {
            int equals = line.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException(
                        "a setting must be key=value, got '" + Labels.clean(line, 200) + "'");
            }
            ConfigKey key = named(line.substring(0, equals).strip());
            if (!seen.add(key)) {
                throw new IllegalArgumentException(key.text() + " is set twice");
            }
            try {
                config = key.set(config, line.substring(equals + 1).strip());
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException(
                        key.text() + ": " + Labels.clean(String.valueOf(wrong.getMessage()), 300), wrong);
            }
        }
        return config;
    }

    private HearthConfig set(HearthConfig config, String value) {
        return switch (this) {
            case HOME -> config.home(Path.of(value));
            case NAMESPACE -> config.namespace(checked(Setting.NAMESPACE, value));
            case OPEN -> config.open(truth(value));
            case LABEL -> config.label(checked(Setting.LABEL, value));
            case GROUP -> config.group(value);
            case PORT -> config.port(Integer.parseInt(checked(Setting.LISTEN_PORT, value)));
            case INTERFACES -> config.interfaces(checkedAll(Setting.INTERFACES, value));
            case EXCLUDE_INTERFACES -> config.excludedInterfaces(checkedAll(Setting.EXCLUDE_INTERFACES, value));
            case PEERS -> config.peers(Setting.list(value));
            case COMPRESSION -> config.compression(CompressionStrategy.parse(value));
            case ENGINE -> config.engine(EngineName.parse(value));
            case TRANSPORT -> config.transport(DataTransport.parse(value));
            case HEALTH -> Setting.health(value).map(config::health).orElse(config);
            case ON_PARTITION -> config.continueOnPartition(Setting.continuesOnPartition(value));
            case ON_LOSS -> config.failFast(LossPolicy.parse(value) == LossPolicy.FAIL_FAST);
            case RANKS -> bounded(config, RankBounds.parse(value));
            case DEADLINE -> config.deadline(TimeSpans.parse(value));
            case STATE_BUDGET -> config.stateBudget(TimeSpans.parse(value));
        };
    }

    private static HearthConfig bounded(HearthConfig config, RankBounds ranks) {
        return config.minimumRanks(ranks.least()).maximumRanks(ranks.most());
    }

    private static ConfigKey named(String text) {
        return Optional.ofNullable(BY_NAME.get(text)).orElseThrow(() -> {
            String shown = Labels.clean(text, 64);
            List<String> near =
                    BY_NAME.keySet().stream().sorted(Spelling.byNearness(shown)).toList();
            return new IllegalArgumentException("no setting is named '" + shown + "'; did you mean '" + near.getFirst()
                    + "'? There are "
                    + Arrays.stream(values()).map(ConfigKey::text).collect(Collectors.joining(", ")));
        });
    }

    private String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static String checked(Setting setting, String value) {
        setting.check(value);
        return value;
    }

    private static List<String> checkedAll(Setting setting, String value) {
        List<String> values = Setting.list(value);
        values.forEach(setting::check);
        return values;
    }

    private static boolean truth(String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("must be true or false, got '" + value + "'");
        };
    }
}

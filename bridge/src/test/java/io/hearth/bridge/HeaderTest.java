package io.hearth.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.NonFiniteException;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DataType;
import io.hearth.core.DeadlineExceededException;
import io.hearth.core.HearthException;
import io.hearth.core.LeftGroupException;
import io.hearth.core.LineageLostException;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.core.NotEnoughRanksException;
import io.hearth.core.PeerLostException;
import io.hearth.core.ReduceOp;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.core.SetupException;
import io.hearth.core.StateSyncException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The header says what Java does. */
final class HeaderTest {
    private static final Pattern FUNCTION = Pattern.compile("int64_t \\(\\*(\\w+)\\)\\(([^)]*)\\);");
    private static final Pattern NUMBER = Pattern.compile("HEARTH_(\\w+) = (-?\\d+)");

    private static String header() throws Exception {
        try (InputStream file = Objects.requireNonNull(Bridge.class.getResourceAsStream("hearth.h"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void theFunctionsAreTheSameInTheSameOrder() throws Exception {
        var declared = new ArrayList<String>();
        var found = FUNCTION.matcher(header());
        while (found.find()) {
            String letters = Arrays.stream(found.group(2).split(",", -1))
                    .map(HeaderTest::letter)
                    .collect(Collectors.joining());
            declared.add(found.group(1) + " " + letters);
        }
        List<String> written = AbiTable.FUNCTIONS.stream()
                .map(function -> snake(function.name()) + " " + function.arguments())
                .toList();
        assertEquals(written, declared);
        assertTrue(header().contains("#define HEARTH_ABI " + AbiTable.VERSION));
    }

    private static String letter(String argument) {
        if (argument.contains("*") || argument.contains("hearth_log_function")) {
            return "p";
        }
        return argument.strip().startsWith("double") ? "d" : "l";
    }

    private static String snake(String name) {
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    @Test
    void theNumbersAreThose() throws Exception {
        var expected = new HashMap<String, Long>();
        for (DataType type : DataType.values()) {
            expected.put(type.name(), (long) type.number());
        }
        for (ReduceOp op : ReduceOp.values()) {
            expected.put(op.name(), (long) op.number());
        }
        for (HearthException error : List.of(
                new HearthException("x"),
                new CollectiveException("x"),
                new CollectiveMismatchException("x"),
                new DeadlineExceededException("x"),
                new LeftGroupException("x"),
                new LineageLostException("x"),
                new MalformedMessageException("x"),
                new NotEnoughPeersException("x"),
                new NotEnoughRanksException("x"),
                new PeerLostException("x"),
                new RemovedFromClusterException("x"),
                new SetupException("x"),
                new StateSyncException("x"),
                new NonFiniteException(0, Float.NaN))) {
            String name = error.getClass().getSimpleName().replaceAll("(FromCluster)?Exception$", "");
            expected.put(
                    switch (name) {
                        case "Hearth" -> "FAILED";
                        case "CollectiveMismatch" -> "MISMATCH";
                        case "MalformedMessage" -> "MALFORMED";
                        default -> snake(name).substring(1).toUpperCase(Locale.ROOT);
                    },
                    (long) -error.number());
        }
        expected.putAll(Map.of(
                "INVALID_ARGUMENT", (long) -Answers.INVALID_ARGUMENT,
                "WRONG_STATE", (long) -Answers.WRONG_STATE,
                "INTERRUPTED", (long) -Answers.INTERRUPTED,
                "OUT_OF_MEMORY", (long) -Answers.OUT_OF_MEMORY,
                "INTERNAL", (long) -Answers.INTERNAL,
                "NOT_YET", Answers.NOT_YET));
        var declared = new HashMap<String, Long>();
        var found = NUMBER.matcher(header());
        while (found.find()) {
            declared.put(found.group(1), Long.parseLong(found.group(2)));
        }
        assertEquals(expected, declared);
        long errors = declared.values().stream().filter(number -> number < 0).count();
        assertEquals(
                errors,
                declared.values().stream()
                        .filter(number -> number < 0)
                        .distinct()
                        .count(),
                "each error has its own number");
    }
}

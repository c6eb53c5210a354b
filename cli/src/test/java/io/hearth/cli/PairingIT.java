package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.cli.option.Loopback;
import io.hearth.cli.terminal.Exit;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.SecretText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pairs two machines as a user does: with two processes and a code. */
@Timeout(180)
final class PairingIT {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private Map<String, String> home(String name) {
        return Map.of("HEARTH_HOME", folder.resolve(name).toString(), "HEARTH_LOG", "trace");
    }

    private String namespaceOf(String name) throws Exception {
        return Files.readString(folder.resolve(name).resolve("namespace.toml"));
    }

    private RunningProcess pair(String name, String... more) throws Exception {
        assertEquals(0, new Commands(home(name)).run("init").code());
        return RunningProcess.hearth(home(name), List.of(), with(more, "pair", "--interface", Loopback.name()));
    }

    private RunningProcess join(String name, String... more) throws Exception {
        return RunningProcess.hearth(home(name), List.of(), with(more, "join", "--interface", Loopback.name()));
    }

    private static String[] with(String[] more, String... first) {
        return Stream.concat(Stream.of(first), Stream.of(more)).toArray(String[]::new);
    }

    private static JsonObject event(RunningProcess process, String name) throws InterruptedException {
        return JsonParser.parseString(process.await(
                        name, line -> line.startsWith("{") && line.contains("\"event\":\"" + name + "\"")))
                .getAsJsonObject();
    }

    /** Pairs by mDNS, without an address. Neither side logs any part of the secret or the code. */
    @Test
    void initPairJoin() throws Exception {
        try (RunningProcess pair = pair("study")) {
            String code =
                    pair.await("the code", line -> line.startsWith("code ")).substring(5);
            assertTrue(code.matches("[0-9]{2}-[0-9]{4}-[0-9]{4}"), code);
            try (RunningProcess join = join("kitchen", code.replace('-', ' '))) {
                assertEquals(Exit.OK, join.exitCode(), join.output());
                assertEquals(Exit.OK, pair.exitCode(), pair.output());
                String there = join.output();
                String here = pair.output();
                assertTrue(there.contains("paired with ") && there.contains("is in namespace home, key id "), there);
                assertTrue(here.contains("paired with ") && here.contains(" at 127.0.0.1"), here);
                assertTrue(here.contains(shortId("kitchen")) && there.contains(shortId("study")), here + there);
                assertEquals(namespaceOf("study"), namespaceOf("kitchen"));
                assertEquals(
                        "rw-------",
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(folder.resolve("kitchen/namespace.toml"))));
                NetworkNamespace namespace = NamespaceFile.in(HearthHome.open(folder.resolve("study")))
                        .find("home")
                        .orElseThrow();
                Secrets secrets = Secrets.of(SecretText.of(namespace), "home");
                assertEquals(List.of(), secrets.foundIn(here + there));
                String secret = code.substring(3);
                assertFalse(there.contains(secret) || there.contains(secret.replace("-", "")), there);
                assertEquals(here.indexOf(secret), here.lastIndexOf(secret), "the code is shown once");
            }
        }
    }

    private String shortId(String name) throws Exception {
        return new Commands(home(name)).run("id", "--json").json().get("short").getAsString();
    }

    /** Pairs as scripts do: by address, with JSON lines, and with the code on standard input, so that the process list does not show it. */
    @Tag("full")
    @Test
    void aWrongCodeIsSaidOnBothScreensAndTheRightOneIsGoodOnce() throws Exception {
        try (RunningProcess pair = pair("study", "--json")) {
            JsonObject shown = event(pair, "code");
            String code = shown.get("code").getAsString();
            String address = "127.0.0.1:" + shown.get("port").getAsInt();
            String last = code.endsWith("0") ? "1" : "0";
            try (RunningProcess wrong = join("attic", code.substring(0, code.length() - 1) + last, "--peer", address)) {
                assertEquals(Exit.FAILED, wrong.exitCode(), wrong.output());
                assertTrue(wrong.output().contains("hearth: wrong code for the machine at " + address), wrong.output());
                assertTrue(wrong.output().contains("2 tries are left"), wrong.output());
                assertFalse(Files.exists(folder.resolve("attic/namespace.toml")));
            }
            JsonObject failed = event(pair, "failed");
            assertEquals("127.0.0.1", failed.get("address").getAsString());
            assertEquals("wrong code", failed.get("why").getAsString());
            assertEquals(2, failed.get("runs_left").getAsInt());

            try (RunningProcess second =
                    RunningProcess.hearth(home("study"), List.of(), "pair", "--interface", Loopback.name())) {
                assertEquals(Exit.FAILED, second.exitCode(), second.output());
                assertTrue(second.output().contains("another Hearth process with the home"), second.output());
            }
            try (RunningProcess join = join("kitchen", code, "--peer", address, "--json")) {
                assertEquals("home", event(join, "paired").get("namespace").getAsString());
                assertEquals(Exit.OK, join.exitCode(), join.output());
            }
            assertTrue(event(pair, "paired").get("confirmed").getAsBoolean());
            assertEquals(Exit.OK, pair.exitCode(), pair.output());

            try (RunningProcess again = join("cellar", code, "--peer", address, "--wait", "1s")) {
                assertEquals(Exit.TIMED_OUT, again.exitCode(), again.output());
                assertTrue(
                        again.output().contains("a code is valid for 5 minutes and for one machine"), again.output());
            }
        }
    }

    @Tag("full")
    @Test
    void withoutAPairANewcomerSaysWhatItLookedFor() throws Exception {
        try (RunningProcess join = join("kitchen", "42 1234 5678", "--wait", "1s")) {
            assertEquals(Exit.TIMED_OUT, join.exitCode(), join.output());
            assertTrue(
                    join.output().contains("hearth: no machine of this LAN shows a code that begins with 42"),
                    join.output());
            assertTrue(join.output().contains("run 'hearth pair' there"), join.output());
            assertFalse(join.output().contains("1234"), join.output());
        }
    }

    @Test
    void anInterruptedPairEndsAtOnce() throws Exception {
        try (RunningProcess pair = pair("study")) {
            pair.await("the code", line -> line.startsWith("code "));
            pair.interrupt();
            assertEquals(Exit.INTERRUPTED, pair.exitCode(), pair.output());
        }
    }
}

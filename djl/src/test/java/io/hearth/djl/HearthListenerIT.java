package io.hearth.djl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.nn.core.Linear;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sample, in two processes with PyTorch's engine. */
@Tag("full")
final class HearthListenerIT {
    private static final Path SAMPLE =
            Path.of(System.getProperty("hearth.root"), "samples/djl/src/main/java/Train.java");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void bothLearnTheSameFromTheirOwnPartsOfTheData() throws Exception {
        NetworkNamespace namespace = NetworkNamespace.create("home");
        var trainers = new ArrayList<Process>();
        var outputs = new ArrayList<Path>();
        try {
            for (int number = 0; number < 2; number++) {
                HearthHome home = HearthHome.open(folder.resolve("home-" + number));
                NamespaceFile.in(home).add(namespace);
                outputs.add(folder.resolve("output-" + number));
                trainers.add(start(home, outputs.getLast()));
            }
            for (int number = 0; number < 2; number++) {
                assertTrue(trainers.get(number).waitFor(120, TimeUnit.SECONDS), Files.readString(outputs.get(number)));
                assertEquals(0, trainers.get(number).exitValue(), Files.readString(outputs.get(number)));
            }
        } finally {
            trainers.forEach(Process::destroyForcibly);
        }
        List<String> values = lines(outputs.getFirst(), "values ");
        assertEquals(8, values.size()); // two of each linear layer, four of the norm
        assertEquals(values, lines(outputs.getLast(), "values "));
        for (Path output : outputs) {
            List<String> losses = lines(output, "loss ");
            assertTrue(number(losses.getLast()) < number(losses.getFirst()) / 4, losses::toString);
        }
    }

    /** PyTorch forbids a thread to write what it records for the backward pass, and all threads record but the one that loaded it. */
    @Test
    void parametersAreWrittenOnAnyThread() throws Exception {
        System.setProperty("OPT_OUT_TRACKING", "true");
        System.setProperty("ai.djl.offline", "true");
        System.setProperty("DJL_CACHE_DIR", folder.resolve("djl").toString());
        System.setProperty("ENGINE_CACHE_DIR", folder.resolve("engine").toString());
        try (NDManager manager = NDManager.newBaseManager();
                var threads = Executors.newSingleThreadExecutor()) {
            Block linear = Linear.builder().setUnits(2).build();
            linear.initialize(manager, DataType.FLOAT32, new Shape(1, 3));
            List<Parameter> parameters = linear.getParameters().values();
            parameters.forEach(each -> each.getArray().setRequiresGradient(true));
            Values values = Values.of(parameters);
            threads.submit(() -> {
                        values.read();
                        values.tensors().forEach(each -> each.memory().fill((byte) 0));
                        values.write();
                    })
                    .get();
            for (Parameter each : parameters) {
                assertEquals(0, each.getArray().abs().sum().getFloat(), each.getName());
                assertTrue(each.getArray().hasGradient(), each.getName());
            }
        }
    }

    @Test
    void oneMachineIsNoCluster() {
        assertThrows(IllegalArgumentException.class, () -> HearthListener.join(1));
    }

    /** DJL unpacks its engine into a folder, and would report its use to its makers. */
    private Process start(HearthHome home, Path output) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--add-modules=jdk.incubator.vector",
                "-DOPT_OUT_TRACKING=true",
                "-Dai.djl.offline=true",
                "-DDJL_CACHE_DIR=" + home.folder().resolve("djl"),
                "-DENGINE_CACHE_DIR=" + home.folder().resolve("engine"),
                "-cp",
                System.getProperty("java.class.path"),
                SAMPLE.toString());
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(Map.of("HEARTH_HOME", home.folder().toString(), "HEARTH_INTERFACES", loopback()));
        return builder.start();
    }

    private static List<String> lines(Path output, String first) throws IOException {
        try (var lines = Files.lines(output)) {
            return lines.filter(line -> line.startsWith(first)).toList();
        }
    }

    private static double number(String line) {
        return Double.parseDouble(line.substring(line.lastIndexOf(' ')));
    }

    private static String loopback() throws IOException {
        return NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress())
                .getName();
    }
}

package io.hearth.cli.lab;

import io.hearth.cli.lab.ServicesClient.Place;
import io.hearth.parameterserver.ElementType;
import io.hearth.parameterserver.client.ClientOptions;
import io.hearth.parameterserver.client.ParameterClient;
import io.hearth.parameterserver.client.ParameterServerException;
import io.hearth.parameterserver.client.Shape;
import io.hearth.parameterserver.optimize.Clip;
import io.hearth.parameterserver.optimize.LearningRate;
import io.hearth.parameterserver.optimize.Method;
import io.hearth.parameterserver.optimize.OptimizerSettings;
import io.hearth.parameterserver.placement.Placement;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Sends gradients in steps. Each start of each host has an element of its own, and its gradients are {@link #UNIT} there and 0 elsewhere.
 * So two versions of a parameter show whose gradients the step between them had: the mean takes UNIT / n from each of these n elements.
 */
final class GradientTrainer {
    /** Divisible by 1 to 6, so that means are exact. */
    static final double UNIT = 60;

    static final int PARTS = 8;

    private static final int ELEMENTS = 64;
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final long RENEW_MILLIS = 200;
    private static final long TRAIN_MILLIS = 100;

    private GradientTrainer() {}

    /** A parameter in each part. */
    static List<String> parameters() {
        return IntStream.range(0, PARTS)
                .mapToObj(part -> IntStream.iterate(0, i -> i + 1)
                        .mapToObj(i -> "w" + i)
                        .filter(name -> Placement.byName(name, PARTS) == part)
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    /** The element of a start. */
    static int element(int host, int start, int hosts) {
        return host + hosts * start;
    }

    private static ParameterClient connect(Place place) throws ParameterServerException, InterruptedException {
        return ParameterClient.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), ServicesClient.PARAMETER_SERVER_PORT),
                "trainer-" + place.name(),
                parameters().stream()
                        .map(name -> new Shape(name, ElementType.FLOAT64, ELEMENTS))
                        .toList(),
                new ClientOptions(1 << 20, false, Duration.ofMinutes(1)));
    }

    static void work(Place place, Journal journal) throws Exception {
        List<String> names = parameters();
        byte[] gradient = bytes(element(place.host(), place.start(), place.hosts()));
        try (ParameterClient client = connect(place);
                ParameterClient leases = connect(place)) {
            if (place.isFirst()) {
                var sgd = new OptimizerSettings(
                        new Method.Sgd(0, false, 0), new LearningRate.Constant(1), new Clip.None());
                for (String name : names) {
                    client.init(name, bytes(-1), sgd);
                }
                client.finish();
            }
            client.get(names); // when they are there
            leases.register(LEASE);
            var renewing = Thread.ofPlatform().daemon().start(() -> renew(leases, journal));
            List<ParameterClient.Gradient> gradients = names.stream()
                    .map(name -> new ParameterClient.Gradient(name, gradient))
                    .toList();
            for (long step = 1; !place.isOver(); step++) {
                journal.write("parameterserver", "sending", step);
                List<Long> versions = client.send(gradients);
                for (int i = 0; i < names.size(); i++) {
                    journal.write("parameterserver", "acknowledged", names.get(i), step, versions.get(i));
                }
                for (int i = 0; i < names.size(); i++) {
                    ParameterClient.Got got =
                            client.get(List.of(names.get(i)), versions.get(i)).getFirst();
                    journal.write("parameterserver", "values", names.get(i), got.version(), text(got.content()));
                }
                journal.write("parameterserver", "step", step);
                Thread.sleep(TRAIN_MILLIS); // training
            }
            renewing.interrupt();
            renewing.join();
            leases.register(Duration.ZERO);
        }
    }

    private static void renew(ParameterClient leases, Journal journal) {
        try {
            while (true) {
                leases.register(LEASE);
                journal.write("parameterserver", "lease");
                Thread.sleep(RENEW_MILLIS);
            }
        } catch (InterruptedException ended) {
            // the training is over
        } catch (Exception failed) {
            System.out.println("FAILED to renew a lease: " + failed);
        }
    }

    private static byte[] bytes(int element) {
        ByteBuffer buffer = ByteBuffer.allocate(ELEMENTS * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < ELEMENTS; i++) {
            buffer.putDouble(i == element ? UNIT : 0);
        }
        return buffer.array();
    }

    private static String text(byte[] content) {
        var values = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer();
        var all = new StringBuilder();
        for (int i = 0; i < values.limit(); i++) {
            if (values.get(i) != 0) {
                all.append(i).append('=').append(values.get(i)).append(',');
            }
        }
        return all.toString();
    }

    /** The values of a line, of the elements that are not 0. */
    static Map<Integer, Double> values(String text) {
        var values = new TreeMap<Integer, Double>();
        for (String each : text.split(",", 0)) {
            int equals = each.indexOf('=');
            values.put(Integer.parseInt(each.substring(0, equals)), Double.parseDouble(each.substring(equals + 1)));
        }
        return values;
    }
}

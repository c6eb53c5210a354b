package io.hearth.bench;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.TensorShape;
import io.hearth.collective.ring.DistributedConfig;
import io.hearth.collective.ring.RingBackend;
import io.hearth.core.DataType;
import io.hearth.core.HearthException;
import io.hearth.core.ReduceOp;
import io.hearth.core.SetupException;
import io.hearth.examples.Mlp.Matrix;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * Nodes of one process that average their gradients as a training script does. Each node is a rank of a group over loopback and passes its gradient as a list of tensors with their shapes. Only the thread that created it may use it.
 */
final class EngineSum implements AutoCloseable {
    private final NamespaceKeys keys = NetworkNamespace.open("bench").keys();
    private final ExecutorService threads;
    private final List<RingBackend> ranks = new ArrayList<>();
    private final List<Matrix> tensors;
    private final CollectiveOptions how;
    private final long[] sent;
    private final long ringBytes; // that each node sends in an uncompressed ring all-reduce
    private long sums;

    /**
     * A group of {@code nodes} nodes that sum gradients of {@code count} values.
     *
     * @param nodes 1 or more
     * @param matrices the parts of the gradient that are matrices, in order of index; the parts between them are vectors
     * @throws HearthException the group could not be formed; the message says why
     */
    EngineSum(ConvergenceCodec codec, int nodes, List<Matrix> matrices, int count)
            throws HearthException, InterruptedException {
        threads = Executors.newFixedThreadPool(nodes);
        sent = new long[nodes];
        ringBytes = 2L * (nodes - 1) * count * Float.BYTES / nodes;
        tensors = tensors(matrices, count);
        how = CollectiveOptions.DEFAULTS.shaped(
                tensors.stream().map(EngineSum::shape).toArray(TensorShape[]::new));
        try {
            List<InetSocketAddress> addresses = BenchPlace.loopback(nodes, "").addresses().stream()
                    .map(EngineSum::address)
                    .toList();
            var options = EngineOptions.DEFAULTS.as(codec.strategy());
            ranks.addAll(all(
                    nodes, rank -> RingBackend.open(new DistributedConfig(addresses, rank).with(options), keys)));
        } catch (IOException noPort) {
            close();
            throw new SetupException("no port is free on loopback: " + noPort.getMessage());
        } catch (HearthException | InterruptedException | RuntimeException failed) {
            close();
            throw failed;
        }
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    /** All parts in order; a vector has no columns. */
    private static List<Matrix> tensors(List<Matrix> matrices, int count) {
        var tensors = new ArrayList<Matrix>();
        int done = 0;
        for (Matrix matrix : matrices) {
            addVector(tensors, done, matrix.first());
            tensors.add(matrix);
            done = matrix.first() + matrix.rows() * matrix.columns();
        }
        addVector(tensors, done, count);
        return tensors;
    }

    private static void addVector(List<Matrix> tensors, int from, int to) {
        if (to > from) {
            tensors.add(new Matrix(from, to - from, 0));
        }
    }

    private static TensorShape shape(Matrix tensor) {
        return tensor.columns() == 0 ? TensorShape.of(tensor.rows()) : TensorShape.of(tensor.rows(), tensor.columns());
    }

    private interface OfRank<T> {
        T of(int rank) throws HearthException, InterruptedException;
    }

    /** Runs {@code each} for every rank, each in a thread of its own. If ranks fail, it throws the failure of the lowest one. */
    private <T> List<T> all(int nodes, OfRank<T> each) throws HearthException, InterruptedException {
        List<Future<T>> running = IntStream.range(0, nodes)
                .mapToObj(rank -> threads.submit(() -> each.of(rank)))
                .toList();
        var done = new ArrayList<T>();
        for (Future<T> one : running) {
            try {
                done.add(one.get());
            } catch (ExecutionException failed) {
                switch (failed.getCause()) {
                    case HearthException reported -> throw reported;
                    case RuntimeException wrong -> throw wrong;
                    case Error bug -> throw bug;
                    case null, default -> throw new AssertionError("a rank ended with an unexpected exception", failed);
                }
            }
        }
        return done;
    }

    /**
     * Replaces the gradient of every node by the mean of all gradients, as the compression rounds it.
     *
     * @param gradients one array for each rank, with one value for each parameter of the model; afterwards all have the same bits
     * @throws HearthException there is no result; the message says why
     */
    void mean(float[][] gradients) throws HearthException, InterruptedException {
        List<Long> bytes = all(ranks.size(), rank -> {
            var own = MemorySegment.ofArray(gradients[rank]);
            List<MemorySegment> parts =
                    tensors.stream().map(tensor -> part(own, tensor)).toList();
            return ranks.get(rank)
                    .allReduce(parts, DataType.FLOAT32, ReduceOp.AVG, how)
                    .bytesSent();
        });
        for (int rank = 0; rank < sent.length; rank++) {
            sent[rank] += bytes.get(rank);
        }
        sums++;
    }

    private static MemorySegment part(MemorySegment gradient, Matrix tensor) {
        long count = (long) tensor.rows() * Math.max(1, tensor.columns());
        return gradient.asSlice((long) tensor.first() * Float.BYTES, count * Float.BYTES);
    }

    /** Bytes that each node sends in an uncompressed ring all-reduce, divided by the bytes that the busiest node sent. */
    double sentRatio() {
        return (double) ringBytes * sums / Arrays.stream(sent).max().orElseThrow();
    }

    /** Closes all ranks at the same time, because a rank waits for the others when it closes. */
    @Override
    public void close() {
        try (threads) {
            ranks.forEach(rank -> threads.execute(rank::close));
        }
        keys.close();
    }
}

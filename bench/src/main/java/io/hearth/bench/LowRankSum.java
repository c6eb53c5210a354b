package io.hearth.bench;

import io.hearth.accel.Engines;
import io.hearth.accel.Reducer;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.PowerSgdMemory;
import io.hearth.core.DataType;
import io.hearth.examples.Mlp.Matrix;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * PowerSGD: the factors of all matrices are summed exactly, the left ones first and then the right ones; what belongs to no matrix
 * goes with the left ones, as it is.
 */
final class LowRankSum implements VectorMean {
    private final List<Matrix> matrices;
    private final List<Part> plain;
    private final List<PowerSgdMemory> nodes = new ArrayList<>();
    private final FusedSum left;
    private final FusedSum right;
    private final Reducer reducer = Engines.best().newReducer();

    private record Part(long first, long count) {
        static Part of(Matrix matrix) {
            return new Part(matrix.first(), (long) matrix.rows() * matrix.columns());
        }

        long end() {
            return first + count;
        }

        MemorySegment in(MemorySegment vector) {
            return vector.asSlice(first * Float.BYTES, count * Float.BYTES);
        }
    }

    /**
     * Of vectors of {@code count} values.
     *
     * @param rank of the approximation
     * @param matrices parts of the vectors, by rising index, none in another one
     */
    LowRankSum(int rank, int nodeCount, List<Matrix> matrices, long count, Traffic traffic) {
        this.matrices = List.copyOf(matrices);
        plain = between(matrices, count);
        long leftCount = plain.stream().mapToLong(Part::count).sum();
        long rightCount = 0;
        for (Matrix matrix : matrices) {
            int width = Math.min(rank, Math.min(matrix.rows(), matrix.columns()));
            leftCount += (long) matrix.rows() * width;
            rightCount += (long) matrix.columns() * width;
        }
        for (int node = 0; node < nodeCount; node++) {
            nodes.add(new PowerSgdMemory(rank, 0, matrices.size()));
        }
        left = new FusedSum(nodeCount, leftCount, traffic);
        right = new FusedSum(nodeCount, rightCount, traffic);
    }

    private static List<Part> between(List<Matrix> matrices, long count) {
        var parts = new ArrayList<Part>();
        long done = 0;
        for (Matrix matrix : matrices) {
            if (matrix.first() > done) {
                parts.add(new Part(done, matrix.first() - done));
            }
            done = Part.of(matrix).end();
        }
        if (count > done) {
            parts.add(new Part(done, count - done));
        }
        return parts;
    }

    @Override
    public void mean(List<MemorySegment> vectors) throws NonFiniteException {
        var rounds = new ArrayList<List<PowerSgdMemory.Round>>();
        try {
            begin(vectors, rounds);
            sumLeft(vectors, rounds);
            sumRight(rounds);
        } catch (NonFiniteException spoilt) {
            rounds.forEach(ofNode -> ofNode.forEach(PowerSgdMemory.Round::rollback));
            throw spoilt;
        }
        for (int node = 0; node < vectors.size(); node++) {
            for (int i = 0; i < matrices.size(); i++) {
                PowerSgdMemory.Round round = rounds.get(node).get(i);
                round.deliver(Part.of(matrices.get(i)).in(vectors.get(node)));
                round.commit();
            }
        }
    }

    private void begin(List<MemorySegment> vectors, List<List<PowerSgdMemory.Round>> rounds) throws NonFiniteException {
        for (int node = 0; node < vectors.size(); node++) {
            var ofNode = new ArrayList<PowerSgdMemory.Round>();
            rounds.add(ofNode);
            for (Matrix matrix : matrices) {
                MemorySegment gradient = Part.of(matrix).in(vectors.get(node));
                String key = "matrix at " + matrix.first();
                ofNode.add(nodes.get(node)
                        .begin(key, gradient, (long) matrix.rows() * matrix.columns(), matrix.columns()));
            }
        }
    }

    private void sumLeft(List<MemorySegment> vectors, List<List<PowerSgdMemory.Round>> rounds)
            throws NonFiniteException {
        var tensors = new ArrayList<List<MemorySegment>>();
        for (int node = 0; node < vectors.size(); node++) {
            var ofNode = new ArrayList<MemorySegment>();
            rounds.get(node).forEach(round -> ofNode.add(round.left()));
            for (Part part : plain) {
                ofNode.add(part.in(vectors.get(node)));
            }
            tensors.add(ofNode);
        }
        left.sum(tensors);
        for (int node = 0; node < vectors.size(); node++) {
            for (PowerSgdMemory.Round round : rounds.get(node)) {
                round.leftSummed(vectors.size());
            }
            for (Part part : plain) {
                MemorySegment sum = part.in(vectors.get(node));
                reducer.divide(DataType.FLOAT32, sum, 0, part.count(), vectors.size());
            }
        }
    }

    private void sumRight(List<List<PowerSgdMemory.Round>> rounds) throws NonFiniteException {
        right.sum(rounds.stream()
                .map(ofNode -> ofNode.stream().map(PowerSgdMemory.Round::right).toList())
                .toList());
        for (List<PowerSgdMemory.Round> ofNode : rounds) {
            for (PowerSgdMemory.Round round : ofNode) {
                round.rightSummed(rounds.size());
            }
        }
    }

    @Override
    public void close() {
        nodes.forEach(PowerSgdMemory::close);
        left.close();
        right.close();
    }
}

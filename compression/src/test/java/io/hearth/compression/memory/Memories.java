package io.hearth.compression.memory;

import static io.hearth.compression.TestKernels.KERNELS;

import io.hearth.compression.Codec;
import io.hearth.compression.DgcOptions;
import io.hearth.compression.Residual;
import io.hearth.compression.Workers;

/** Empty memories of the tests, without workers. */
final class Memories {
    private Memories() {}

    static ErrorFeedback errorFeedback(Codec codec, int tensorsMax) {
        return errorFeedback(codec, tensorsMax, 0);
    }

    static ErrorFeedback errorFeedback(Codec codec, int tensorsMax, long seed) {
        return new ErrorFeedback(codec, Residual.FLOAT32, tensorsMax, seed, KERNELS, Workers.NONE);
    }

    static DgcMemory dgc(DgcOptions options, int tensorsMax) {
        return new DgcMemory(options, tensorsMax, KERNELS, Workers.NONE);
    }

    static PowerSgdMemory powerSgd(int rank, long seed, int tensorsMax) {
        return new PowerSgdMemory(rank, true, seed, tensorsMax, KERNELS);
    }
}

package io.hearth.compression.codecs;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.HalfFloat;
import io.hearth.accel.select.Engines;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy.Bf16;
import io.hearth.compression.CompressionStrategy.Coded;
import io.hearth.compression.CompressionStrategy.Custom;
import io.hearth.compression.CompressionStrategy.Fp16;
import io.hearth.compression.CompressionStrategy.Int4;
import io.hearth.compression.CompressionStrategy.Int8;
import io.hearth.compression.CompressionStrategy.None;
import io.hearth.compression.CompressionStrategy.RandomK;
import io.hearth.compression.CompressionStrategy.TopK;
import io.hearth.compression.OnNonFinite;
import io.hearth.compression.block.HalfCodec;
import io.hearth.compression.block.LevelCodec;
import io.hearth.compression.block.NoneCodec;
import io.hearth.compression.block.PassDenseCodec;
import io.hearth.compression.sparse.ChunkedTopKCodec;
import io.hearth.compression.sparse.RandomKCodec;
import io.hearth.compression.sparse.TopKCodec;

/** The codecs of strategies. */
public final class Codecs {
    private Codecs() {}

    /**
     * The encoder and decoder of a strategy; stateless, so threads may share it.
     *
     * @param kernels of the engine that does the work, shared with others; a codec of the caller's own ignores them
     */
    public static Codec of(Coded strategy, CodecKernels kernels) {
        Codec codec = switch (strategy) {
            case None _ -> new NoneCodec(kernels);
            case Fp16 _ -> new HalfCodec(HalfFloat.BINARY16, kernels);
            case Bf16 _ -> new HalfCodec(HalfFloat.BFLOAT16, kernels);
            case Int8 int8 -> new LevelCodec(Byte.SIZE, int8.block(), int8.stochastic(), kernels);
            case Int4 int4 -> new LevelCodec(Byte.SIZE / 2, int4.block(), int4.stochastic(), kernels);
            case TopK topK when topK.chunk() == 0 -> new TopKCodec(topK.fraction(), topK.bits() == Float.SIZE, kernels);
            case TopK topK -> new ChunkedTopKCodec(topK.fraction(), topK.chunk(), topK.bits(), kernels);
            case RandomK randomK -> new RandomKCodec(randomK.fraction(), kernels);
            case Custom custom -> custom.codec();
        };
        return strategy.onNonFinite() == OnNonFinite.DENSE ? new PassDenseCodec(codec, kernels) : codec;
    }

    /** The same with the fastest engine of this JVM, the GPU excepted; the bits do not depend on the engine. */
    public static Codec of(Coded strategy) {
        return of(strategy, Engines.best().codecKernels());
    }
}

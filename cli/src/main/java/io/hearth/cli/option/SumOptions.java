package io.hearth.cli.option;

import io.hearth.compression.CompressionStrategy;
import io.hearth.transport.DataTransport;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that all commands which sum gradients share. */
public final class SumOptions {
    @Option(
            names = "--transport",
            paramLabel = "auto|shm|tcp",
            converter = Converters.Transport.class,
            description =
                    "Transport of data: encrypted TCP (tcp), shared memory (shm, within one machine only), or shared memory"
                            + " between processes of one user on one machine and TCP between all others (auto). Default: auto.")
    public DataTransport transport = DataTransport.AUTO;

    @Mixin
    public final EngineOption engine = new EngineOption();

    @Option(
            names = "--compression",
            paramLabel = "CODEC",
            converter = Compression.class,
            description = "Codec of the gradients, the same on all nodes: " + Compression.CHOICES + " (default: none).")
    public CompressionStrategy compression = CompressionStrategy.NONE;
}

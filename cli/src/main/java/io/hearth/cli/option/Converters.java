package io.hearth.cli.option;

import io.hearth.agent.api.PlanAnswers;
import io.hearth.agent.settings.Setting;
import io.hearth.bench.BenchCipher;
import io.hearth.bench.SizeSpec;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.LossPolicy;
import io.hearth.identity.NetworkNamespace;
import io.hearth.transport.DataTransport;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters for arguments of options. */
public final class Converters {
    private Converters() {}

    /** {@code auto}, {@code ring}, {@code direct}, {@code tree}, {@code centralized} or {@code hierarchical}: the algorithm of an all-reduce. */
    public static final class Algorithm implements ITypeConverter<AllReduceStrategy> {
        @Override
        public AllReduceStrategy convert(String text) {
            for (AllReduceStrategy strategy : AllReduceStrategy.values()) {
                if (strategy.name().toLowerCase(Locale.ROOT).equals(text)) {
                    return strategy;
                }
            }
            throw new TypeConversionException(
                    "algorithm must be auto, ring, direct, tree, centralized or hierarchical, got '" + text + "'");
        }
    }

    /** {@code aead} or {@code copy}: whether a measurement encrypts its records. */
    public static final class Ciphering implements ITypeConverter<BenchCipher> {
        @Override
        public BenchCipher convert(String text) {
            return Arrays.stream(BenchCipher.values())
                    .filter(cipher -> cipher.text().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("cipher must be aead or copy, got '" + text + "'"));
        }
    }

    /** {@code 4096}, {@code 256KiB} or {@code 64MiB}: the bytes of a sum. */
    public static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            long bytes;
            try {
                bytes = SizeSpec.bytes(text);
            } catch (IllegalArgumentException notASize) {
                throw new TypeConversionException(String.valueOf(notASize.getMessage()));
            }
            if (bytes < 1 || bytes > PlanAnswers.BYTES_MAX) {
                throw new TypeConversionException(
                        "must be 1 to " + PlanAnswers.BYTES_MAX + " bytes, got '" + text + "'");
            }
            return bytes;
        }
    }

    /** The name of a namespace. */
    public static final class NamespaceName implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (!NetworkNamespace.isName(text)) {
                throw new TypeConversionException("a name must be 1 to 63 of a-z, 0-9 and '-', got '" + text + "'");
            }
            return text;
        }
    }

    /** {@code retry} or {@code fail-fast}: whether a running collective survives the loss of a member. */
    public static final class OnLoss implements ITypeConverter<LossPolicy> {
        @Override
        public LossPolicy convert(String text) {
            try {
                return LossPolicy.parse(text);
            } catch (IllegalArgumentException unknown) {
                throw new TypeConversionException(String.valueOf(unknown.getMessage()));
            }
        }
    }

    /** {@code stall} or {@code continue}: whether the node goes on alone when the quorum is lost. */
    public static final class OnPartition implements ITypeConverter<Boolean> {
        @Override
        public Boolean convert(String text) {
            try {
                return Setting.continuesOnPartition(text);
            } catch (IllegalArgumentException unknown) {
                throw new TypeConversionException(String.valueOf(unknown.getMessage()));
            }
        }
    }

    /** {@code auto}, {@code shm} or {@code tcp}: how data travels between nodes of this machine. */
    static final class Transport implements ITypeConverter<DataTransport> {
        @Override
        public DataTransport convert(String text) {
            try {
                return DataTransport.parse(text);
            } catch (IllegalArgumentException unknown) {
                throw new TypeConversionException(String.valueOf(unknown.getMessage()));
            }
        }
    }
}

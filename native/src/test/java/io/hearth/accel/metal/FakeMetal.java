package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.accel.cc.NativeCompiler;
import io.hearth.core.HearthException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The stand-in for the Objective-C runtime and Metal, compiled from {@code metal-fake} when it is first wanted. One per JVM, with
 * controls that {@link #get()} puts back; without a C++ compiler or on another processor its tests are skipped.
 */
public final class FakeMetal {
    private static final Optional<FakeMetal> BUILT = build();

    private final MetalStandIn standIn;

    private FakeMetal(MetalStandIn standIn) {
        this.standIn = standIn;
    }

    /** The stand-in with all controls as at first; the test is skipped where it cannot be built. */
    public static FakeMetal get() {
        assumeTrue(BUILT.isPresent(), "needs g++ or clang++ on Linux x86-64 or aarch64");
        FakeMetal fake = BUILT.orElseThrow();
        fake.standIn.reset();
        return fake;
    }

    private static Optional<FakeMetal> build() {
        Optional<NativeCompiler> compiler = MetalStandIn.isPossible()
                ? NativeCompiler.find(System.getenv("PATH"), "g++", "clang++")
                : Optional.empty();
        if (compiler.isEmpty()) {
            return Optional.empty();
        }
        try {
            Path sources = Path.of(FakeMetal.class.getResource("/metal-fake").toURI());
            return Optional.of(new FakeMetal(MetalStandIn.build(compiler.get(), sources)));
        } catch (HearthException | URISyntaxException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    /** As a self-test takes it. */
    public MetalStandIn standIn() {
        return standIn;
    }

    /** What the engine loads instead of Apple's libraries. */
    public MetalLibraries libraries() {
        return standIn.libraries();
    }

    /** An engine on other kernels: one change of the text, which has to be there. */
    public MetalEngine open(MetalLimits limits, String from, String to) {
        String text = KernelSource.text();
        assertTrue(text.contains(from), () -> "the kernels have no: " + from);
        return MetalEngine.open(libraries(), limits, text.replace(from, to));
    }

    /** As {@link MetalStandIn#set}. */
    public void set(String control, long value) {
        standIn.set(control, value);
    }

    /** As {@link MetalStandIn#get}. */
    public long get(String control) {
        return standIn.get(control);
    }

    void text(String control, String value) {
        standIn.text(control, value);
    }

    /** As {@link MetalStandIn#violations}. */
    public String violations() {
        return standIn.violations();
    }

    /** No rule of the real Metal was broken since {@link #get()}. */
    public void assertObeyed() {
        assertEquals("", violations());
    }
}

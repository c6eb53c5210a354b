package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.core.HearthException;
import io.hearth.standin.MetalStandIn;
import java.util.Optional;

/**
 * The stand-in for the Objective-C runtime and Metal, one per JVM, with controls that {@link #get()} resets. Its tests are skipped
 * without a C++ compiler and on another processor.
 */
public final class FakeMetal {
    private static final Optional<FakeMetal> BUILT = build();

    private final MetalStandIn standIn;

    private FakeMetal(MetalStandIn standIn) {
        this.standIn = standIn;
    }

    /** The stand-in with all controls at their defaults; the test is skipped where it cannot be built. */
    public static FakeMetal get() {
        assumeTrue(BUILT.isPresent(), "needs g++ or clang++ on Linux x86-64 or aarch64");
        FakeMetal fake = BUILT.orElseThrow();
        fake.standIn.reset();
        return fake;
    }

    private static Optional<FakeMetal> build() {
        try {
            return MetalStandIn.forTests().map(FakeMetal::new);
        } catch (HearthException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    /** What the engine loads instead of Apple's libraries. */
    public MetalLibraries libraries() {
        return MetalLibraries.single(standIn.library());
    }

    /** An engine on other kernels: one change of the text, which must contain {@code from}. */
    public MetalEngine open(MetalLimits limits, String from, String to) {
        String text = KernelSource.text();
        assertTrue(text.contains(from), () -> "the kernels have no: " + from);
        return MetalEngine.open(libraries(), limits, text.replace(from, to));
    }

    /** As {@link MetalStandIn#set}. */
    public void set(String control, long value) {
        standIn.set(control, value);
    }

    /** As {@link MetalStandIn#set}. */
    public void set(MetalStandIn.Manner manner) {
        standIn.set(manner);
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

package io.hearth.accel.metal;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** What the GPU did so far, and so whether it is asked; any thread. */
final class MetalRecord {
    private final Consumer<String> warnings;
    private final ReentrantLock lock = new ReentrantLock(); // guards all below
    private final Map<MetalFault, Long> faults = new EnumMap<>(MetalFault.class);
    private Confidence confidence = new Confidence(0, 0, true);
    private String device = "";
    private String why = "not opened";
    private MetalEngine.FaultListener listener = (_, _, _, _) -> {};
    private final Map<MetalFault, String> reasons = new EnumMap<>(MetalFault.class); // the last of each kind
    private long callsOnGpu;
    private long callsOnCpu;

    /** {@code warnings} gets one line about the first fault of each kind. */
    MetalRecord(Consumer<String> warnings) {
        this.warnings = warnings;
    }

    void opened(String name) {
        lock.lock();
        try {
            confidence = Confidence.FULL;
            device = name;
            why = "opened";
        } finally {
            lock.unlock();
        }
    }

    MetalStatus status() {
        lock.lock();
        try {
            return new MetalStatus(device, confidence.asks(), why, callsOnGpu, callsOnCpu, new TreeMap<>(faults));
        } finally {
            lock.unlock();
        }
    }

    /** Whether a call may go to the GPU now; counts it for the CPU if not. */
    boolean asks() {
        lock.lock();
        try {
            boolean asks = confidence.asks();
            if (!asks) {
                confidence = confidence.afterSkip();
                callsOnCpu++;
            }
            return asks;
        } finally {
            lock.unlock();
        }
    }

    /** The next call goes to the GPU, unless that is lost: for a proof, which wants to see all kernels at work. */
    void askAgain() {
        lock.lock();
        try {
            confidence = confidence.afterSuccess();
        } finally {
            lock.unlock();
        }
    }

    boolean lost() {
        lock.lock();
        try {
            return confidence.lost();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the GPU may still be at work on something that was given up. */
    boolean hung() {
        lock.lock();
        try {
            return faults.containsKey(MetalFault.HANG);
        } finally {
            lock.unlock();
        }
    }

    /**
     * A call ended without a fault.
     *
     * @param whole whether the GPU did all elements; else a kernel left the rest to the CPU on purpose
     */
    void done(boolean whole) {
        lock.lock();
        try {
            confidence = confidence.afterSuccess();
            callsOnGpu += whole ? 1 : 0;
        } finally {
            lock.unlock();
        }
    }

    void finishedByCpu() {
        lock.lock();
        try {
            callsOnCpu++;
        } finally {
            lock.unlock();
        }
    }

    /** There is no GPU and never will be, whatever the fault. */
    void notOpened(MetalException failure) {
        lock.lock();
        try {
            confidence = new Confidence(Confidence.FAULTS_MAX, 0, true);
        } finally {
            lock.unlock();
        }
        fault(failure);
    }

    void fault(MetalException failure) {
        MetalFault fault = failure.fault();
        MetalEngine.FaultListener told;
        long count;
        long calls;
        String reason;
        lock.lock();
        try {
            confidence = confidence.afterFault(fault);
            reason = fault.text() + ": " + failure.getMessage();
            why = reason;
            reasons.put(fault, reason);
            count = faults.merge(fault, 1L, Long::sum);
            calls = callsOnGpu;
            told = listener;
            if (count == 1) {
                warnings.accept("metal: " + reason + "; the CPU goes on with the same bits"
                        + (confidence.lost() ? ", for good: choose the engine 'cpu' to go without Metal" : ""));
            }
        } finally {
            lock.unlock();
        }
        told.failed(fault, count, calls, reason); // may write a file, and nobody waits for that
    }

    /** Tells the faults so far, each kind once, and all to come. */
    void tell(MetalEngine.FaultListener next) {
        Map<MetalFault, Long> counts;
        Map<MetalFault, String> lastReasons;
        long calls;
        lock.lock();
        try {
            listener = next;
            counts = new EnumMap<>(faults);
            lastReasons = new EnumMap<>(reasons);
            calls = callsOnGpu;
        } finally {
            lock.unlock();
        }
        lastReasons.forEach((fault, reason) -> next.failed(fault, counts.getOrDefault(fault, 1L), calls, reason));
    }
}

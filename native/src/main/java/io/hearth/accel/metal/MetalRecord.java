package io.hearth.accel.metal;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Records the calls and faults of the GPU, and decides by them whether it is asked; any thread. */
final class MetalRecord {
    private final Consumer<String> warnings;
    private final ReentrantLock lock = new ReentrantLock(); // guards all below
    private final Map<MetalFault, Long> faults = new EnumMap<>(MetalFault.class);
    private Confidence confidence = new Confidence(0, 0, true);
    private String device = "";
    private String why = "not opened";
    private Consumer<String> listener = _ -> {};
    private long callsOnGpu;
    private long callsOnCpu;

    /** Sends one line about the first fault of each kind to {@code warnings}. */
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

    /** Whether a call may go to the GPU now; if not, it is counted for the CPU. */
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

    /** Sends the next call to the GPU, unless it is lost: for a proof, which needs all kernels at work. */
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

    /** Whether the GPU may still run a submission that exceeded its timeout. */
    boolean hung() {
        lock.lock();
        try {
            return faults.containsKey(MetalFault.HANG);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records a call that ended without a fault.
     *
     * @param whole whether the GPU did all elements; if not, a kernel left the rest to the CPU on purpose
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

    /** Records that this process has no GPU, by a failure that is final whatever its kind. */
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
        Consumer<String> told;
        String reason;
        lock.lock();
        try {
            confidence = confidence.afterFault(fault);
            reason = fault.text() + ": " + failure.getMessage();
            why = reason;
            boolean isFirst = faults.merge(fault, 1L, Long::sum) == 1;
            told = isFirst ? listener : _ -> {};
            if (isFirst) {
                warnings.accept("metal: " + reason + "; the CPU goes on with the same bits"
                        + (confidence.lost() ? ", for good: choose the engine 'cpu' to go without Metal" : ""));
            }
        } finally {
            lock.unlock();
        }
        told.accept(reason); // may write a file, so it is outside the lock
    }

    /** Sends one clause about the first fault of each kind from now on to {@code next}, in place of an earlier listener. */
    void onFirstFaults(Consumer<String> next) {
        lock.lock();
        try {
            listener = next;
        } finally {
            lock.unlock();
        }
    }
}

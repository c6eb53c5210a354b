package io.hearth.accel.metal;

import java.util.EnumSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** What the GPU did so far, and so whether it is asked; any thread. */
final class MetalRecord {
    private final Consumer<String> warnings;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<MetalFault> logged = EnumSet.noneOf(MetalFault.class);
    private MetalStatus status = new MetalStatus("", false, "not opened", 0, 0, new TreeMap<>());
    private Confidence confidence = new Confidence(0, 0, true);

    /** {@code warnings} gets one line about the first fault of each kind. */
    MetalRecord(Consumer<String> warnings) {
        this.warnings = warnings;
    }

    void opened(String device) {
        lock.lock();
        try {
            confidence = Confidence.FULL;
            publish(device, "opened", 0, 0);
        } finally {
            lock.unlock();
        }
    }

    MetalStatus status() {
        lock.lock();
        try {
            return status;
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
                publish(status.device(), status.why(), 0, 1);
            }
            return asks;
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
        return status().faults().containsKey(MetalFault.HANG);
    }

    void done() {
        lock.lock();
        try {
            confidence = confidence.afterSuccess();
            publish(status.device(), status.why(), 1, 0);
        } finally {
            lock.unlock();
        }
    }

    void finishedByCpu() {
        lock.lock();
        try {
            publish(status.device(), status.why(), 0, 1);
        } finally {
            lock.unlock();
        }
    }

    /** There is no GPU and never will be, whatever the fault. */
    void notOpened(MetalException failure) {
        lock.lock();
        try {
            confidence = new Confidence(Confidence.FAULTS_MAX, 0, true);
            fault(failure);
        } finally {
            lock.unlock();
        }
    }

    void fault(MetalException failure) {
        lock.lock();
        try {
            MetalFault fault = failure.fault();
            confidence = confidence.afterFault(fault);
            String why = fault.text() + ": " + failure.getMessage();
            var faults = new TreeMap<>(status.faults());
            faults.merge(fault, 1L, Long::sum);
            status = new MetalStatus(
                    status.device(), confidence.asks(), why, status.callsOnGpu(), status.callsOnCpu(), faults);
            if (logged.add(fault)) {
                warnings.accept("metal: " + why + "; the CPU goes on with the same bits"
                        + (confidence.lost() ? ", for good: choose the engine 'auto' to go without Metal" : ""));
            }
        } finally {
            lock.unlock();
        }
    }

    private void publish(String device, String why, long onGpu, long onCpu) {
        status = new MetalStatus(
                device,
                confidence.asks(),
                why,
                status.callsOnGpu() + onGpu,
                status.callsOnCpu() + onCpu,
                status.faults());
    }
}

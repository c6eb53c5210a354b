package io.hearth.compression;

/** One step of {@link DgcMemory} in which all went as it is. */
final class DgcDensePending implements Pending {
    private final TensorMemory.Encoding encoding;
    private final DgcStep step;
    private boolean isKept;

    DgcDensePending(TensorMemory.Encoding encoding, DgcStep step) {
        this.encoding = encoding;
        this.step = step;
    }

    @Override
    public long encodedBytes() {
        return encoding.encodedBytes();
    }

    @Override
    public void gradientEnds() {
        encoding.checkPending();
        if (!isKept) {
            isKept = true;
            step.keepMomentum();
        }
    }

    @Override
    public void commit() {
        gradientEnds();
        encoding.commit();
    }

    @Override
    public void rollback() {
        if (isKept) {
            encoding.forget();
        }
        encoding.rollback();
    }
}

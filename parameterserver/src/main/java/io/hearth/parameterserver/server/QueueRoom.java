package io.hearth.parameterserver.server;

/** Bounds the bytes of the updates that wait for the parts of this machine. On the owner's thread. */
final class QueueRoom {
    private final long most;
    private long taken;

    QueueRoom(long most) {
        this.most = most;
    }

    /** Takes room for an update of this size; false if others wait and leave too little. */
    boolean take(long bytes) {
        if (taken > 0 && taken + bytes > most) {
            return false;
        }
        taken += bytes;
        return true;
    }

    void give(long bytes) {
        taken -= bytes;
    }

    /** The bytes that wait. */
    long taken() {
        return taken;
    }
}

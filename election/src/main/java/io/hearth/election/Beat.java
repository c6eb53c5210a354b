package io.hearth.election;

/**
 * The numbers of a heartbeat for the failure detector.
 *
 * @param sequence of this heartbeat to this peer, from 1
 * @param echo newest sequence received from this peer; 0 for none
 * @param echoHeldNanos time since that one was received
 * @param silenceNanos silence after which the sender wishes that peers are suspected; 0 if it names none
 */
public record Beat(long sequence, long echo, long echoHeldNanos, long silenceNanos) {
    public Beat {
        if (sequence < 1 || echo < 0 || echoHeldNanos < 0 || silenceNanos < 0) {
            throw new IllegalArgumentException("no such heartbeat: sequence " + sequence + ", echo " + echo + ", held "
                    + echoHeldNanos + ", silence " + silenceNanos);
        }
    }
}

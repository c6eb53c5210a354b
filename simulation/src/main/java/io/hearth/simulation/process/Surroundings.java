package io.hearth.simulation.process;

import io.hearth.election.Message;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.GroupFrame;

/** What the parts of a process use of the world around it. */
public interface Surroundings {
    /** Sends a message over the control link, if there is one. */
    void send(ProcessContext from, NodeId to, Message message);

    /** Sends a frame over the data stream: late, but not lost while both processes live. */
    void stream(ProcessContext from, NodeId to, GroupFrame frame);

    /** Whether a stream to that node can open now. */
    boolean isReachable(ProcessContext from, NodeId node);

    /** Whether that node would hear a message now and answer it. */
    boolean wouldAnswer(ProcessContext from, NodeId node);

    /** The process ends by itself. */
    void exit(ProcessContext process);

    /** How many trainers a script of that group waits for. */
    long wanted(String group);

    /** Whether a lying member may make any resolution or result come out of a view change. */
    boolean areResultsForged();

    /** The observer of inputs and results. */
    Results results();
}

package io.hearth.scheduler.ledger;

import io.hearth.scheduler.ledger.SchedulerLedger.Node;
import io.hearth.serve.Failure;
import java.util.Optional;
import org.pcollections.PSortedMap;

/** A ledger under change by one command. */
final class Draft {
    PSortedMap<String, Node> nodes;
    PSortedMap<String, Job> jobs;
    private long jobsEver;
    private long term;

    Draft(SchedulerLedger from) {
        nodes = from.nodes();
        jobs = from.jobs();
        jobsEver = from.jobsEver();
        term = from.term();
    }

    /** A term that was never given. */
    long nextTerm() {
        return ++term;
    }

    long term() {
        return term;
    }

    /** Marks this many terms as given. */
    void skipTerms(int count) {
        term += count;
    }

    long nextJob() {
        return ++jobsEver;
    }

    void put(Job job) {
        jobs = jobs.plus(job.spec().name(), job);
    }

    SchedulerLedger finish() {
        return new SchedulerLedger(nodes, jobs, jobsEver, term);
    }

    static Optional<Failure> refuse(Failure.Code code, String text) {
        return Optional.of(new Failure(code, text));
    }

    static Optional<Failure> noNode(String id) {
        return refuse(
                Failure.Code.NOT_FOUND,
                "node " + id
                        + " is not registered, or was silent for too long: call RegisterNode, or send a heartbeat");
    }

    static Optional<Failure> noJob(String name) {
        return refuse(
                Failure.Code.NOT_FOUND, "there is no job named " + name + ": it was never submitted, or is forgotten");
    }
}

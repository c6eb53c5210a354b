package io.hearth.agent.http;

/** Answers requests. A thread of the request's own calls it, so it may take its time. */
@FunctionalInterface
public interface ApiHandler {
    ApiAnswer answer(ApiRequest request);
}

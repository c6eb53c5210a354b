package io.hearth.replicated.machine;

import io.hearth.replicated.Application;

/** What does not change while a replica runs: what commands do, the decisions of the proof, and sizes. */
record Rules<S>(Application<S> application, Safety safety, Limits limits) {}

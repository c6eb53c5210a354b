/** What happened: the events and the health of a cluster over time, made from its successive statuses; the curves of training jobs. */
@NullMarked
package io.hearth.agent.history;

import org.jspecify.annotations.NullMarked;

/** The agent's metrics. */
@NullMarked
package io.hearth.agent.metrics;

import org.jspecify.annotations.NullMarked;

/** The shell of bandwidth measurements: the data streams over which trains of records travel. */
@NullMarked
package io.hearth.agent.bandwidth;

import org.jspecify.annotations.NullMarked;

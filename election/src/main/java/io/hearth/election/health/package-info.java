/** The failure detector: which peers are silent, computed from the time of their last frame. */
@NullMarked
package io.hearth.election.health;

import org.jspecify.annotations.NullMarked;

/** Failure detector and view change, as pure machines. */
@NullMarked
package io.hearth.election;

import org.jspecify.annotations.NullMarked;

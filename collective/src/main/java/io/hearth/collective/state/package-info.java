/** The state that all ranks keep alike, and how a rank that joins gets it. */
@NullMarked
package io.hearth.collective.state;

import org.jspecify.annotations.NullMarked;

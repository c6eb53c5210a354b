/** What users start: the calls of a coordinator, and its pages. */
@NullMarked
package io.hearth.coordinator.server;

import org.jspecify.annotations.NullMarked;

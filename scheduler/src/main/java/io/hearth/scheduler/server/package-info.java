/** What users start: the calls of a scheduler, and its pages. */
@NullMarked
package io.hearth.scheduler.server;

import org.jspecify.annotations.NullMarked;

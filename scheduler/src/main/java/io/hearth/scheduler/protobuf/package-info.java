/** Turns requests and answers of the scheduler into messages, and back; pure. */
@NullMarked
package io.hearth.scheduler.protobuf;

import org.jspecify.annotations.NullMarked;

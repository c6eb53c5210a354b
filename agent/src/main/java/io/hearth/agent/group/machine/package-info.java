/**
 * Decisions of a trainer from the notes of its group, and the encoding of a note. The room is pure. It uses no other room; no other module
 * may use it.
 */
@NullMarked
package io.hearth.agent.group.machine;

import org.jspecify.annotations.NullMarked;

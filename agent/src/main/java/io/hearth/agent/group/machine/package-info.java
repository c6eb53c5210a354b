/**
 * What a trainer concludes from the notes of others of its group, and the form of a note in bytes; pure. The room uses no other, and no other
 * module may use it.
 */
@NullMarked
package io.hearth.agent.group.machine;

import org.jspecify.annotations.NullMarked;

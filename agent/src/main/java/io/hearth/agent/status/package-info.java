/**
 * What a node believes, as one immutable value, and the newest version of a value, for threads that wait. The room uses no other; {@code cli}
 * may use it.
 */
@NullMarked
package io.hearth.agent.status;

import org.jspecify.annotations.NullMarked;

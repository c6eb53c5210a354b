/**
 * The local socket by which commands of this machine ask its agent, and the status as JSON. The room uses {@code status}; {@code cli} may use
 * it.
 */
@NullMarked
package io.hearth.agent.api;

import org.jspecify.annotations.NullMarked;

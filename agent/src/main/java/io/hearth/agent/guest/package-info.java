/** The links and views of a node, for a part above it. It uses no other room of this module. */
@NullMarked
package io.hearth.agent.guest;

import org.jspecify.annotations.NullMarked;

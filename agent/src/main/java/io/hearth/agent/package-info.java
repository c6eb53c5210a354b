/** The composition: a running node and its faces. */
@NullMarked
package io.hearth.agent;

import org.jspecify.annotations.NullMarked;

/** The composition: a running node and its APIs. */
@NullMarked
package io.hearth.agent;

import org.jspecify.annotations.NullMarked;

/** The calls of a parameter server, its parts and its pages. */
@NullMarked
package io.hearth.parameterserver.server;

import org.jspecify.annotations.NullMarked;

/**
 * The API of collectives for a script or a program, and what all rooms share. Uses {@code schedule}; open to every module that may use
 * collective.
 */
@NullMarked
package io.hearth.collective;

import org.jspecify.annotations.NullMarked;

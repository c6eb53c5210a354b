/** What a group's members decide together, as a pure machine: numbers of calls, losses, and what becomes of each call. */
@NullMarked
package io.hearth.collective.group;

import org.jspecify.annotations.NullMarked;

/** Which machine serves which part, and when an update counts as stored; pure. */
@NullMarked
package io.hearth.parameterserver.machine;

import org.jspecify.annotations.NullMarked;

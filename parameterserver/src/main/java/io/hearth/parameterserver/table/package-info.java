/** The parameters of one part and what updates do to them; pure. */
@NullMarked
package io.hearth.parameterserver.table;

import org.jspecify.annotations.NullMarked;

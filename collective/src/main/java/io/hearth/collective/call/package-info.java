/** One call of the application: its signature and memory, and the interface that each kind of call implements. */
@NullMarked
package io.hearth.collective.call;

import org.jspecify.annotations.NullMarked;

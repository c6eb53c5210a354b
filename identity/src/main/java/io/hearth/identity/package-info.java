/** The identity of a machine and the namespaces that it belongs to. */
@NullMarked
package io.hearth.identity;

import org.jspecify.annotations.NullMarked;

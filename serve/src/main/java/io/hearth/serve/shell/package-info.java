/** A service around its machine: what it needs from its host, and the shell that steps the machine for calls. */
@NullMarked
package io.hearth.serve.shell;

import org.jspecify.annotations.NullMarked;

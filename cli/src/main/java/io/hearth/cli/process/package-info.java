/** Child processes of this program, the pipe from its parent, and temporary folders of a run. */
@NullMarked
package io.hearth.cli.process;

import org.jspecify.annotations.NullMarked;

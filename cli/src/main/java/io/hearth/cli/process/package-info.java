/** Child processes of this program, the pipe from its parent, temporary folders of a run, and the hosts of a lab. It uses no other room. */
@NullMarked
package io.hearth.cli.process;

import org.jspecify.annotations.NullMarked;

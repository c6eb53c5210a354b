/** Commands that show what this machine's agent knows: status, topology, plan, events; once, as they change, or as a page. */
@NullMarked
package io.hearth.cli.show;

import org.jspecify.annotations.NullMarked;

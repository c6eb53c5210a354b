/** The measured topology: measurements of bandwidth, the reports of all nodes, and the plan that a group's lead makes of them. */
@NullMarked
package io.hearth.agent.topology;

import org.jspecify.annotations.NullMarked;

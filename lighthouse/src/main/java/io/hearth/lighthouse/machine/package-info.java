/** The rules of quorums, the machines of the lighthouse and the manager, and what survives a machine; pure. */
@NullMarked
package io.hearth.lighthouse.machine;

import org.jspecify.annotations.NullMarked;

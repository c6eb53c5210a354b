/** Clients of a lighthouse and of a manager, for trainers in Java. */
@NullMarked
package io.hearth.lighthouse.client;

import org.jspecify.annotations.NullMarked;

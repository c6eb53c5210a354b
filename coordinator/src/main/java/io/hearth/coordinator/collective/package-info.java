/** What is computed of tensors, and which rank calls which: the rules of star, hierarchical and ring averages; pure. */
@NullMarked
package io.hearth.coordinator.collective;

import org.jspecify.annotations.NullMarked;

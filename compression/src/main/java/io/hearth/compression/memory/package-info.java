/**
 * What a member keeps of its tensors from one sum to the next: residuals of error feedback, momentum of DGC, factors of PowerSGD, and the file
 * format of all. The room uses the root, {@code format}, {@code block} and {@code sparse}; {@code collective} may use it.
 */
@NullMarked
package io.hearth.compression.memory;

import org.jspecify.annotations.NullMarked;

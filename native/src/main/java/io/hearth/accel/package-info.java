/** What reduces and what packs for codecs: the interfaces, the names of the engines, and which calls are whose. */
@NullMarked
package io.hearth.accel;

import org.jspecify.annotations.NullMarked;

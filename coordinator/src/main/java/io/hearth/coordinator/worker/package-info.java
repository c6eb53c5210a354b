/** What users embed: a worker with its port, its registration, and its averages, barriers and broadcasts. */
@NullMarked
package io.hearth.coordinator.worker;

import org.jspecify.annotations.NullMarked;

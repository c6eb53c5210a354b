/** What training workers average, and the settings of their coordinator. The rooms decide; their shells speak gRPC. */
@NullMarked
package io.hearth.coordinator;

import org.jspecify.annotations.NullMarked;

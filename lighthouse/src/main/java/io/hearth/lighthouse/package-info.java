/** What a lighthouse and a manager of torchft know and answer. The rooms decide; their shells speak gRPC. */
@NullMarked
package io.hearth.lighthouse;

import org.jspecify.annotations.NullMarked;

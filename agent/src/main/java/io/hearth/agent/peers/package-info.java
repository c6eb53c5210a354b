/**
 * The other nodes as this one knows them: where they are found and dialled, which are silent, rejected, doubled or at fault, and what was
 * measured of them. The room uses {@code loop} and {@code status}; no other module may use it.
 */
@NullMarked
package io.hearth.agent.peers;

import org.jspecify.annotations.NullMarked;

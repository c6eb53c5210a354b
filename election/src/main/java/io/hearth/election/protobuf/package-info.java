/** Codecs of messages and records: between the records of this module and protobuf. */
@NullMarked
package io.hearth.election.protobuf;

import org.jspecify.annotations.NullMarked;

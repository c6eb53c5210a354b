/** gRPC and HTTP/1.1 on one port, for services whose messages are protobuf. Knows nothing of quorums. */
@NullMarked
package io.hearth.serve.grpc;

import org.jspecify.annotations.NullMarked;

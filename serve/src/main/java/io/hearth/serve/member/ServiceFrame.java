package io.hearth.serve.member;

import io.hearth.core.MalformedMessageException;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.protobuf.ReplicaMessageEncoding;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A message between the replicas of one service: the length of the service's name in one byte, the name in ASCII, the message.
 *
 * @param service its name
 */
record ServiceFrame(String service, ReplicaMessage message) {
    /** The kind of this message on a control link. */
    static final int KIND = ReplicaMessageEncoding.KIND;

    /** The most characters of a service's name. */
    static final int NAME_BYTES_MAX = 32;

    static byte[] encode(String service, ReplicaMessage message) {
        byte[] name = service.getBytes(StandardCharsets.US_ASCII);
        byte[] body = ReplicaMessageEncoding.encode(message);
        byte[] frame = new byte[1 + name.length + body.length];
        frame[0] = (byte) name.length;
        System.arraycopy(name, 0, frame, 1, name.length);
        System.arraycopy(body, 0, frame, 1 + name.length, body.length);
        return frame;
    }

    static ServiceFrame decode(byte[] frame) throws MalformedMessageException {
        int length = frame.length == 0 ? 0 : frame[0];
        if (length < 1 || length > NAME_BYTES_MAX || frame.length < 1 + length) {
            throw new MalformedMessageException("a message of no service: its name has " + length + " bytes");
        }
        return new ServiceFrame(
                new String(frame, 1, length, StandardCharsets.US_ASCII),
                ReplicaMessageEncoding.decode(Arrays.copyOfRange(frame, 1 + length, frame.length)));
    }
}
